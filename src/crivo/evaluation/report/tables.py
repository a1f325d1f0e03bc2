"""The tables of a report: columns of texts for people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.report.numbers import (
    cell,
    digits_of,
    number,
    same_digits,
    with_interval,
)

if TYPE_CHECKING:
    from crivo.evaluation.evaluate import Result

# Rows of a table on the page; the CSV file has all rows.
ROWS = 25
# Columns of raw rows that fit on the page, and that fit inside a slice.
RAW_COLUMNS, SLICE_COLUMNS = 11, 10
# The source of a metric, which a reader of the report doesn't need.
SOURCE = re.compile(r" \([^()]*\d{4}[a-z]?\)")
CLASSES = ["target", "prediction"]
OURS = ("id", *CLASSES, "score", "loss")
# Columns that are terms of the glossary.
EXPLAINED = ("score", "loss")
# Classes of a confusion that is a table.
MAX_TABLE = 12
OF_ACTUAL = "% of the actual class"


class Column(NamedTuple):
    """A column: its head, a text per row, and whether these are numbers.

    `term`: the term of the glossary that explains it; `notes`: an explanation for each row's text.
    """

    head: str
    texts: Sequence[str]
    numeric: bool = False
    term: str = ""
    notes: Sequence[str] = ()


class Table(NamedTuple):
    """A table: its caption, its columns, the number of omitted rows, and the file with all rows."""

    caption: str
    columns: Sequence[Column]
    more: int = 0
    file: str = ""

    def part(self, places: Sequence[int], caption: str) -> Table:
        """Return some of the rows, with a caption of their own."""
        columns = [one._replace(texts=[one.texts[i] for i in places]) for one in self.columns]
        return Table(caption, columns)


def to_table(
    frame: pd.DataFrame, caption: str, *, raw: bool = False, rows: int = ROWS, file: str = ""
) -> Table:
    """Return a frame for people.

    `raw`: columns of the data, in which a whole number may be an identifier.
    """
    shown, columns = frame.head(rows), []
    for name in map(str, shown):
        texts, numeric = _texts(shown[name], raw and name not in CLASSES)
        columns.append(Column(name, texts, numeric, name if name in EXPLAINED else ""))
    return Table(caption, columns, len(frame) - len(shown), file)


def _texts(values: pd.Series, raw: bool) -> tuple[list[str], bool]:
    """Return a column's values as texts, and whether they are numbers."""
    is_number = is_numeric_dtype(values.dtype) and not is_bool_dtype(values.dtype)
    if is_number and values.dtype.kind not in "iu":
        return same_digits(values.to_numpy(float, na_value=np.nan).tolist(), raw=raw), True
    return [cell(value, raw=raw) for value in values.tolist()], is_number


# --- the tables of a report -----------------------------------------------------------------------


def descriptions(report: Result) -> list[str]:
    """Return the description of each metric, or an empty text for an evaluator's own metric."""
    known = metrics_of(report.about["task"])
    names = report.evaluation.metrics.index
    return [SOURCE.sub("", known[name].description) if name in known else "" for name in names]


def interval_column(
    head: str, table: pd.DataFrame, *, sign: bool = False, alone: bool = False
) -> Column:
    """Return the `value` of a table with its interval, with as many digits as are justified.

    `sign`: for differences; `alone`: for a baseline's value, with the digits of the difference.
    """
    rows, texts = table.to_dict("records"), []
    for row in rows:
        digits = digits_of(row["low"], row["high"])
        text = number(row["value"], digits) if alone else with_interval(row, sign=sign)
        texts.append("" if (sign or alone) and pd.isna(row["value"]) else text)
    return Column(head, texts, True, "baseline" if alone else "interval")


def raw_rows(
    report: Result, table: pd.DataFrame, caption: str, columns: int = RAW_COLUMNS, **more: Any
) -> Table:
    """Return rows of the data: the outcome, the most important features, and other columns.

    Classes are called by their words.
    """
    table = table.rename(columns=str)
    important = report.plots.get("importance")
    ranked = [] if important is None else important["feature"].astype(str).tolist()
    others = [name for name in map(str, table) if not name.startswith("score_")]
    names = dict.fromkeys([*OURS, *ranked, *others])
    shown = table[[name for name in names if name in table][:columns]]
    if report.task.has_positive:
        shown = shown.assign(**{name: shown[name].map(report.subject.short) for name in CLASSES})
    return to_table(shown, caption, raw=True, **more)


class Confusion:
    """The confusion: counts with a row per actual class and a column per predicted class.

    `is_small`: there are few enough classes for a table. `worst`: the position of the class that is
    missed most often; None if only one class occurs. `pairs`: the most frequent mistakes; None if
    there are two classes, or no mistakes.
    """

    def __init__(self, report: Result, table: pd.DataFrame) -> None:
        counts = table.pivot(index="actual", columns="predicted", values="rows").fillna(0)
        labels = sorted({*counts.index, *counts.columns}, key=str)
        counts = counts.reindex(index=labels, columns=labels, fill_value=0).astype(int)
        self.names = [report.subject.short(label) for label in labels]
        self.is_small = len(labels) <= MAX_TABLE
        self.counts = counts.to_numpy()
        self.total = self.counts.sum(axis=1)
        self.shares = self.counts / np.maximum(self.total, 1)[:, None]
        seen = np.flatnonzero(self.total)
        right = self.shares.diagonal()[seen]
        self.worst = int(seen[right.argmin()]) if len(seen) > 1 else None
        share = 100 * table["rows"] / table.groupby("actual")["rows"].transform("sum")
        wrong = table.assign(**{OF_ACTUAL: share})[table["actual"] != table["predicted"]]
        wrong = wrong.sort_values(["rows", "actual", "predicted"], ascending=[False, True, True])
        file = "plots/confusion.csv"
        caption = "Most frequent mistakes"
        self.pairs = to_table(wrong, caption, file=file) if len(wrong) and len(labels) > 2 else None
