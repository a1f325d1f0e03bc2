"""The tables and forest plots of a report; what is said of them stands in the templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.report.contents import Report
from crivo.evaluation.report.figures import heat_map
from crivo.evaluation.report.forest import Forest, importances_forest, slices_forest
from crivo.evaluation.report.numbers import (
    cell,
    common_digits,
    digits_of,
    number,
    with_interval,
)
from crivo.evaluation.report.table import ROWS, Column, Table, raw_column, to_table

# Columns of raw rows that fit beside each other, and beside a slice.
RAW_COLUMNS, SLICE_COLUMNS = 11, 10
# Where a metric was described first: of no use to a reader of the report.
SOURCE = re.compile(r" \([^()]*\d{4}[a-z]?\)")
CLASSES = ("target", "prediction")
OURS = ("id", *CLASSES, "score", "loss")
TERMS_OF = {"score": "score", "loss": "loss"}
# Classes of a confusion that is a table, and the most frequent mistakes that are listed.
MAX_TABLE, PAIRS = 12, 12
VALUE_OF = {
    "model": "the model",
    "model_at_threshold": "the model at the threshold",
    "act_on_all": "flagging all rows",
    "act_on_none": "flagging no row",
    "baseline": "the baseline",
    "difference": "the model minus the baseline",
}


def metrics_table(report: Report) -> Table:
    """Return each metric with its interval, beside the baseline where there is one."""
    evaluation, known = report.evaluation, metrics_of(report.about["task"])
    own, names = evaluation.metrics, [str(name) for name in evaluation.metrics.index]
    notes = [SOURCE.sub("", known[name].description) if name in known else "" for name in names]
    columns = [Column("metric", names, notes=notes), _with_interval("value", own)]
    if len(evaluation.baseline):
        beside = evaluation.baseline["value"].reindex(own.index).astype(float).tolist()
        digits = [digits_of(low, high) for low, high in zip(own["low"], own["high"], strict=True)]
        texts = [
            "" if pd.isna(value) else number(value, each)
            for value, each in zip(beside, digits, strict=True)
        ]
        head = f"baseline, {report.subject.baseline}" if report.subject.baseline else "baseline"
        columns.append(Column(head, texts, beside, "baseline"))
    if len(evaluation.against_baseline):
        versus = evaluation.against_baseline.reindex(own.index)
        columns.append(_with_interval("difference", versus, sign=True))
        words = [cell(word) for word in versus["verdict"]]
        columns.append(Column("verdict", words, term="verdict"))
    caption = "Each metric with its interval, the baseline's value, and the difference"
    return Table(caption, columns, file="intervals.csv")


def _with_interval(name: str, table: pd.DataFrame, *, sign: bool = False) -> Column:
    """Return a column of numbers with their intervals, each with the digits that it bears."""
    rows = [row | {"value": row[name]} for row in table.to_dict("records")]
    texts = [
        "" if sign and pd.isna(row["value"]) else with_interval(row, sign=sign) for row in rows
    ]
    return Column(name, texts, table[name].astype(float).tolist(), "interval")


def findings_table(report: Report) -> Table | None:
    """Return all findings; None where there are none or no checks were made."""
    found = report.found
    if found is None or found.empty:
        return None
    return to_table(found, "Findings of the checks", most=len(found), terms={"code": "finding"})


def value_table(report: Report) -> Table | None:
    """Return what acting is worth; None where nothing is."""
    if (value := report.table("value")) is None:
        return None
    rows, currency = report.subject.rows, report.subject.currency
    known = value.rename(columns={"low": "value_per_1000_low", "high": "value_per_1000_high"})
    known = known.drop(columns="se", errors="ignore")[~_same_as_model(value)]
    known["of"] = [VALUE_OF.get(str(of), str(of)) for of in known["of"]]
    heads = {
        "of": "decisions by",
        "acted_per_1000": f"flagged of 1,000 {rows}",
        "value_per_1000": f"value per 1,000 {rows}{', ' + currency if currency else ''}",
    }
    return to_table(known, "Value", heads=heads, terms={"of": "threshold"}, file="value.csv")


def values(report: Report) -> dict[str, str]:
    """Return what each decision is worth, written as in the table."""
    value = report.tables["value"]
    value = value[~_same_as_model(value)]
    digits = common_digits(zip(value["low"], value["high"], strict=True))
    return {
        one["of"]: report.subject.money(
            {"value": one["value_per_1000"], "low": one["low"], "high": one["high"]},
            digits=digits,
            ends=one["of"] != "act_on_all",
        )
        for one in value.to_dict("records")
        if not pd.isna(one["value_per_1000"])
    }


def _same_as_model(value: pd.DataFrame) -> pd.Series:
    """Return which line is the threshold's, if it flags what the model's line flags already."""
    acted = value.set_index("of")["acted_per_1000"]
    near = abs(acted.get("model_at_threshold", 0.0) - acted.get("model", 0.0)) < 1
    return (value["of"] == "model_at_threshold") & near


def worst_rows(report: Report) -> Table | None:
    """Return the rows that are predicted worst: the outcome, then the columns that matter most."""
    if (table := report.table("errors/worst")) is None:
        return None
    columns = _raw_columns(report, table.head(ROWS), [], RAW_COLUMNS)
    return Table("Worst rows", columns, max(len(table) - ROWS, 0), "errors/worst.csv")


def tenths(report: Report) -> Table | None:
    """Return how good the model is in tenths of the rows, in the words of the task."""
    if (table := report.table("errors/by_decile")) is None:
        return None
    words = report.task_words
    names = {"rows": report.subject.rows, "target": report.subject.target}
    names["positive"] = report.subject.short(report.subject.positive)
    heads = {"decile": "tenth", "rows": report.subject.rows}
    heads |= {name: head.format(**names) for name, head in words.tenths.items()}
    if "error_rate" not in heads:
        table = table.drop(columns="error_rate", errors="ignore")
    caption = f"By tenth of the {words.level}"
    return to_table(table, caption, heads=heads, file="errors/by_decile.csv")


def refit_table(report: Report) -> Table | None:
    """Return the refitted model beside the trial's; None where none was refitted."""
    table = report.plot("refit")
    return None if table is None else to_table(table, "The refitted model beside the trial's")


def importance_forest(report: Report) -> Forest | None:
    """Return which features are important."""
    table = report.plot("importance")
    return None if table is None else importances_forest(table, "Permutation importance")


def slice_forests(report: Report) -> tuple[Forest | None, Forest | None]:
    """Return the forest plots of slices and of weak segments."""
    behind, known = _behind(report), metrics_of(report.about["task"])

    def forest(table: pd.DataFrame, caption: str) -> Forest | None:
        if table.empty:
            return None
        judged = [str(name) for name in table["judged_by"].dropna() if name]
        name = judged[0] if judged else report.evaluation.primary
        lower = name in known and known[name].direction == "lower"
        return slices_forest(table, name, lower, caption, report.subject.rows, behind)

    return forest(report.slices, "Slices"), forest(report.segments, "Weak segments")


def _behind(report: Report) -> Callable[[str], Table | None]:
    """Return what gives the worst rows of a slice by its name."""
    table = report.table("errors/by_slice")
    if table is None:
        return lambda name: None
    grouped = table.iloc[:, 1:].groupby(table.iloc[:, 0].to_numpy(), sort=False)
    parts = {str(name): rows for name, rows in grouped}

    def behind(name: str) -> Table | None:
        if name not in parts:
            return None
        column = name.split(" = ")[0].split(" is missing")[0]
        columns = _raw_columns(report, parts[name], [column], SLICE_COLUMNS)
        return Table(f"Highest loss where {name}", columns)

    return behind


def _raw_columns(
    report: Report, table: pd.DataFrame, first: Sequence[str], most: int
) -> list[Column]:
    """Return the outcome's columns, then given ones, the most important features, and others."""
    there = [str(name) for name in table.columns]
    ours = [name for name in OURS if name in there]
    others = [name for name in there if name not in OURS and not name.startswith("score_")]
    important = report.plots.get("importance")
    ranked = [] if important is None else important["feature"].tolist()
    wanted = [str(name) for name in (*first, *ranked) if str(name) in others]
    names = list(dict.fromkeys([*ours, *wanted, *others]))
    return [_raw_column(report, table[name]) for name in names[:most]]


def _raw_column(report: Report, values: pd.Series) -> Column:
    """Return a column's values; classes are named by their words."""
    name = str(values.name)
    if report.task.has_positive and name in CLASSES:
        return raw_column(name, [report.subject.short(label) for label in values], False)
    numeric = is_numeric_dtype(values.dtype) and not is_bool_dtype(values.dtype)
    return raw_column(name, values.tolist(), numeric, TERMS_OF.get(name, ""))


class Confusion:
    """Which class is taken for which: counts with a row per actual class, a column per predicted.

    A table with percentages, or a drawing where there are many classes.
    """

    def __init__(self, report: Report, table: pd.DataFrame) -> None:
        counts = table.pivot(index="actual", columns="predicted", values="rows").fillna(0)
        labels = sorted({*counts.index, *counts.columns}, key=str)
        counts = counts.reindex(index=labels, columns=labels, fill_value=0).astype(int)
        self.names = [report.subject.short(label) for label in labels]
        self.counts = counts.to_numpy()
        self.total = self.counts.sum(axis=1)
        self.shares = self.counts / np.maximum(self.total, 1)[:, None]
        self.picture = heat_map(self.shares, self.names) if len(labels) > MAX_TABLE else ""

    @property
    def worst(self) -> tuple[str, float] | None:
        """The class most often missed, and the share of it that is right; None if one occurs."""
        seen = np.flatnonzero(self.total)
        if len(seen) < 2:
            return None
        place = seen[self.shares.diagonal()[seen].argmin()]
        return self.names[place], float(self.shares[place, place])

    @property
    def pairs(self) -> Table | None:
        """The most frequent mistakes; None where there are two classes, or no mistakes."""
        mistakes = sorted(
            (-int(self.counts[i, j]), self.names[i], self.names[j], 100 * float(self.shares[i, j]))
            for i, j in zip(*np.nonzero(self.counts), strict=True)
            if i != j
        )
        if not mistakes or len(self.names) == 2:
            return None
        top = mistakes[:PAIRS]
        sizes, shares = [-one[0] for one in top], [one[3] for one in top]
        columns = [
            Column("actual", [one[1] for one in top]),
            Column("predicted", [one[2] for one in top]),
            Column("rows", [f"{size:,}" for size in sizes], [float(size) for size in sizes]),
            Column("of the actual class", [f"{share:.1f} %" for share in shares], shares),
        ]
        more, file = len(mistakes) - len(top), "plots/confusion.csv"
        return Table("Most frequent mistakes", columns, more, file)


def confusion(report: Report) -> Confusion | None:
    """Return the confusion with the task's words; None where the task has none."""
    table = report.plot("confusion")
    return None if table is None else Confusion(report, table)
