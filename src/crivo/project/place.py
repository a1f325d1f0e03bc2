"""Copies files into data/raw/table, whole or not at all, and tracks them with DVC and git."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.preparation.rawdata import require_kept
from crivo.preparation.tables.files import table_files
from crivo.repository import running

FOLDER = Path("data/raw/table")


def require_place(project: Path, source: Path, force: bool) -> None:
    """Raise CrivoError when another table is there already.

    One that only the disk has is never replaced but by itself.
    """
    taken = [path for path in (FOLDER, FOLDER.with_name("table.dvc")) if (project / path).exists()]
    if taken and not force:
        raise CrivoError(
            f"{taken[0]} already exists; --force replaces it (older versions "
            "stay in git and DVC's cache)."
        )
    if source.resolve() != (project / FOLDER).resolve():
        record = FOLDER.with_name("table.dvc")
        require_kept(project / FOLDER, project / record, f"dvc checkout --force {record}")


@contextmanager
def copied(source: Path, project: Path) -> Iterator[Path]:
    """Give a folder beside the table's place that holds copies of a file, or of a folder's tables.

    What is still there at the end is removed.
    """
    beside = project / FOLDER.with_name(".table.part")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        for path, name in _sources(source):
            target = beside / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        yield beside
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def put_in_place(beside: Path, project: Path) -> None:
    """Let the copies be data/raw/table; DVC's cache holds what was there and is recorded."""
    for path in beside.rglob("*"):
        if path.is_file():
            path.chmod(0o444)  # raw data are never changed
    shutil.rmtree(project / FOLDER, ignore_errors=True)
    beside.rename(project / FOLDER)


def track(project: Path) -> None:
    """Add the table to DVC, and its `.dvc` file to what git will commit."""
    running.track(project, FOLDER.as_posix(), also=[FOLDER.with_name(".gitignore").as_posix()])


def _sources(source: Path) -> list[tuple[Path, Path]]:
    if source.is_dir():
        return [(path, path.relative_to(source)) for path in table_files(source)]
    if not source.exists():
        raise CrivoError(f"There is no file {source}.")
    return [(source, Path(source.name))]
