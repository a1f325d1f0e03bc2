"""Forest plots: a line per row with its number, its interval and what stands behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from crivo.evaluation.report.chart import round_ticks
from crivo.evaluation.report.numbers import common_digits, interval, number, signed
from crivo.evaluation.report.table import Table

# How a verdict is marked.
MARKS = {"better": "good", "worse": "bad"}
# An interval may reach beyond the scale, so that a few wide ones don't hide the others.
SCALED = 0.9
SHOWN = 12


@dataclass(frozen=True)
class Line:
    """A row of a forest plot: texts, and where its marks stand, in percent of the scale.

    `low` and `high` end at the scale's ends; `cut`: which of them reach beyond (`l`, `r`).
    """

    name: str
    size: str
    own: str
    text: str
    word: str
    mark: str
    low: str
    width: str
    point: str
    cut: str
    behind: Table | None = None


@dataclass(frozen=True)
class Forest:
    """A forest plot: what its columns are, its scale and its rows.

    `further`: rows that are opened on demand; `unmeasured`: a name and a reason for each row
    without a number.
    """

    caption: str
    heads: tuple[str, str, str]
    ticks: Sequence[tuple[str, str]]
    zero: str
    lines: Sequence[Line]
    further: Sequence[Line] = ()
    unmeasured: Sequence[tuple[str, str]] = ()


def slices_forest(
    table: pd.DataFrame,
    metric: str,
    lower_is_better: bool,
    caption: str,
    rows: str,
    behind: Callable[[str], Table | None],
    most: int = SHOWN,
) -> Forest | None:
    """Return slices by their difference from the other rows, the worst first.

    `behind`: what a slice's row opens onto. None where there are no slices.
    """
    if table.empty:
        return None
    of_metric = (name for name in (metric, f"{metric}_low", f"{metric}_high") if name in table)
    table = table[["slice", "rows", "status", "verdict", *_ENDS, *of_metric]]
    is_known = table["difference"].notna()
    known, others = _worst_first(table[is_known], lower_is_better), table[~is_known]
    own, digits = _own(known, metric), _digits(known)
    ends = known[_ENDS]
    place = _scale(ends, symmetric=True)
    lines = [
        _line(
            str(name), f"{size:,} {rows}", mine, values, str(verdict), place, digits,
            behind(str(name)), sign=True,
        )
        for name, size, verdict, mine, values in zip(
            known["slice"], known["rows"], known["verdict"], own,
            ends.itertuples(index=False, name=None), strict=True,
        )
    ]  # fmt: skip
    unmeasured = [
        (str(name), f"{size:,} {rows}, {status}" if status != "judged" else f"{size:,} {rows}")
        for name, size, status in zip(
            others["slice"], others["rows"], others["status"], strict=True
        )
    ]
    return Forest(
        caption,
        (caption.lower().removesuffix("s"), metric, f"difference from the other {rows}"),
        _ticks(place),
        _percent(place(0.0)),
        lines[:most],
        lines[most:],
        unmeasured,
    )


def _worst_first(slices: pd.DataFrame, lower_is_better: bool) -> pd.DataFrame:
    # What is shown to be worse comes first, whatever else seems to be even worse.
    size = slices["difference"] * (-1 if lower_is_better else 1)
    keys = list(zip(slices["verdict"] != "worse", size, slices["slice"], strict=True))
    return slices.iloc[sorted(range(len(keys)), key=keys.__getitem__)]


def importances_forest(table: pd.DataFrame, caption: str, most: int = SHOWN) -> Forest:
    """Return features by how much the loss grows without them, the most important first."""
    names = ["loss_increase", "loss_increase_low", "loss_increase_high"]
    bare = "loss_increase_low" not in table
    ends = table.assign(**dict.fromkeys(names[1:], np.nan))[names] if bare else table[names]
    place = _scale(ends.head(most), symmetric=False)
    digits = _digits(ends.set_axis(_ENDS, axis=1))
    lines = [
        _line(str(name), "", "", values, "", place, digits, None, sign=False)
        for name, values in zip(
            table["feature"], ends.itertuples(index=False, name=None), strict=True
        )
    ]
    heads = ("feature", "", "increase in the loss")
    return Forest(caption, heads, _ticks(place), _percent(place(0.0)), lines[:most], lines[most:])


_ENDS = ["difference", "difference_low", "difference_high"]


def _digits(table: pd.DataFrame) -> int | None:
    pairs = table[_ENDS[1:]].astype(float).itertuples(index=False, name=None)
    return common_digits(pairs)


def _own(table: pd.DataFrame, metric: str) -> list[str]:
    """Return each slice's own value of the metric with its interval."""
    names = [metric, f"{metric}_low", f"{metric}_high"]
    if not set(names) <= set(table.columns):
        return [""] * len(table)
    rows = list(table[names].astype(float).itertuples(index=False, name=None))
    digits = common_digits((low, high) for _, low, high in rows)
    return [
        f"{number(value, digits)} {interval({'low': low, 'high': high}, digits)}".strip()
        for value, low, high in rows
    ]


def _line(
    name: str,
    size: str,
    own: str,
    values: tuple[float, float, float],
    verdict: str,
    place: _Scale,
    digits: int | None,
    behind: Table | None,
    *,
    sign: bool,
) -> Line:
    value, low, high = (float(each) for each in values)
    at, start, end = place(value), place(low), place(high)
    text = f"{(signed if sign else number)(value, digits)} "
    text += interval({"low": low, "high": high}, digits)
    if np.isnan(start) or np.isnan(end):
        start = end = at
    cut = ("l" if start < 0 else "") + ("r" if end > 100 else "")
    start, end = max(start, 0.0), min(end, 100.0)
    return Line(
        name, size, own, text.strip(), verdict, MARKS.get(verdict, ""),
        _percent(start), _percent(max(end - start, 0.0)), _percent(min(max(at, 0.0), 100.0)),
        cut, behind,
    )  # fmt: skip


@dataclass(frozen=True)
class _Scale:
    """Turns a number into percent of a scale."""

    low: float
    high: float

    def __call__(self, value: float) -> float:
        return 100 * (value - self.low) / (self.high - self.low)


def _scale(ends: pd.DataFrame, *, symmetric: bool) -> _Scale:
    """Return a scale that has 0 and all values; a symmetric one has nine of ten intervals whole."""
    numbers = ends.to_numpy(float)
    if not len(numbers):
        return _Scale(-1.0, 1.0)
    values, lows, highs = numbers[:, 0], numbers[:, 1], numbers[:, 2]
    if symmetric:
        reach = np.nanmax(np.abs(numbers), axis=1)
        size = float(max(np.quantile(reach, SCALED), 1.1 * np.abs(values).max())) or 1.0
        return _Scale(-1.04 * size, 1.04 * size)
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    if not np.isnan(lows).all():
        low, high = min(low, float(np.nanmin(lows))), max(high, float(np.nanmax(highs)))
    more = (high - low) * 0.03 or 1.0
    return _Scale(low - more, high + more)


def _ticks(place: _Scale) -> list[tuple[str, str]]:
    return [(_percent(place(value)), text) for value, text in round_ticks(place.low, place.high, 4)]


def _percent(value: float) -> str:
    return f"{value:.1f}"
