"""Forest plots: a line per row with its number, its interval and a table that it opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

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
# No tick is closer to an end of the scale, in percent of it.
EDGE = 5


class Scale(NamedTuple):
    """A part of the number line, on which positions are in percent."""

    low: float
    high: float

    def __call__(self, value: float) -> float:
        """Return the position of a number."""
        return 100 * (value - self.low) / (self.high - self.low)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Positions of round numbers with their texts, away from the ends, where they wouldn't fit.

        There are more of them if only one would be left.
        """
        few, many = (
            [(self(value), text) for value, text in round_ticks(self.low, self.high, most)]
            for most in (4, 8)
        )
        inside = [one for one in few if EDGE <= one[0] <= 100 - EDGE]
        return inside if len(inside) > 1 else [one for one in many if EDGE <= one[0] <= 100 - EDGE]

    def marks(self, value: float, low: float, high: float) -> tuple[float, float, float, str]:
        """Return where an interval begins, its width, its number, and where it is cut."""
        at, start, end = self(value), self(low), self(high)
        if np.isnan(start) or np.isnan(end):
            start = end = at
        cut = ("l" if start < 0 else "") + ("r" if end > 100 else "")
        start, end = max(start, 0.0), min(end, 100.0)
        return start, max(end - start, 0.0), min(max(at, 0.0), 100.0), cut


class Forest(NamedTuple):
    """A forest plot: its scale, its lines, the rows without a number, and the slices' metric.

    A line has a `name`, the three `numbers` of an interval and their `text`. The line of a slice
    also has its `rows`, its `own` value of the `metric`, and the verdict.
    """

    scale: Scale
    lines: list[dict[Any, Any]]
    others: list[dict[Any, Any]]
    metric: str


def slices_forest(report: Result, *kinds: str) -> Forest | None:
    """Return slices of some kinds by their difference from the other rows, the worst first."""
    table = report.places(*kinds)["table"]
    if table.empty:
        return None
    judged, metrics = [*filter(None, table["judged_by"])], metrics_of(report.about["task"])
    metric = str(judged[0]) if judged else report.evaluation.primary
    sign = -1 if metric in metrics and metrics[metric].direction == "lower" else 1
    is_known = table["difference"].notna()
    # Slices that are shown to be worse come first, even if others seem to be worse still.
    known = table[is_known]
    known = known.assign(above=known["verdict"] != "worse", size=sign * known["difference"])
    known = known.sort_values(["above", "size", "slice"])
    own = with_intervals(known, metric) if f"{metric}_low" in known else ""
    lines = _lines(known, "difference", sign=True)
    numbers = known[["difference", "difference_low", "difference_high"]].to_numpy(float)
    known = known[["slice", "rows", "verdict"]].assign(name=known["slice"].map(readable), own=own)
    known = known.assign(**lines)
    others = table[~is_known].to_dict("records")
    return Forest(_symmetric(numbers), known.to_dict("records"), others, metric)


def _lines(table: pd.DataFrame, column: str, *, sign: bool = False) -> dict[str, Any]:
    """Return the numbers of each row's interval, and their text."""
    numbers = table[[column, f"{column}_low", f"{column}_high"]].to_numpy(float)
    return {"numbers": numbers.tolist(), "text": with_intervals(table, column, sign=sign)}


def worst_of_slice(report: Result, name: str) -> Table | None:
    """Return the rows of a slice or segment with the highest loss; None where there are none."""
    table = report.table("errors/by_slice")
    rows = None if table is None else table[table.iloc[:, 0] == name].iloc[:, 1:]
    if rows is None or rows.empty:
        return None
    column = name.split(" = ")[0].split(" is missing")[0]
    return raw_rows(report, rows, f"Highest loss where {readable(name)}", [column])


def importance_forest(report: Result) -> Forest | None:
    """Return features by the increase in the loss without them, the most important first."""
    if (table := report.plot("importance")) is None:
        return None
    lines = _lines(table, "loss_increase")
    scale = _from_0(np.array(lines["numbers"][:SHOWN]))
    named = table[["feature"]].rename(columns={"feature": "name"})
    return Forest(scale, named.assign(**lines).to_dict("records"), [], "")


def _symmetric(numbers: np.ndarray) -> Scale:
    """Return a scale around 0 that contains all values, and nine of ten whole intervals."""
    if not len(numbers):
        return Scale(-1.0, 1.0)
    reach = np.nanmax(np.abs(numbers), axis=1)
    size = (
        float(max(np.quantile(reach, SCALED, method="higher"), 1.1 * np.abs(numbers[:, 0]).max()))
        or 1.0
    )
    return Scale(-1.04 * size, 1.04 * size)


def _from_0(numbers: np.ndarray) -> Scale:
    """Return a scale that contains 0, all values and their intervals."""
    low, high = min(0.0, float(np.nanmin(numbers))), max(0.0, float(np.nanmax(numbers)))
    more = (high - low) * 0.03 or 1.0
    return Scale(low - more, high + more)
