"""Removes the flights, the example data that come with crivo, from a project with its own table."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from crivo.core.artifacts import write_text
from crivo.core.git import NoRepository, committed_text
from crivo.preparation.rawdata import raw_files, read_record, total_hash
from crivo.project.locks import FLIGHTS_PACKAGE, LOCKS, without_package

FLIGHTS = (
    "data/raw/flights.dvc",
    "src/blocks/datasets/flights.py",
    "src/blocks/featurizers/flights.py",
)
# In params.yaml, what is said of the flights alone begins so and ends with the comment.
COMMENT = re.compile(r"^ *# Flights:.*\n(?: *#.*\n)*", re.MULTILINE)


EDITS: dict[str, Callable[[str], str]] = {
    "pyproject.toml": lambda text: _without_lines(text, rf'^ *"{FLIGHTS_PACKAGE}\b.*\n'),
    ".gitignore": lambda text: _without_lines(text, r"^/data/raw/flights/\n"),
    **dict.fromkeys(LOCKS, partial(without_package, name=FLIGHTS_PACKAGE)),
}


def remove_flights(project: Path) -> list[str]:
    """Remove the flights' files from a project, and their package from its locks.

    Files that differ from the last commit stay; those removed are returned. The clone of
    crivo's own repository keeps the blocks and the package: the library's tests use them.
    """
    library = (project / "src/crivo").is_dir()
    gone = [path for path in (FLIGHTS[:1] if library else FLIGHTS) if _may_go(project, path)]
    if FLIGHTS[0] in gone:
        _remove_raw(project / FLIGHTS[0])
    for path in gone:
        (project / path).unlink()
    for name, edit in {} if library or not gone else EDITS.items():
        old = (project / name).read_text(encoding="utf-8") if (project / name).is_file() else ""
        if (new := edit(old)) != old:
            write_text(project / name, new)
    return gone


def _may_go(project: Path, path: str) -> bool:
    """Say whether the last commit has the file as it is; before the first, crivo has it."""
    if not (project / path).exists():
        return False
    try:
        if committed_text(project / "params.yaml") is None:
            return True
        return committed_text(project / path) == (project / path).read_text(encoding="utf-8")
    except NoRepository:
        return False


def _remove_raw(record: Path) -> None:
    """Remove the raw files, where they are those that git records."""
    folder = record.with_suffix("")
    files = raw_files(folder) if folder.is_dir() else {}
    if files and total_hash(files) == read_record(record):
        for path in files.values():
            path.chmod(0o644)
            path.unlink()
        folder.rmdir()


def params_without_flights(params: str) -> str:
    """Return the text of params.yaml without the flights' blocks, and what is said of them.

    >>> text = "datasets:\\n  flights:\\n    late: 15\\n  table: {}\\n"
    >>> print(params_without_flights(text), end="")
    datasets:
      table: {}
    """
    text = COMMENT.sub("", params)
    for section in ("datasets", "featurizers"):
        block = rf"(^{section}:\n(?:(?: .*)?\n)*?)  flights:.*\n(?:(?:    .*)?\n)*"
        text = re.sub(block, r"\1", text, flags=re.MULTILINE)
    return text


def _without_lines(text: str, pattern: str) -> str:
    return re.sub(pattern, "", text, flags=re.MULTILINE)
