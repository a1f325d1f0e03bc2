"""Takes the flights, the data that come with crivo, out of a new project that has its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

from crivo.project.locks import FLIGHTS_PACKAGE, LOCKS, without_package

FLIGHTS = (
    "data/raw/flights.dvc",
    "src/blocks/datasets/flights.py",
    "src/blocks/featurizers/flights.py",
)
# In params.yaml, what is said of the flights alone begins so and ends with the comment.
COMMENT = re.compile(r"^ *# Flights:.*\n(?: *#.*\n)*", re.MULTILINE)


def without_flights(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return a new project's files without the flights': their data, blocks, settings, package."""
    kept = {path: content for path, content in files.items() if path not in FLIGHTS}
    edits: dict[str, Callable[[str], str]] = {
        "params.yaml": params_without_flights,
        "pyproject.toml": partial(_without_lines, pattern=rf'^ *"{FLIGHTS_PACKAGE}\b.*\n'),
        ".gitignore": partial(_without_lines, pattern=r"^/data/raw/flights/\n"),
        **dict.fromkeys(LOCKS, partial(without_package, name=FLIGHTS_PACKAGE)),
    }
    return kept | {path: edit(kept[path].decode()).encode() for path, edit in edits.items()}


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
