"""Forest plots: a line per row with its number, its interval and a table that it opens."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.report.chart import round_ticks
from crivo.evaluation.report.numbers import with_intervals
from crivo.evaluation.report.tables import SLICE_COLUMNS, Table, raw_rows

if TYPE_CHECKING:
    from crivo.evaluation.evaluate import Result
    from crivo.evaluation.slices import Slice

# A slice's interval may reach beyond the scale, so that a few wide ones don't hide the others.
SCALED = 0.9
# A segment inside another one repeats it if it has this share of its rows.
NEARLY_ALL = 0.9
# Rows that are seen at once; others are opened.
SHOWN = 12
# No tick is closer to an end of the scale, in percent of it.
EDGE = 5


class Scale(NamedTuple):
    """A part of the number line, on which positions are in percent."""

    low: float
    high: float

    @classmethod
    def of(cls, numbers: np.ndarray, share: float) -> Scale:
        """Return a scale that contains 0, all values, and a share of the whole intervals.

        `numbers`: a row for each value and the ends of its interval.
        """
        known = np.vstack([np.zeros(3), numbers])
        known = np.where(np.isnan(known), known[:, :1], known)
        low = min(known[:, 0].min(), np.quantile(known[:, 1], 1 - share, method="lower"))
        high = max(known[:, 0].max(), np.quantile(known[:, 2], share, method="higher"))
        more = 0.03 * float(high - low) or 1.0
        return cls(float(low) - more, float(high) + more)

    def __call__(self, value: float) -> float:
        """Return the position of a number."""
        return 100 * (value - self.low) / (self.high - self.low)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Positions of round numbers with their texts, away from the ends, where they don't fit.

        There are more of them if only one would be left.
        """
        for most in (4, 8):
            ticks = [(self(value), text) for value, text in round_ticks(self.low, self.high, most)]
            ticks = [one for one in ticks if EDGE <= one[0] <= 100 - EDGE]
            if len(ticks) > 1:
                break
        return ticks


class Forest(NamedTuple):
    """A forest plot: its scale, its lines, the rows without a number, and the slices' metric.

    A line has a `name`, the three `numbers` of an interval and their `text`. The line of a slice
    also has its `rows`, its `own` value of the `metric`, and the verdict.
    """

    scale: Scale
    lines: list[dict[Any, Any]]
    others: list[dict[Any, Any]]
    metric: str

    @property
    def size(self) -> int:
        """The number of rows, with a number or without."""
        return len(self.lines) + len(self.others)

    @property
    def worse(self) -> list[str]:
        """The slices that are shown to be worse than the other rows, the worst first."""
        return [line["slice"] for line in self.lines if line["verdict"] == "worse"]


def repeated(segments: Sequence[Slice]) -> list[str]:
    """Return the names of segments that consist of nearly all rows of a wider one before them."""
    return [
        one.name
        for wider, one in combinations(segments, 2)
        if not (one.inside & ~wider.inside).any()
        and one.inside.sum() >= NEARLY_ALL * wider.inside.sum()
    ]


def slices_forest(report: Result, kind: str) -> Forest:
    """Return slices of a kind by their difference from the other rows, the worst first."""
    table = report.tables["slices"]
    is_repeated = (table["kind"] == "segment") & table["slice"].isin(repeated(report.segments[0]))
    table = table[(table["kind"] == kind) & ~is_repeated]
    judged, metrics = [*filter(None, table["judged_by"])], metrics_of(report.about["task"])
    metric = str(judged[0]) if judged else report.evaluation.primary
    sign = -1 if metric in metrics and metrics[metric].direction == "lower" else 1
    is_known = table["difference"].notna()
    # Slices that are shown to be worse come first, even if others seem to be worse still.
    known = table[is_known]
    known = known.assign(above=known["verdict"] != "worse", size=sign * known["difference"])
    known = known.sort_values(["above", "size", "slice"])
    own = with_intervals(known, metric) if f"{metric}_low" in known else ""
    shown = known[["slice", "rows", "verdict"]].assign(own=own, name=known["slice"])
    others = table[~is_known].to_dict("records")
    return _forest(shown, known, "difference", others, metric, sign=True)


def importance_forest(report: Result) -> Forest | None:
    """Return features by the increase in the loss without them, the most important first."""
    if (table := report.table("importance")) is None:
        return None
    return _forest(table[["feature"]].set_axis(["name"], axis="columns"), table, "loss_increase")


def _forest(
    shown: pd.DataFrame,
    table: pd.DataFrame,
    column: str,
    others: list[dict[Any, Any]] | None = None,
    metric: str = "",
    *,
    sign: bool = False,
) -> Forest:
    """Return what is shown of a table's rows with the numbers of their intervals."""
    numbers: Any = table[[column, f"{column}_low", f"{column}_high"]].to_numpy(float)
    texts = with_intervals(table, column, sign=sign)
    lines = shown.assign(numbers=numbers.tolist(), text=texts).to_dict("records")
    # The most important feature often has by far the widest interval.
    scale = Scale.of(numbers, SCALED if metric else 1.0)
    return Forest(scale, lines, others or [], metric)


def worst_of_slices(report: Result) -> dict[Any, Table]:
    """Return by slice or segment its rows with the highest loss."""
    if (table := report.table("errors/by_slice")) is None:
        return {}
    made = raw_rows(report, table.iloc[:, 1:], "", columns=SLICE_COLUMNS, rows=len(table))
    return {
        name: made.part([*places], f"Highest loss where {name}")
        for name, places in table.groupby(table.iloc[:, 0].to_numpy()).indices.items()
    }
