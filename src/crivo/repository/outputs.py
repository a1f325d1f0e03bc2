"""Hashes of raw data that `.dvc` files record, and of files on disk, as DVC hashes them."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import Path

from crivo.preparation.rawdata import parse_dvc_file, raw_hash
from crivo.repository.git import Repository


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


def raw_of(project: Path, file: str) -> dict[str, str]:
    """Return the hash of each file or folder that a `.dvc` file names; empty for a broken one."""
    folder, hashes = posixpath.dirname(file), parse_dvc_file((project / file).read_bytes())
    return {posixpath.normpath(posixpath.join(folder, path)): md5 for path, md5 in hashes.items()}
