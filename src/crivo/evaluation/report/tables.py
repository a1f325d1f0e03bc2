"""The tables of a report: texts for people, numbers for sorting; what they say is in the page."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.report.numbers import (
    cell,
    digits_of,
    number,
    with_interval,
    with_intervals,
)
from crivo.evaluation.tasks import task_evaluation

if TYPE_CHECKING:
    from crivo.evaluation.evaluate import Result

# Rows of a table on the page; the CSV beside it has them all.
ROWS = 25
# Columns of raw rows that fit beside each other, and beside a slice.
RAW_COLUMNS, SLICE_COLUMNS = 11, 10
# Where a metric was described first: of no use to a reader of the report.
SOURCE = re.compile(r" \([^()]*\d{4}[a-z]?\)")
CLASSES = ["target", "prediction"]
OURS = ("id", *CLASSES, "score", "loss")
TERMS_OF = {"score": "score", "loss": "loss"}
# Classes of a confusion that is a table, and the most frequent mistakes that are listed.
MAX_TABLE, PAIRS = 12, 12


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


def to_table(
    frame: pd.DataFrame,
    caption: str,
    *,
    heads: Mapping[str, str] | None = None,
    terms: Mapping[str, str] | None = None,
    raw: bool = False,
    file: str = "",
) -> Table:
    """Return a frame for people; a number stands in one cell with its interval.

    `heads`: other names for columns; `terms`: the words that explain some; `raw`: columns of the
    data, where a whole number may be an identifier.
    """
    shown, heads, terms = frame.head(ROWS), heads or {}, terms or {}
    ends = {f"{name}{end}" for name in shown for end in ("_low", "_high")}
    columns = []
    for name in [str(name) for name in shown if name not in ends]:
        texts, values = _texts(shown, name, raw and name not in CLASSES)
        head = heads.get(name) or (name if raw else name.replace("_", " "))
        columns.append(Column(head, texts, values, terms.get(name, "")))
    return Table(caption, columns, len(frame) - len(shown), file)


def _texts(frame: pd.DataFrame, name: str, raw: bool) -> tuple[list[str], list[float] | None]:
    """Return a column's values in words, and as numbers where they are some."""
    values = frame[name]
    if not is_numeric_dtype(values.dtype) or is_bool_dtype(values.dtype):
        return [cell(value, raw=raw) for value in values], None
    numbers = values.to_numpy(float, na_value=np.nan).tolist()
    if {f"{name}_low", f"{name}_high"} <= set(frame.columns):
        return with_intervals(frame, name), numbers
    if values.dtype.kind in "iu":
        return [cell(value, raw=raw) for value in values.tolist()], numbers
    return same_digits(numbers, raw=raw), numbers


def same_digits(numbers: Sequence[float], *, raw: bool = False) -> list[str]:
    """Return numbers without intervals: three digits of the largest, and no more than they have.

    `raw`: of the data, with four digits; whole ones may be identifiers and get no separators.

    >>> same_digits([1530.0, 700.0], raw=True), same_digits([16616.52, 7.0], raw=True)
    (['1530', '700'], ['16,617', '7'])
    """
    known = [abs(value) for value in numbers if math.isfinite(value)]
    largest = max(known, default=0.0)
    if largest >= 1e15 or 0 < largest < 1e-4:
        return ["" if pd.isna(value) else f"{value:.3g}".replace("-", "−") for value in numbers]
    most = max(0, 2 + raw - math.floor(math.log10(largest))) if largest > 0 else 0
    needed = (d for d in range(most) if all(math.isclose(round(one, d), one) for one in known))
    digits = next(needed, most)
    texts = ["" if pd.isna(value) else number(value, digits) for value in numbers]
    if raw and all(value.is_integer() for value in known):
        return [text.replace(",", "") for text in texts]
    return texts


# --- the tables of a report -----------------------------------------------------------------------


def metrics_table(report: Result) -> Table:
    """Return each metric with its interval, beside the baseline where there is one."""
    evaluation, known = report.evaluation, metrics_of(report.about["task"])
    own, names = evaluation.metrics, [str(name) for name in evaluation.metrics.index]
    notes = [SOURCE.sub("", known[name].description) if name in known else "" for name in names]
    columns = [Column("metric", names, notes=notes), _with_interval("value", own)]
    versus = evaluation.against_baseline.reindex(own.index)
    if len(evaluation.baseline):
        beside = evaluation.baseline["value"].reindex(own.index).astype(float).tolist()
        rows = zip(beside, versus["low"], versus["high"], strict=True)
        texts = ["" if pd.isna(one) else number(one, digits_of(*ends)) for one, *ends in rows]
        head = f"baseline ({report.subject.baseline})" if report.subject.baseline else "baseline"
        columns.append(Column(head, texts, beside, "baseline"))
    if len(evaluation.against_baseline):
        columns.append(_with_interval("difference", versus, sign=True))
        words = [cell(word) for word in versus["verdict"]]
        columns.append(Column("verdict", words, term="verdict"))
    caption = "Each metric with its interval, the baseline's value, and the difference"
    return Table(caption, columns, file="intervals.csv")


def _with_interval(name: str, table: pd.DataFrame, *, sign: bool = False) -> Column:
    """Return a column of numbers with their intervals, each with the digits that it bears."""
    rows = [row | {"value": row[name]} for row in table.to_dict("records")]
    texts = [
        with_interval(row, sign=sign) if pd.notna(row[name]) or not sign else "" for row in rows
    ]
    return Column(name, texts, table[name].astype(float).tolist(), "interval")


def raw_rows(
    report: Result, table: pd.DataFrame, caption: str, first: Sequence[str] = (), **more: Any
) -> Table:
    """Return rows of the data: the outcome, given columns, the most important features, others.

    Classes are named by their words.
    """
    table = table.rename(columns=str)
    others = [
        name for name in map(str, table) if name not in OURS and not name.startswith("score_")
    ]
    important = report.plots.get("importance")
    ranked = [] if important is None else important["feature"].astype(str).tolist()
    wanted = [name for name in (*first, *ranked) if name in others]
    names = list(dict.fromkeys([*(name for name in OURS if name in table), *wanted, *others]))
    shown = table[names[: SLICE_COLUMNS if first else RAW_COLUMNS]]
    if not report.task.has_classes:
        shown = shown.astype(dict.fromkeys(CLASSES, float))  # in the same digits
    if report.task.has_positive:
        shown = shown.assign(**{name: shown[name].map(report.subject.short) for name in CLASSES})
    return to_table(shown, caption, terms=TERMS_OF, raw=True, **more)


def tenths(report: Result) -> Table | None:
    """Return how good the model is in tenths of the rows, in the words of the task."""
    if (table := report.table("errors/by_decile")) is None:
        return None
    words, subject = task_evaluation(report.about["task"]), report.subject
    names = {"target": subject.target, "positive": subject.short(subject.positive)}
    heads = {"decile": "tenth", "rows": subject.rows}
    heads |= {name: head.format(**names) for name, head in words.tenths.items()}
    if "error_rate" not in heads:
        table = table.drop(columns="error_rate", errors="ignore")
    caption = f"By tenth of the {words.level}"
    return to_table(table, caption, heads=heads, file="errors/by_decile.csv")


class Confusion:
    """Which class is taken for which: counts with a row per actual class, a column per predicted.

    `is_small`: there are few enough classes for a table. `worst`: the place of the class most often
    missed; None if one occurs.
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

    @property
    def pairs(self) -> Table | None:
        """The most frequent mistakes; None where there are two classes, or no mistakes."""
        names, counts = self.names, self.counts
        places = [(i, j) for i, j in zip(*np.nonzero(counts), strict=True) if i != j]
        if not places or len(names) == 2:
            return None
        places.sort(key=lambda at: (-counts[at], names[at[0]], names[at[1]]))
        top = places[:PAIRS]
        sizes = [float(counts[at]) for at in top]
        shares = [100 * self.shares[at] for at in top]
        columns = [
            Column("actual", [names[i] for i, _ in top]),
            Column("predicted", [names[j] for _, j in top]),
            Column("rows", [f"{size:,.0f}" for size in sizes], sizes),
            Column("of the actual class", [f"{share:.1f} %" for share in shares], shares),
        ]
        more = len(places) - len(top)
        return Table("Most frequent mistakes", columns, more, "plots/confusion.csv")
