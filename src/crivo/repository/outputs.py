"""Hashes of a project's outputs and raw data: those that are recorded, and those of files on disk.

`dvc.lock` and `.dvc` files are read here without DVC, and files hashed as DVC hashes them.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.preparation.rawdata import parse_dvc_file, raw_hash
from crivo.repository.git import Repository
from crivo.repository.lock import LOCK, read_lock


@dataclass(frozen=True)
class RawData:
    """A file or folder that DVC keeps, its `.dvc` file, and the hash that this records."""

    path: str
    dvc_file: str
    md5: str


def content_hash(path: Path) -> str | None:
    """Return the hash of a file or folder as DVC computes it; None for nothing there."""
    return raw_hash(path) if path.exists() else None


def recorded_raw(repository: Repository) -> list[RawData]:
    """Return what the `.dvc` files in git record; nothing of one that can't be read."""
    return [
        RawData(path, file, md5)
        for file in repository.files("--", "*.dvc")
        for path, md5 in raw_of(repository.project, file).items()
    ]


def recorded_outputs(project: Path) -> dict[str, str]:
    """Return the hash of every output and all raw data that `dvc.lock` and `.dvc` files record.

    Paths are the project's. CrivoError: one of these files can't be read.
    """
    repository, found = Repository(project), dict[str, str]()
    for file in repository.not_ignored(f":(glob)**/{LOCK}"):
        outs = read_lock((project / file).read_bytes()).outs
        found |= _beside(file, {path: out.md5 for path, out in outs.items()})
    for file in repository.not_ignored("*.dvc"):
        raw = raw_of(project, file)
        if not raw:
            raise CrivoError(f"{file} names no file; restore it with `git checkout {file}`.")
        found |= raw
    return {path: md5 for path, md5 in found.items() if md5}


def raw_of(project: Path, file: str) -> dict[str, str]:
    """Return the hash of each file or folder that a `.dvc` file names; empty for a broken one."""
    return _beside(file, parse_dvc_file((project / file).read_bytes()))


def _beside(file: str, hashes: Mapping[str, str]) -> dict[str, str]:
    """Return hashes by the project's paths, of paths that a file names from its folder."""
    folder = posixpath.dirname(file)
    return {posixpath.normpath(posixpath.join(folder, path)): md5 for path, md5 in hashes.items()}
