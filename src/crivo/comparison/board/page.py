"""Puts the board into one HTML file: its values, the plotting library, and a script."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from pathlib import Path

from crivo.comparison.board.values import board_values, shown_in_full
from crivo.comparison.result import ComparisonResult
from crivo.core import artifacts
from crivo.core.cache import Cache
from crivo.core.errors import CrivoError
from crivo.core.layout import counted
from crivo.records.history import History
from crivo.records.record import Record

REPORT = (artifacts.EVALUATION / "report.html").as_posix()
SCRIPTS = ("state.js", "table.js", "charts.js", "figures.js", "main.js")
LIBRARY = re.compile(r"<!-- (vega[a-z-]*) ([\d.]+) -->\n<script>\n.*?\n</script>", re.DOTALL)
LICENCE = re.compile(r"<!--\nThe scripts below.*?-->", re.DOTALL)


def board_page(
    comparison: ComparisonResult,
    history: History,
    plots_page: str,
    reports: Mapping[int, str] | None = None,
) -> str:
    """Return the page of a comparison, which was made from this history.

    `plots_page`: the page of `dvc plots` that needs no network, whose plotting library is used.
    `reports`: links to reports by the experiments' places.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("crivo.comparison.board", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["counted"] = counted
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    return environment.get_template("page.html.j2").render(
        found=comparison,
        style=_text("board.css"),
        values=board_values(comparison, history, reports or {}),
        library=library(plots_page),
        script="\n".join(_text(name) for name in SCRIPTS),
    )


def library(plots_page: str) -> str:
    """Return Vega, Vega-Lite and vega-embed as script elements, their licence before them."""
    (licence,) = LICENCE.findall(plots_page)
    return "\n".join([licence, *(match[0] for match in LIBRARY.finditer(plots_page))])


def _text(name: str) -> str:
    return files("crivo.comparison.board").joinpath(name).read_text("utf-8").strip()


def write_reports(
    comparison: ComparisonResult, history: History, folder: Path
) -> Mapping[int, str]:
    """Write the reports of what is shown in full into a folder; return links from beside it.

    CrivoError: this clone's cache has none of them.
    """
    board = f", on a board that compares with {comparison.reference}"
    links = {}
    for i, record in shown_in_full(comparison, history).items():
        name = f"{record.origin.revision[:12]}.html"
        suffix = "" if record.name == comparison.reference else board
        if write_report(record, history, folder / name, suffix):
            links[i] = f"{folder.name}/{name}"
    if not links:
        raise CrivoError(no_report("these experiments"))
    return links


def write_report(record: Record, history: History, place: Path, suffix: str = "") -> bool:
    """Write the report of an experiment from DVC's cache; return whether the cache has it.

    A report's bytes are the same under every name: the copy names its experiment, and `suffix`
    follows the name.
    """
    stored = Cache(history.repository.project).place(record.hashes.get(REPORT) or "none")
    if not stored.is_file():
        return False
    line = f"<header>\n<p><strong>Experiment {escape(record.name + suffix)}</strong></p>"
    title = f"<title>{escape(record.name)}: "
    page = stored.read_bytes().replace(b"<header>", line.encode(), 1)
    with artifacts.written(place) as part:
        part.write_bytes(page.replace(b"<title>", title.encode(), 1))
    return True


def no_report(name: str) -> str:
    """Say that a clone's cache has no report, and what fetches it."""
    return (
        f"This clone's DVC cache has no report of {name}; `dvc exp pull origin NAME` fetches those "
        "that were shared."
    )
