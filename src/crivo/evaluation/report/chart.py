"""Draws a report's charts without a plotting library: axes, marks, places; `chart.j2` writes SVG.

Importing a plotting library takes longer than all that a stage computes for a small table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from crivo.evaluation.report.numbers import MAX_DIGITS, number

BLUE, ORANGE, GREY = "#2f7ed8", "#d9741a", "#8a8f98"

WIDTH, HEIGHT = 302.0, 230.0
# A letter's width is that of most.
FONT, LETTER = 10.0, 5.5
GAP, TICK = 4.0, 3.5
MARGIN, TICKS, LONG = 0.05, 6, 1e5
ROUND_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)

Range = tuple[float, float]
Numbers = Sequence[float] | np.ndarray | pd.Series


class Mark(NamedTuple):
    """Something drawn: what it is, its points in the data's units, and its attributes.

    `line` joins its points, `area` fills between them, `boxes` has two corners each, and `dots`
    stand at points. `points`: shape (n, 2).
    """

    kind: str
    points: np.ndarray
    style: dict[str, str]


def line(xs: Numbers, ys: Numbers, color: str = BLUE, kind: str = "") -> Mark:
    """Join points, in their order; a reader can ask the values of a `series`, or it is `dotted`."""
    style = {"stroke": color, "fill": "none"}
    if kind == "dotted":
        style |= {"stroke-dasharray": "2 2", "stroke-width": "1.2"}
    return Mark("line", _finite(xs, ys), style | ({"class": kind} if kind == "series" else {}))


def area(xs: Numbers, lows: Numbers, highs: Numbers) -> Mark:
    """Fill the band between two lines where both are known."""
    rows = _finite(xs, lows, highs)
    points = np.concatenate([rows[:, [0, 2]], rows[::-1, [0, 1]]])
    return Mark("area", points, {"fill": BLUE, "fill-opacity": "0.16"})


def boxes(xs: Numbers, ys: Numbers, us: Numbers, vs: Numbers, color: str) -> Mark:
    """Fill boxes, each from (x, y) to (u, v)."""
    return Mark("boxes", _finite(xs, ys, us, vs).reshape(-1, 2), {"fill": color})


def dots(xs: Numbers, ys: Numbers, color: str = BLUE, radius: float = 2.0) -> Mark:
    """Put a dot at each point: a line of no length with round ends, so that it is one element."""
    style = {"stroke": color, "stroke-width": f"{2 * radius:g}", "stroke-linecap": "round"}
    return Mark("dots", _finite(xs, ys), style)


def series(table: pd.DataFrame, x: str, y: str) -> tuple[list[Mark], list[tuple[str, str]]]:
    """Return a curve of the model with its band, and their keys."""
    marks, keys = [line(table[x], table[y], kind="series")], [("line", "the model")]
    low, high = f"{y}_low", f"{y}_high"
    if low in table:
        marks.insert(0, area(table[x], table[low], table[high]))
        keys += [("band", "95 % interval")] if table[low].notna().any() else []
    return marks, keys


def _finite(*columns: Numbers) -> np.ndarray:
    """Return the rows in which all numbers are known."""
    rows = np.column_stack([np.asarray(column, dtype=float) for column in columns])
    return rows[np.isfinite(rows).all(axis=1)]


@dataclass(frozen=True)
class Axis:
    """What stands along one side: its label, and ticks at round numbers.

    `limits`: the range shown, if it isn't that of the data with a margin.
    """

    label: str
    limits: Range | None = None

    def range(self, values: np.ndarray) -> Range:
        """Return the first and last value that fit on the axis."""
        if self.limits is not None:
            return self.limits
        low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
        more = (high - low) * MARGIN or abs(high) * MARGIN or 0.5
        return low - more, high + more


def round_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Return at most so many round numbers in a range, with their texts.

    >>> round_ticks(-0.02, 1.05, 6)
    [(0.0, '0.0'), (0.2, '0.2'), (0.4, '0.4'), (0.6, '0.6'), (0.8, '0.8'), (1.0, '1.0')]
    """
    least = (high - low) / most
    power = 10.0 ** math.floor(math.log10(least))
    step = next(s * power for s in ROUND_STEPS if s * power >= least * 0.9999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = [round(i * step, 12 - math.floor(math.log10(step))) for i in range(first, last + 1)]
    known = range(8) if 1e-5 <= step < 1e8 else ()
    digits = next((d for d in known if math.isclose(round(step, d), step)), MAX_DIGITS + 1)
    return [(value, number(value, digits)) for value in values]


class Chart:
    """Axes with marks on them, in a picture of a `size`.

    `names`, `points`: for the pointer, a table with a row for each point of the series.
    """

    FONT, GAP, TICK = FONT, GAP, TICK

    def __init__(
        self,
        x: Axis,
        y: Axis,
        marks: Iterable[Mark],
        names: Sequence[str] = (),
        points: pd.DataFrame | None = None,
        *,
        size: tuple[float, float] = (WIDTH, HEIGHT),
        square: bool = False,
    ) -> None:
        self.x_axis, self.y_axis, (self.right, self.bottom) = x, y, size
        self.names, self.points = names, [] if points is None else points.to_numpy().tolist()
        self.marks = [mark for mark in marks if len(mark.points)]
        places = np.concatenate([np.empty((0, 2)), *(mark.points for mark in self.marks)])
        self.across, self.up = x.range(places[:, 0]), y.range(places[:, 1])
        few = TICKS // 2 if max(map(abs, self.across)) > LONG else TICKS  # texts would touch
        self.x_ticks, self.y_ticks = round_ticks(*self.across, few), round_ticks(*self.up, TICKS)
        self.left = LETTER * max((len(text) for _, text in self.y_ticks), default=0)
        self.left += FONT + TICK + 3 * GAP
        below = 2 * FONT + TICK + 3 * GAP
        self.top, self.beside = 2 * GAP, FONT
        # Half of the last tick's text stands beyond the axis.
        after = max(2 * GAP, LETTER * max((len(text) for _, text in self.x_ticks), default=0) / 2)
        self.width, self.height = self.right - self.left - after, self.bottom - below - 2 * GAP
        self.middle = min(self.left + self.width / 2, self.right - LETTER * len(x.label) / 2)
        if square:
            side = min(self.width, self.height)
            more, self.width, self.height = (self.width - side) / 2, side, side
            self.left, self.beside = self.left + more, self.beside + more

    def at(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Return where points of the data stand in the picture."""
        (left, right), (low, high) = self.across, self.up
        return (
            self.left + (x - left) / (right - left) * self.width,
            self.top + (high - y) / (high - low) * self.height,
        )

    def path(self, mark: Mark) -> str:
        """Return the outline of a mark."""
        places = [*zip(*(at.tolist() for at in self.at(*mark.points.T)), strict=True)]
        match mark.kind:
            case "line" | "area":
                joined = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
                return f"M{joined}{'Z' if mark.kind == 'area' else ''}"
            case "boxes":
                ends = zip(places[::2], places[1::2], strict=True)
                box = "M{0:.1f} {1:.1f}H{2:.1f}V{3:.1f}H{0:.1f}Z"
                return "".join(box.format(*one, *other) for one, other in ends)
        return "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
