"""Copies the reports of a board's chosen experiments from DVC's cache to the board's folder.

A report names no experiment, because its bytes are the same under every name: the copies do.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

from crivo.comparison.board.values import Board
from crivo.core import artifacts
from crivo.core.cache import Cache
from crivo.core.errors import CrivoError
from crivo.repository.git import Repository

REPORT = (artifacts.EVALUATION / "report.html").as_posix()


def write_reports(board: Board, repository: Repository, folder: Path) -> Mapping[int, str]:
    """Write each chosen experiment's report into a folder; return their paths from the board.

    CrivoError: this clone's cache has none of them.
    """
    cache = Cache(repository.project)
    places = {i: cache.place(one.hashes.get(REPORT) or "none") for i, one in board.chosen.items()}
    found = {i: place.read_bytes() for i, place in places.items() if place.is_file()}
    if not found:
        raise CrivoError(
            "This clone's DVC cache has no report of these experiments; `dvc exp pull origin NAME` "
            "fetches those that were shared."
        )
    names = {i: f"{board.chosen[i].origin.revision[:12]}.html" for i in found}
    for i, content in found.items():
        with artifacts.written(folder / names[i]) as place:
            place.write_bytes(_named(content, board.chosen[i].name, board.values["reference"]))
    return {i: f"{folder.name}/{name}" for i, name in names.items()}


def _named(report: bytes, name: str, reference: str) -> bytes:
    """Return a report with the names of its experiment and of the reference above its title."""
    told = f"Experiment {escape(name)}"
    if name != reference:
        told += f", on a board that compares with {escape(reference)}"
    line = f"<header>\n<p><strong>{told}</strong></p>".encode()
    title = f"<title>{escape(name)}: ".encode()
    return report.replace(b"<header>", line, 1).replace(b"<title>", title, 1)
