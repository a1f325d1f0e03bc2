"""Removes the flights, the example data that come with crivo, from a project with its own table."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from crivo.core.artifacts import write_text
from crivo.core.git import NoRepository, committed_text
from crivo.preparation.rawdata import raw_files, read_record, total_hash
from crivo.project.contents import FLIGHTS_PACKAGE, LOCKS, without_flights

FLIGHTS = (
    "data/raw/flights.dvc",
    "src/blocks/datasets/flights.py",
    "src/blocks/featurizers/flights.py",
)
# In params.yaml, what is said of the flights alone begins so and ends with the comment.
COMMENT = re.compile(r"^ *# Flights:.*\n(?: *#.*\n)*", re.MULTILINE)
# Lines about them in other files than the locks.
LINES = {"pyproject.toml": rf'^ *"{FLIGHTS_PACKAGE}\b.*\n', ".gitignore": r"^/data/raw/flights/\n"}


def remove_flights(project: Path) -> list[str]:
    """Remove the flights' files from a project, and their package from its locks.

    Files that differ from the last commit stay; those removed are returned. The clone of
    crivo's own repository keeps the blocks and the package: the library's tests use them.
    """
    library = (project / "src/crivo").is_dir()
    gone = [path for path in (FLIGHTS[:1] if library else FLIGHTS) if _may_go(project, path)]
    if FLIGHTS[0] in gone:
        record = project / FLIGHTS[0]
        folder = record.with_suffix("")
        if folder.is_dir() and total_hash(raw_files(folder)) == read_record(record):
            shutil.rmtree(folder, ignore_errors=True)
    for path in gone:
        (project / path).unlink()
    for name in (*LINES, *LOCKS) if gone and not library else ():
        if (project / name).is_file():
            text = (project / name).read_text(encoding="utf-8")
            lines = LINES.get(name)
            left = re.sub(lines, "", text, flags=re.MULTILINE) if lines else without_flights(text)
            write_text(project / name, left)
    return gone


def _may_go(project: Path, path: str) -> bool:
    """Say whether the last commit has the file as it is; before the first, crivo has it."""
    file = project / path
    try:
        unborn = committed_text(project / "params.yaml") is None
        return file.exists() and (unborn or committed_text(file) == file.read_text("utf-8"))
    except NoRepository:
        return False


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
