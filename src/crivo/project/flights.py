"""Takes the flights, the data that come with crivo, out of a project that has its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from crivo.core.artifacts import write_text
from crivo.core.git import NoRepository, committed_text
from crivo.preparation.rawdata import raw_files, read_record, total_hash
from crivo.project.locks import FLIGHTS_PACKAGE, LOCKS, without_package

# What of a new project is about the flights: it goes when a table of the team's own comes.
FLIGHTS = (
    "data/raw/flights.dvc",
    "src/blocks/datasets/flights.py",
    "src/blocks/featurizers/flights.py",
)
RECORD = Path("data/raw/flights.dvc")
LINES = {
    "pyproject.toml": rf'^ *"{FLIGHTS_PACKAGE}\b.*\n',
    ".gitignore": r"^/data/raw/flights/\n",
}
# In params.yaml, what is said of the flights alone begins so and ends with the comment.
COMMENT = re.compile(r"^ *# Flights:.*\n(?: *#.*\n)*", re.MULTILINE)


def without_flights(params: str) -> str:
    """Return the text of params.yaml without the flights' blocks, and what is said of them.

    >>> print(without_flights("datasets:\\n  flights:\\n    late: 15\\n  table: {}\\n"), end="")
    datasets:
      table: {}
    """
    text = COMMENT.sub("", params)
    for section in ("datasets", "featurizers"):
        block = rf"(^{section}:\n(?:(?: .*)?\n)*?)  flights:.*\n(?:(?:    .*)?\n)*"
        text = re.sub(block, r"\1", text, flags=re.MULTILINE)
    return text


def remove_flights(project: Path) -> list[str]:
    """Remove the flights' files from a project, and their package from its locks.

    Files that differ from the last commit stay; those removed are returned. The clone of
    crivo's own repository keeps the blocks and the package: the library's tests use them.
    """
    library = (project / "src/crivo").is_dir()
    gone = [path for path in (FLIGHTS[:1] if library else FLIGHTS) if _may_go(project, path)]
    if RECORD.as_posix() in gone:
        _remove_raw(project)
    for path in gone:
        (project / path).unlink()
    if not library:
        for name in LOCKS:
            _edit(project / name, partial(without_package, name=FLIGHTS_PACKAGE))
        for name, line in LINES.items():
            _edit(project / name, partial(re.sub, line, "", flags=re.MULTILINE))
    return gone


def _remove_raw(project: Path) -> None:
    """Remove the raw files, where they are those that git records."""
    folder = project / RECORD.with_suffix("")
    files = raw_files(folder) if folder.is_dir() else {}
    if files and total_hash(files) == read_record(project / RECORD):
        for path in files.values():
            path.chmod(0o644)
            path.unlink()
        folder.rmdir()


def _edit(path: Path, change: Callable[[str], str]) -> None:
    old = path.read_text(encoding="utf-8") if path.is_file() else ""
    new = change(old)
    if new != old:
        write_text(path, new)


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
