"""What is recorded of a project's outputs and raw data, and what lies on the disk of them.

`dvc.lock` and `.dvc` files are read here without DVC, and files hashed as DVC hashes them.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_yaml
from crivo.preparation.rawdata import counted_files, total_hash
from crivo.repository.lock import LOCK, LockedFile, parse_lock
from crivo.repository.worktree import WorkTree


def content_hash(path: Path) -> str | None:
    """Return the hash of a file or folder as DVC computes it; None for nothing there."""
    if path.is_file():
        return total_hash({"": path})
    return total_hash(counted_files(path)) if path.is_dir() else None


def recorded_outputs(project: Path) -> list[LockedFile]:
    """Return every output and all raw data that `dvc.lock` and `.dvc` files record a hash of.

    Paths are the project's. What DVC 2 recorded, whose hashes are others, is left out.
    CrivoError: one of these files can't be read.
    """
    tree = WorkTree(project)
    lock_paths = [path for path in tree.candidates(f"*{LOCK}") if Path(path).name == LOCK]
    outs = [out for path in lock_paths for out in _locked(project, path)]
    return outs + [out for path in tree.candidates("*.dvc") for out in _added(project, path)]


def _locked(project: Path, path: str) -> Iterator[LockedFile]:
    try:
        stages = parse_lock((project / path).read_bytes())
    except ParseError as error:
        raise _broken(path, error) from None
    for stage in stages.values():
        for out in stage["outs"]:
            yield from _recorded(path, out)


def _added(project: Path, path: str) -> Iterator[LockedFile]:
    try:
        values = parse_yaml((project / path).read_bytes())
        if not isinstance(values, dict):
            raise ParseError("names no file")
    except ParseError as error:
        raise _broken(path, error) from None
    listed = values.get("outs")
    for out in listed if isinstance(listed, list) else []:
        if isinstance(out, dict) and isinstance(out.get("path"), str):
            yield from _recorded(path, out)


def _recorded(file: str, out: Mapping[str, Any]) -> Iterator[LockedFile]:
    md5 = out.get("md5")
    if md5 and out.get("hash") == "md5":
        path = posixpath.normpath(posixpath.join(posixpath.dirname(file), out["path"]))
        yield LockedFile(path, str(md5), out.get("size"))


def _broken(path: str, error: ParseError) -> CrivoError:
    return CrivoError(f"{path} {error}; restore it with `git checkout {path}`.")
