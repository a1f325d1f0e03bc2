"""Puts the board into one HTML file: its values, the plotting library, and a script."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from crivo.comparison.board.values import Board
from crivo.core.errors import CrivoError
from crivo.core.text_guard import escape_control_json

SCRIPTS = ("state.js", "table.js", "charts.js", "figures.js", "main.js")
LIBRARY = re.compile(r"<!-- (vega[a-z-]*) ([\d.]+) -->\n<script>\n.*?\n</script>", re.DOTALL)
LICENCE = re.compile(r"<!--\nThe scripts below.*?-->", re.DOTALL)


def board_page(board: Board, plots_page: str) -> str:
    """Return the page.

    `plots_page`: the page of `dvc plots` that needs no network, whose plotting library is used.
    CrivoError: that page has no such library in it.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("crivo.comparison.board", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.j2").render(
        board=board.values,
        style=_text("board.css"),
        values=in_script(board.values),
        library=library(plots_page),
        script="\n".join(_text(name) for name in SCRIPTS),
    )


def library(plots_page: str) -> str:
    """Return Vega, Vega-Lite and vega-embed as script elements, their licence before them."""
    licence = LICENCE.search(plots_page)
    scripts = [match[0] for match in LIBRARY.finditer(plots_page)]
    if licence is None or len(scripts) != 3:
        raise CrivoError("The page of `dvc plots` came without Vega; install crivo again.")
    return "\n".join([licence[0], *scripts])


def in_script(values: Mapping[str, Any]) -> str:
    r"""Return values as JSON that can stand in an element `script`: no text in it ends that.

    >>> in_script({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(values, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return escape_control_json(text)


def _text(name: str) -> str:
    return files("crivo.comparison.board").joinpath(name).read_text("utf-8").strip()
