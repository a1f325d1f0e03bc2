"""Forest plots: a line per row with its number, its interval and what stands behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from crivo.evaluation.report.chart import round_ticks
from crivo.evaluation.report.numbers import with_intervals
from crivo.evaluation.report.table import Table

# How a verdict is marked.
MARKS = {"better": "good", "worse": "bad"}
# An interval may reach beyond the scale, so that a few wide ones don't hide the others.
SCALED = 0.9
SHOWN = 12
ENDS = ["difference", "difference_low", "difference_high"]


@dataclass(frozen=True)
class Line:
    """A row of a forest plot: texts, and where its marks stand, in percent of the scale.

    `low` and `high` end at the scale's ends; `cut`: which of them reach beyond (`l`, `r`).
    """

    name: str
    text: str
    low: str
    width: str
    point: str
    cut: str
    size: str = ""
    own: str = ""
    word: str = ""
    mark: str = ""
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
    is_known = table["difference"].notna()
    known, others = _worst_first(table[is_known], lower_is_better), table[~is_known]
    place = _scale(known[ENDS], symmetric=True)
    own = with_intervals(known, metric) if f"{metric}_low" in known else [""] * len(known)
    texts = with_intervals(known, "difference", sign=True)
    lines = [
        Line(
            str(row["slice"]),
            text,
            *_marks(place, *(row[end] for end in ENDS)),
            size=f"{row['rows']:,} {rows}",
            own=mine,
            word=str(row["verdict"]),
            mark=MARKS.get(row["verdict"], ""),
            behind=behind(str(row["slice"])),
        )
        for row, mine, text in zip(known.to_dict("records"), own, texts, strict=True)
    ]
    unmeasured = [
        (str(name), f"{size:,} {rows}{f', {status}' if status != 'judged' else ''}")
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
    if names[1] not in table:
        table = table.assign(**dict.fromkeys(names[1:], np.nan))
    place = _scale(table[names].head(most), symmetric=False)
    texts = with_intervals(table, names[0])
    lines = [
        Line(str(name), text, *_marks(place, *ends))
        for name, text, ends in zip(
            table["feature"], texts, table[names].to_numpy(float), strict=True
        )
    ]
    heads = ("feature", "", "increase in the loss")
    return Forest(caption, heads, _ticks(place), _percent(place(0.0)), lines[:most], lines[most:])


def _marks(place: _Scale, value: float, low: float, high: float) -> tuple[str, str, str, str]:
    """Return where an interval begins, how wide it is, its number, and where it is cut."""
    at, start, end = place(value), place(low), place(high)
    if np.isnan(start) or np.isnan(end):
        start = end = at
    cut = ("l" if start < 0 else "") + ("r" if end > 100 else "")
    start, end = max(start, 0.0), min(end, 100.0)
    point = min(max(at, 0.0), 100.0)
    return _percent(start), _percent(max(end - start, 0.0)), _percent(point), cut


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
