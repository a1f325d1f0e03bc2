"""Formats text for a terminal: paragraphs and columns of its width, and shortened lists."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from io import StringIO
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
    rows: Iterable[Sequence[str]],
    right: Sequence[int] = (),
    least: Sequence[int] = (),
    gap: int = 2,
) -> list[str]:
    """Return rows as lines whose columns stand below each other.

    `right`: columns that are aligned there; `least`: the least width of the first columns.

    >>> columns([("a", "12"), ("bcd", "3")], right=[1])
    ['a    12', 'bcd   3']
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    rows = list(rows)
    table = Table.grid(padding=(0, gap, 0, 0))
    for number in range(len(rows[0]) if rows else 0):
        table.add_column(
            justify="right" if number in right else "left",
            no_wrap=True,
            min_width=least[number] if number < len(least) else None,
        )
    for row in rows:
        table.add_row(*map(Text, row))
    printed = StringIO()
    # As wide as its cells: a terminal breaks a line that is too long, and nothing is lost.
    Console(file=printed, width=10_000, color_system=None).print(table)
    return [line.rstrip() for line in printed.getvalue().splitlines()]


def lay_out(lines: Iterable[str | tuple[str, ...]], least: Sequence[int] = ()) -> list[str]:
    """Return lines, those that are rows of cells as columns of one table.

    >>> lay_out([("a", "b"), "between", ("cd", "e")])
    ['a  b', 'between', 'cd e']
    """
    listed = list(lines)
    rows = [line for line in listed if isinstance(line, tuple)]
    count = max(map(len, rows), default=0)
    table = iter(columns([(*row, *[""] * (count - len(row))) for row in rows], (), least, gap=1))
    return [next(table) if isinstance(line, tuple) else line for line in listed]


def a_few(items: Iterable[str], most: int, *, separator: str = ", ") -> str:
    """Return the first items, and how many there are besides.

    >>> a_few(["a", "b", "c"], 2), a_few(["a", "b"], 2)
    ('a, b and 1 more', 'a, b')
    """
    listed = list(items)
    more = f" and {len(listed) - most:,} more" if len(listed) > most else ""
    return separator.join(listed[:most]) + more


def counted(count: int, noun: str) -> str:
    """Return a number of things: `1 file`, `2 files`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
