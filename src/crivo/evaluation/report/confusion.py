"""Which class is taken for which: a table with percentages, or a drawing of many classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from crivo.evaluation.report.contents import Report
from crivo.evaluation.report.figures import heat_map
from crivo.evaluation.report.table import Column, Table

MAX_TABLE = 12
PAIRS = 12


@dataclass(frozen=True)
class Confusion:
    """The confusion of classes.

    `heads`: the predicted classes; `rows`: an actual class each, with a text and a share from 0
    to 10 per cell; `picture`: a drawing, where there are too many classes for a table; `pairs`: the
    most frequent mistakes.
    """

    heads: list[str]
    rows: list[tuple[str, list[tuple[str, str, int]]]]
    picture: str
    pairs: Table | None
    conclusion: str


def confusion(report: Report) -> Confusion | None:
    """Return the confusion with the task's words; None where the task has none."""
    table = report.plot("confusion")
    if table is None:
        return None
    counts = table.pivot(index="actual", columns="predicted", values="rows").fillna(0).astype(int)
    labels = sorted({*counts.index, *counts.columns}, key=str)
    counts = counts.reindex(index=labels, columns=labels, fill_value=0)
    names = [class_name(report, label) for label in labels]
    counts.index = counts.columns = pd.Index(names)
    total = counts.sum(axis=1)
    rows = []
    for name, numbers in zip(names, counts.to_numpy().tolist(), strict=True):
        line = [(count, count / max(total[name], 1)) for count in numbers]
        cells = [(f"{count:,}", f"{100 * share:.1f} %", round(10 * share)) for count, share in line]
        rows.append((f"{name} ({total[name]:,})", cells))
    picture = heat_map(counts) if len(names) > MAX_TABLE else ""
    rows = [] if picture else rows
    pairs = _pairs(counts, total) if len(names) > 2 else None
    return Confusion(names, rows, picture, pairs, _conclusion(report, counts, total))


def _pairs(counts: pd.DataFrame, total: pd.Series) -> Table | None:
    """Return the most frequent mistakes."""
    mistakes = [
        (-int(count), actual, predicted, int(count) / max(int(total[actual]), 1))
        for actual, line in zip(counts.index, counts.to_numpy(), strict=True)
        for predicted, count in zip(counts.columns, line, strict=True)
        if actual != predicted and count
    ]
    if not mistakes:
        return None
    top = sorted(mistakes)[:PAIRS]
    sizes, shares = [-one[0] for one in top], [100 * one[3] for one in top]
    columns = [
        Column("actual", [str(one[1]) for one in top]),
        Column("predicted", [str(one[2]) for one in top]),
        Column("rows", [f"{size:,}" for size in sizes], [float(size) for size in sizes]),
        Column("of the actual class", [f"{share:.1f} %" for share in shares], shares),
    ]
    more, file = len(mistakes) - len(top), "plots/confusion.csv"
    return Table("Most frequent mistakes", columns, more, file)


def _conclusion(report: Report, counts: pd.DataFrame, total: pd.Series) -> str:
    if report.task == "binary" and len(counts) == 2 and report.subject.positive is not None:
        positive = class_name(report, report.subject.positive)
        names, rows = list(map(str, counts.index)), report.subject.rows
        place = names.index(positive)
        other = names[1 - place]
        numbers = counts.to_numpy()
        hits, missed = int(numbers[place, place]), int(numbers[place, 1 - place])
        alarms = int(numbers[1 - place, place])
        return (
            f"{hits:,} {rows} that were {positive} are flagged, {missed:,} are missed, and "
            f"{alarms:,} are flagged although they were {other}."
        )
    if (total > 0).sum() < 2:
        return ""
    right = counts.to_numpy().diagonal() / total.clip(lower=1).to_numpy()
    seen = np.flatnonzero(total.to_numpy())
    worst = seen[right[seen].argmin()]
    share = f"{100 * right[worst]:.0f} % of it is right"
    return f"The class most often missed is {list(map(str, counts.index))[worst]}: {share}."


def class_name(report: Report, label: Any) -> str:
    """Return what a class is called: in the task's words, or by its name where several are."""
    if report.task == "binary" and report.subject.positive is not None:
        return report.subject.short(label)
    return "positive" if label is None else str(label)
