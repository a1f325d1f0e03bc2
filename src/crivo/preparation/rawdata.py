"""Reads raw files, and refuses files that differ from what the last commit or trial recorded.

DVC takes altered raw files for new ones: before any stage runs, `dvc repro` rewrites their
`.dvc` file and `dvc exp run` stages it for a commit as well. So the record that counts is that
of the last commit; in a trial's own checkout it is that of the files the trial started from.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crivo.core.cache import md5_of
from crivo.core.errors import CrivoError
from crivo.core.git import committed_text, git, run_git, trial_start
from crivo.core.parsing import ParseError, parse_yaml

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_raw_csv", "typed_raw"]  # of the public face

BRING = "Get it with `crivo fetch`, `dvc checkout` or `dvc pull`."


def read_raw_csv(path: Path, types: Mapping[str, str]) -> pd.DataFrame:
    """Return the named columns of a raw CSV file, which may be compressed, with the given types.

    CrivoError: the file is not there, or a column is missing or of another type.
    """
    import pandas as pd

    try:
        return pd.read_csv(path, usecols=list(types), dtype=dict(types))
    except FileNotFoundError:
        raise CrivoError(f"{path} is not there. {BRING}") from None
    except ValueError as error:
        raise CrivoError(f"{path} is not the file that was expected: {error}.") from None


def typed_raw(raw: pd.DataFrame, types: Mapping[str, Any]) -> pd.DataFrame:
    """Return the named columns of raw rows with the given types, or raise a CrivoError."""
    if lacking := [name for name in types if name not in raw]:
        raise CrivoError(f"The raw rows lack {', '.join(lacking)}; add what is missing.")
    try:
        return raw[[*types]].astype(dict(types))
    except (ValueError, TypeError) as error:
        raise CrivoError(f"The raw rows have values of other types ({error}).") from None


def verify_raw(path: Path, dvc_file: Path) -> None:
    """Raise CrivoError when a raw file or folder is not what the last commit records.

    Git itself may keep the raw data. A record that was never committed, as after the first
    `dvc add`, counts too: there is no other. Where git can't say what was committed, or there is
    no git repository, nothing counts.
    """
    if not path.exists():
        raise CrivoError(f"{path} is not there. {BRING}")
    recorded = read_record(dvc_file)
    if recorded is None:
        _verify_in_git(path, dvc_file)
    elif (actual := content_hash(path)) != recorded:
        on_disk = dvc_file.exists() and str(actual) in dvc_file.read_text(encoding="utf-8")
        keep = f"commit {dvc_file}" if on_disk else f"`dvc add {path}` and commit {dvc_file}"
        raise CrivoError(
            f"{path} differs from what git records in {dvc_file}; `dvc data status --granular` "
            f"names the files. To keep the change, {keep}. To undo it, `git checkout {dvc_file}`, "
            f"delete {path}, and run `crivo fetch`."
        )


def read_record(dvc_file: Path) -> str | None:
    """Return the hash that a `.dvc` file records; None when there is no such file.

    That of the last commit counts; a file that was never committed is read from the disk.
    CrivoError: git can't say.
    """
    start = trial_start(dvc_file.absolute().parent)
    content: bytes | str | None = committed_text(dvc_file, start)
    if content is None and dvc_file.exists():
        content = dvc_file.read_bytes()
    return None if content is None else parse_record(content, dvc_file)


def parse_record(content: bytes | str, dvc_file: Path) -> str:
    """Return the hash that a `.dvc` file's content says; CrivoError when it names no such bytes."""
    md5 = parse_dvc_file(content).get(dvc_file.stem)
    if not md5:
        raise CrivoError(
            f"{dvc_file} doesn't say which bytes {dvc_file.stem} must have; restore it with "
            f"`git checkout {dvc_file}`, or write it with `dvc add {dvc_file.with_suffix('')}`."
        )
    return md5


def parse_dvc_file(content: bytes | str) -> dict[str, str]:
    """Return the hash of each file or folder that a `.dvc` file names; empty for none it says."""
    try:
        outs = parse_yaml(content)["outs"]
        return {str(out["path"]): str(out.get("md5", "")) for out in outs}
    except (ParseError, LookupError, TypeError, AttributeError):
        return {}


def content_hash(path: Path) -> str | None:
    """Return the hash of a file or folder as DVC computes it, less what `.dvcignore` names.

    None if nothing is there.
    """
    return total_hash(raw_files(path)) if path.exists() else None


def raw_files(path: Path) -> dict[str, Path]:
    """Return the files of a folder by their path in it; a single file by an empty name.

    Those that `.dvcignore` names don't count; its form is git's.
    """
    if not path.is_dir():
        return {"": path} if path.is_file() else {}
    ignored = ("--ignored", "--others", "--cached", "--exclude-per-directory=.dvcignore")
    command = ("--literal-pathspecs", "ls-files", "-z", *ignored, "--", path.name)
    listed = run_git(command, path.parent).stdout
    left_out = {path.parent / name for name in listed.decode(errors="replace").split("\0")}
    files = (file for file in path.rglob("*") if file.is_file() and file not in left_out)
    return {file.relative_to(path).as_posix(): file for file in files}


def total_hash(files: Mapping[str, Path]) -> str:
    """Return the hash of a file, or that of a folder as DVC computes it from its listing."""
    if "" in files:
        return md5_of(files[""])
    listing = [{"md5": md5_of(files[name]), "relpath": name} for name in sorted(files)]
    return md5_of(json.dumps(listing).encode()) + ".dir"


def _verify_in_git(path: Path, dvc_file: Path) -> None:
    """Raise CrivoError when git doesn't keep the raw data itself, or keeps other bytes."""
    if not git(path.parent, "ls-files", "--", path.name):
        raise CrivoError(
            f"No version of {path} is kept, so a result could not be traced to its data: "
            f"`dvc add {path}` and commit {dvc_file}."
        )
    changed = git(path.parent, "status", "--porcelain", "--", path.name)
    if changed:
        names = ", ".join(line[3:] for line in changed.splitlines())
        raise CrivoError(f"{path} differs from the last commit ({names}): commit it or undo it.")
