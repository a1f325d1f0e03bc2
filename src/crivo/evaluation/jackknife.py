"""Jackknife values of metrics: each metric of a predictions table without each cluster in turn.

One number per metric and cluster is kept. This is enough for every interval and for every
comparison on the same rows. The formulas are in `crivo.statistics.jackknife`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np
import pandas as pd

from crivo.evaluation.metrics import Metric
from crivo.evaluation.rows import Rows
from crivo.statistics.intervals import FRACTION, Estimate, interval
from crivo.statistics.jackknife import NotDefined, Statistic, effective_clusters


@dataclass(frozen=True)
class Jackknife:
    """Metrics of a table, each also without each cluster in turn.

    `values`: a number per metric, missing if it isn't defined. `deleted`: a row per left-out
    cluster, a column per metric that has an interval. `reasons`: by metric, why its value or one of
    its deleted values is missing. `count`: the number of rows of the table. `ordered`: clusters
    next to each other in `deleted` are neighbours in time. `outcomes`: by metric that is 0 or 1,
    the number of independent outcomes behind it. `effective`: the number of equal clusters that
    would carry as much information.
    """

    values: pd.Series
    deleted: pd.DataFrame
    reasons: Mapping[str, str]
    count: int
    ordered: bool
    outcomes: Mapping[str, float] = field(default_factory=dict)
    effective: float = inf

    def estimate(self, metric: Metric) -> Estimate:
        """Return the estimate of a metric; a metric without an interval has no deleted values."""
        names, name = tuple(self.deleted.index), metric.name
        deleted = self.deleted.get(name, pd.Series(np.nan, self.deleted.index)).to_numpy()
        return Estimate(
            float(self.values[name]), deleted, self.effective, names=names,
            outcomes=self.outcomes.get(name), in_order=self.ordered,
        )  # fmt: skip

    def limits(self, metric: Metric) -> tuple[float, float, float, float]:
        """Return a metric's value, its standard error and the ends of its interval."""
        found = self.estimate(metric)
        return found.value, *interval(found, metric.bounds)


def measure_without_each(
    rows: Rows, groups: pd.Categorical, metrics: Sequence[Metric], units: np.ndarray | None = None
) -> Jackknife:
    """Return metrics of rows and, if they have an interval, their values without each group.

    A `Statistic` has a formula for all groups; other metrics are computed again for each group, and
    give a reason if a value is missing. `groups` are in the order of the predictions table. A
    single group is never left out. `units`: for each row, the number of its independent part of the
    table.
    """
    whole = {metric.name: _measure(metric, rows) for metric in metrics}
    reasons = {name: why for name, (_, why) in whole.items() if why}
    values = pd.Series({name: value for name, (value, _) in whole.items()}, dtype=float)
    count, of_table = len(groups.categories), np.asarray(groups.codes)
    codes = of_table[rows.order]
    present = np.flatnonzero(np.bincount(codes, minlength=count))
    if count < 2:
        present = present[:0]
    deleted = {one.name: np.full(count, values[one.name]) for one in metrics if one.interval}
    outcomes: dict[str, float] = {}
    slow: list[Metric] = []
    for metric in metrics:
        name = metric.name
        if not metric.interval or np.isnan(values[name]):
            continue
        made = metric.computed(rows)
        if units is not None and metric.bounds == FRACTION and values[name] in FRACTION:
            outcomes[name] = _outcomes(made, rows, units[rows.order])
        if isinstance(made, Statistic):
            deleted[name][present] = metric.at_end(made.without(codes, count))[present]
        if not (isinstance(made, Statistic) and np.isfinite(deleted[name]).all()):
            slow.append(metric)
    for group in present.tolist() if slow else ():
        rest = rows.only(of_table != group)
        for metric in slow:
            deleted[metric.name][group], why = _measure(metric, rest)
            if why:
                reasons.setdefault(metric.name, f"{why} without cluster {groups.categories[group]}")
    table = pd.DataFrame(deleted, pd.Index(groups.categories, name="cluster"))
    effective = effective_clusters(codes, rows.weight)
    return Jackknife(values, table, reasons, len(groups), bool(groups.ordered), outcomes, effective)


def _outcomes(made: float | Statistic, rows: Rows, units: np.ndarray) -> float:
    """Return how many independent outcomes a value rests on; `units`: the unit of each row.

    These are the units of the rows that it divides by. For a metric of the rows' order, they are
    the units of the rarest class: at most that many pairs are independent.
    """
    parts = (made.parts if isinstance(made, Statistic) else ()) or rows.class_weights
    return min(effective_clusters(units, weight) for weight in parts)


def _measure(metric: Metric, rows: Rows) -> tuple[float, str]:
    """Return a metric's value, or the reason why it has none."""
    if not rows.total_weight > 0:
        return np.nan, "there are no rows"
    try:
        return metric(rows), ""
    except NotDefined as reason:
        return np.nan, str(reason)
