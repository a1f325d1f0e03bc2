"""Forest plots: a line per row with its number, its interval and what stands behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.report.chart import round_ticks
from crivo.evaluation.report.numbers import readable, with_intervals
from crivo.evaluation.report.tables import Table, raw_rows

if TYPE_CHECKING:
    from crivo.evaluation.evaluate import Result

# An interval may reach beyond the scale, so that a few wide ones don't hide the others.
SCALED = 0.9
# Rows that are seen at once; others are opened.
SHOWN = 12
# No tick stands nearer to an end of the scale, in percent of it.
EDGE = 5
DIFFERENCE = ["difference", "difference_low", "difference_high"]
INCREASE = ["loss_increase", "loss_increase_low", "loss_increase_high"]


@dataclass(frozen=True)
class Line:
    """A row of a forest plot: texts, and where its marks stand, in percent of the scale.

    `start` and `width` are of the part of the interval that the scale shows; `cut`: at which ends
    it reaches beyond (`l`, `r`). `behind`: what the row opens onto.
    """

    name: str
    text: str
    start: float
    width: float
    point: float
    cut: str
    size: int | None = None
    own: str = ""
    word: str = ""
    behind: Table | None = None


@dataclass(frozen=True)
class Scale:
    """A part of the line of numbers, on which places are in percent."""

    low: float
    high: float

    def __call__(self, value: float) -> float:
        """Return the place of a number."""
        return 100 * (value - self.low) / (self.high - self.low)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Places of round numbers, with their texts, away from the ends where they would stick out.

        There are more of them where just one would be left.
        """
        few, many = (
            [(self(value), text) for value, text in round_ticks(self.low, self.high, most)]
            for most in (4, 8)
        )
        inside = [one for one in few if EDGE <= one[0] <= 100 - EDGE]
        return inside if len(inside) > 1 else [one for one in many if EDGE <= one[0] <= 100 - EDGE]

    def marks(self, value: float, low: float, high: float) -> tuple[float, float, float, str]:
        """Return where an interval begins, how wide it is, its number, and where it is cut."""
        at, start, end = self(value), self(low), self(high)
        if np.isnan(start) or np.isnan(end):
            start = end = at
        cut = ("l" if start < 0 else "") + ("r" if end > 100 else "")
        start, end = max(start, 0.0), min(end, 100.0)
        return start, max(end - start, 0.0), min(max(at, 0.0), 100.0), cut


@dataclass(frozen=True)
class Forest:
    """A forest plot: what its columns are, its scale and its rows.

    `unmeasured`: a name, a size and a status for each row without a number.
    """

    caption: str
    heads: tuple[str, str, str]
    scale: Scale
    lines: Sequence[Line]
    unmeasured: Sequence[tuple[str, int, str]] = ()


def slices_forest(report: Result, *kinds: str) -> Forest | None:
    """Return slices of some kinds by their difference from the other rows, the worst first."""
    table = report.places(*kinds)["table"]
    if table.empty:
        return None
    judged, metrics = (
        [name for name in table["judged_by"] if name],
        metrics_of(report.about["task"]),
    )
    metric = str(judged[0]) if judged else report.evaluation.primary
    sign = -1 if metric in metrics and metrics[metric].direction == "lower" else 1
    is_known = table["difference"].notna()
    # What is shown to be worse comes first, whatever else seems to be even worse.
    known = table[is_known]
    known = known.assign(above=known["verdict"] != "worse", size=sign * known["difference"])
    known = known.sort_values(["above", "size", "slice"])
    own = with_intervals(known, metric) if f"{metric}_low" in known else [""] * len(known)
    texts = with_intervals(known, "difference", sign=True)
    scale, behind = _symmetric(known[DIFFERENCE].to_numpy(float)), _behind(report, known)
    lines = [
        Line(
            readable(row["slice"]),
            text,
            *scale.marks(*(row[end] for end in DIFFERENCE)),
            size=row["rows"],
            own=mine,
            word=str(row["verdict"]),
            behind=behind.get(row["slice"]),
        )
        for row, mine, text in zip(known.to_dict("records"), own, texts, strict=True)
    ]
    others = table[~is_known]
    parts = map(readable, others["slice"]), others["rows"], others["status"]
    caption = "Weak segments" if kinds == ("segment",) else "Slices"
    heads = caption.lower()[:-1], metric, f"difference from the other {report.subject.rows}"
    return Forest(caption, heads, scale, lines, [*zip(*parts, strict=True)])


def _behind(report: Result, known: pd.DataFrame) -> dict[str, Table]:
    """Return the worst rows of the slices of a table by their names."""
    table = report.table("errors/by_slice")
    if table is None:
        return {}
    table = table[table.iloc[:, 0].isin(known["slice"])]
    grouped = table.iloc[:, 1:].groupby(table.iloc[:, 0].to_numpy(), sort=False)
    return {
        str(name): raw_rows(
            report,
            rows,
            f"Highest loss where {readable(str(name))}",
            [str(name).split(" = ")[0].split(" is missing")[0]],
        )
        for name, rows in grouped
    }


def importance_forest(report: Result) -> Forest | None:
    """Return features by how much the loss grows without them, the most important first."""
    if (table := report.plot("importance")) is None:
        return None
    numbers = table[INCREASE].to_numpy(float)
    texts, scale = with_intervals(table, INCREASE[0]), _from_0(numbers[:SHOWN])
    lines = [
        Line(str(name), text, *scale.marks(*ends))
        for name, text, ends in zip(table["feature"], texts, numbers, strict=True)
    ]
    return Forest("Permutation importance", ("feature", "", "increase in the loss"), scale, lines)


def _symmetric(numbers: np.ndarray) -> Scale:
    """Return a scale around 0 that has all values, and nine of ten intervals whole."""
    if not len(numbers):
        return Scale(-1.0, 1.0)
    reach = np.nanmax(np.abs(numbers), axis=1)
    size = (
        float(max(np.quantile(reach, SCALED, method="higher"), 1.1 * np.abs(numbers[:, 0]).max()))
        or 1.0
    )
    return Scale(-1.04 * size, 1.04 * size)


def _from_0(numbers: np.ndarray) -> Scale:
    """Return a scale that has 0, all values and their intervals."""
    low, high = min(0.0, float(np.nanmin(numbers))), max(0.0, float(np.nanmax(numbers)))
    more = (high - low) * 0.03 or 1.0
    return Scale(low - more, high + more)
