"""Tables of the report: texts for people, numbers for sorting."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from crivo.evaluation.report.numbers import cell, common_digits, number, with_intervals

# Rows of a table on the page; the CSV beside it has them all.
ROWS = 25


@dataclass(frozen=True)
class Column:
    """A column: its head, a text per row, and numbers to sort by where it has some.

    `term`: the word of the glossary that explains it; `notes`: what explains each row's text.
    """

    head: str
    texts: Sequence[str]
    values: Sequence[float] | None = None
    term: str = ""
    notes: Sequence[str] = ()

    @property
    def is_number(self) -> bool:
        """Whether the column holds numbers."""
        return self.values is not None

    def sort_value(self, row: int) -> str:
        """Return the number of a row to sort by; nothing where it is missing."""
        value = None if self.values is None else self.values[row]
        return "" if value is None or pd.isna(value) else f"{value:.6g}"


@dataclass(frozen=True)
class Table:
    """A table: its caption, its columns, how many rows are left out, and the file that has all."""

    caption: str
    columns: Sequence[Column]
    more: int = 0
    file: str = ""

    @property
    def size(self) -> int:
        """How many rows are shown."""
        return len(self.columns[0].texts) if self.columns else 0


def to_table(
    frame: pd.DataFrame,
    caption: str,
    *,
    heads: Mapping[str, str] | None = None,
    terms: Mapping[str, str] | None = None,
    raw: bool = False,
    most: int = ROWS,
    file: str = "",
) -> Table:
    """Return a frame for people; a number stands in one cell with its interval.

    `heads`: other names for columns; `terms`: the words that explain some; `raw`: columns of the
    data, where a whole number may be an identifier.
    """
    shown = frame.head(most)
    columns = [
        _column(shown, str(name), (heads or {}).get(str(name)), (terms or {}).get(str(name)), raw)
        for name in shown.columns
        if not _is_end(str(name), shown)
    ]
    return Table(caption, columns, len(frame) - len(shown), file)


def _is_end(name: str, frame: pd.DataFrame) -> bool:
    """Return whether a column is an end of another column's interval."""
    return any(
        name.endswith(end) and name.removesuffix(end) in frame.columns for end in ("_low", "_high")
    )


def _column(
    frame: pd.DataFrame, name: str, head: str | None, term: str | None, raw: bool
) -> Column:
    values = frame[name]
    numeric = is_numeric_dtype(values.dtype) and not is_bool_dtype(values.dtype)
    if raw:
        return raw_column(head or name, values.tolist(), numeric, term or "")
    title = head or name.replace("_", " ")
    if not numeric:
        return Column(title, [cell(value) for value in values], None, term or "")
    numbers = values.astype(float).tolist()
    if {f"{name}_low", f"{name}_high"} <= set(frame.columns):
        texts = with_intervals(frame, name)
    elif values.dtype.kind in "iu":
        texts = [cell(value) for value in values.tolist()]
    else:
        texts = same_digits(numbers)
    return Column(title, texts, numbers, term or "")


def raw_column(head: str, values: Sequence[Any], numeric: bool, term: str = "") -> Column:
    """Return a column of the data; whole numbers may be identifiers and get no separators."""
    if not numeric:
        return Column(head, [cell(value, raw=True) for value in values], None, term)
    numbers = [float("nan") if pd.isna(value) else float(value) for value in values]
    if all(isinstance(value, int) for value in values):
        return Column(head, [cell(value, raw=True) for value in values], numbers, term)
    return Column(head, raw_numbers(numbers), numbers, term)


def same_digits(numbers: Sequence[float]) -> list[str]:
    """Return numbers without intervals: the digits of the column bear a thousandth of its range."""
    known = [value for value in numbers if not pd.isna(value)]
    digits = common_digits([(0.0, max(map(abs, known), default=0.0) / 10)])
    if digits is None:
        digits = 0
    return ["" if pd.isna(value) else number(value, max(digits, 0)) for value in numbers]


def raw_numbers(numbers: Sequence[float]) -> list[str]:
    """Return numbers of the data: their own digits, about four of the largest, no separators.

    >>> raw_numbers([1530.0, 700.0]), raw_numbers([0.0321692, 0.97047])
    (['1530', '700'], ['0.0322', '0.9705'])
    """
    known = [abs(value) for value in numbers if math.isfinite(value)]
    largest = max(known, default=0.0)
    if largest >= 1e15 or 0 < largest < 1e-4:
        return [cell(value, raw=True) for value in numbers]
    most = max(0, 3 - math.floor(math.log10(largest))) if largest > 0 else 0
    needed = (d for d in range(most) if all(round(one, d) == round(one, most) for one in known))
    digits = next(needed, most)
    return ["" if pd.isna(value) else f"{value:.{digits}f}".replace("-", "−") for value in numbers]


def markdown(table: Table) -> list[str]:
    """Return the lines of a table in Markdown."""
    rows: list[Sequence[Any]] = [[column.head for column in table.columns]]
    rows.append(["---"] * len(table.columns))
    rows += [[column.texts[i] for column in table.columns] for i in range(table.size)]
    return ["| " + " | ".join(_markdown_cell(str(text)) for text in row) + " |" for row in rows]


def _markdown_cell(text: str) -> str:
    return text.strip().replace("|", r"\|").replace("\n", " ")
