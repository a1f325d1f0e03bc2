"""The parts of the report's figures: a curve with its band, and a drawing with values.

The figures and their captions are in `figures.j2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from crivo.evaluation.report.chart import Axis, Chart, Mark, area, line
from crivo.evaluation.report.numbers import brief

# The shape of a mark, and its meaning.
Key = tuple[str, str]


class Plot(NamedTuple):
    """A drawing, and texts for the pointer: names, and a row of values for each of its points."""

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
    """Return a drawing whose points show the values of a table's rows, under other names."""
    rows = [] if points is None else points.itertuples(index=False, name=None)
    texts = [[one if isinstance(one, str) else brief(one) for one in row] for row in rows]
    return Plot(Chart(x, y, marks, **how), names, texts)


def series(table: pd.DataFrame, x: str, y: str) -> tuple[list[Mark], list[Key]]:
    """Return a curve of the model with its band, and their keys."""
    marks, keys = [line(table[x], table[y], kind="series")], [("line", "the model")]
    low, high = f"{y}_low", f"{y}_high"
    if low in table:
        marks.insert(0, area(table[x], table[low], table[high]))
        keys += [("band", "95 % interval")] if table[low].notna().any() else []
    return marks, keys
