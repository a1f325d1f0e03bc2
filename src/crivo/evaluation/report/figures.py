"""What the figures of the report are made of: a curve with its band, and a drawing with values.

`figures.j2` says of each one what it draws and what it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from crivo.evaluation.report.chart import Axis, Chart, Mark, area, line
from crivo.evaluation.report.numbers import brief

# What a mark looks like, and what it means.
Key = tuple[str, str]


class Plot(NamedTuple):
    """A drawing, and what the pointer shows: names, and a row of texts for each of its points."""

    chart: Chart
    names: Sequence[str]
    points: Sequence[Sequence[str]]


def plot(
    x: Axis,
    y: Axis,
    marks: Sequence[Mark],
    names: Sequence[str] = (),
    points: pd.DataFrame | None = None,
    **how: Any,
) -> Plot:
    """Return a drawing whose points have the values of a table's rows, under other names."""
    rows = [] if points is None else points.itertuples(index=False, name=None)
    texts = [[one if isinstance(one, str) else brief(one) for one in row] for row in rows]
    return Plot(Chart(x, y, marks, **how), names, texts)


def series(table: pd.DataFrame, x: str, y: str) -> tuple[list[Mark], list[Key]]:
    """Return a curve of the model with its band, and what they mean."""
    marks, keys = [line(table[x], table[y], kind="series")], [("line", "the model")]
    low, high = f"{y}_low", f"{y}_high"
    if low in table:
        marks.insert(0, area(table[x], table[low], table[high]))
        keys += [("band", "95 % interval")] if table[low].notna().any() else []
    return marks, keys
