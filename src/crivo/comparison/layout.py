"""Lays text out for a terminal: paragraphs and columns of its width."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from textwrap import wrap

# The width of what isn't printed on a terminal.
WIDTH = 80


def width() -> int:
    """Return how many characters a line has."""
    return shutil.get_terminal_size((WIDTH, 0)).columns if sys.stdout.isatty() else WIDTH


def paragraph(text: str, indent: str = "", rest: str | None = None) -> list[str]:
    """Return a text's lines; `indent` comes before the first, `rest` before the others.

    Words are kept whole, so that paths and commands can be copied.
    """
    return wrap(
        text,
        width(),
        initial_indent=indent,
        subsequent_indent=indent if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def columns(
    lines: Iterable[str | Sequence[str]],
    right: Sequence[int] = (),
    least: Sequence[int] = (),
    gap: int = 2,
) -> list[str]:
    """Return lines; those that are rows of cells have columns that stand below each other.

    `right`: columns that are aligned there; `least`: the least width of the first columns.

    >>> columns([("a", "12"), "between", ("bcd", "3")], right=[1])
    ['a    12', 'between', 'bcd   3']
    """
    from rich.cells import cell_len

    listed = list(lines)
    rows = [line for line in listed if not isinstance(line, str)]
    widths = [max(map(cell_len, cells)) for cells in zip_longest(*rows, fillvalue="")]
    widths = [max(pair) for pair in zip_longest(widths, least[: len(widths)], fillvalue=0)]

    def aligned(cell: str, at: int) -> str:
        rest = " " * (widths[at] - cell_len(cell))
        return rest + cell if at in right else cell + rest

    return [
        line
        if isinstance(line, str)
        else (" " * gap).join(aligned(cell, at) for at, cell in enumerate(line)).rstrip()
        for line in listed
    ]
