"""The jackknife of metrics of a predictions table: again without each cluster in turn.

What is kept, one number per metric and cluster, is enough for every interval and for every
comparison on the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from crivo.evaluation.metrics import Metric
from crivo.evaluation.weighting import NotDefined, Rows, Statistic
from crivo.statistics.intervals import FRACTION, Estimate
from crivo.statistics.jackknife import weights_without


@dataclass(frozen=True)
class Jackknife:
    """Metrics of a table, each also without each cluster in turn.

    `values`: a number per metric, missing where not defined. `deleted`: a row per left-out
    cluster, a column per metric that has an interval. `reasons`: by metric, why its value or
    one of its deleted values is missing. `count`: how many rows the table has. `ordered`:
    clusters next to each other in `deleted` are neighbours in fact. `outcomes`: by metric that is
    0 or 1, how many independent outcomes that rests on.
    """

    values: pd.Series
    deleted: pd.DataFrame
    reasons: Mapping[str, str]
    count: int
    ordered: bool
    outcomes: Mapping[str, float] = field(default_factory=dict)

    def estimate(self, metric: Metric, effective: float | None = None) -> Estimate:
        """Return one of the metrics; what has no interval has no deleted values.

        `effective`: the effective clusters, where they are known.
        """
        names, value = tuple(self.deleted.index), float(self.values[metric.name])
        if metric.name not in self.deleted:
            return Estimate(value, np.full(len(names), np.nan), effective, None, names)
        deleted, outcomes = self.deleted[metric.name].to_numpy(), self.outcomes.get(metric.name)
        return Estimate(value, deleted, effective, None, names, outcomes, in_order=self.ordered)


def measure_without_each(
    rows: Rows, groups: pd.Categorical, metrics: Sequence[Metric], units: np.ndarray | None = None
) -> Jackknife:
    """Return metrics of rows, and without each group those that have an interval.

    `units`: numbers that tell the independent parts of the predictions table, one for each row.
    """
    functions = {metric.name: metric for metric in metrics}
    judged = [metric.name for metric in metrics if metric.interval]
    found = leave_out(rows, groups, functions, judged)
    if units is None:
        return found
    codes = units[rows.order]
    outcomes = {
        name: functions[name].outcomes(rows, codes)
        for name in judged
        if functions[name].bounds == FRACTION and found.values[name] in FRACTION
    }
    return replace(found, outcomes=outcomes)


def leave_out(
    rows: Rows,
    groups: pd.Categorical,
    functions: Mapping[str, Callable[[Rows], float | Statistic]],
    judged: Sequence[str],
) -> Jackknife:
    """Return each function's value on `rows`, and of those judged without each group.

    A `Statistic` has a formula for all of them; others are computed again for each group, and say
    then why one of them is missing. `groups` are in the order of the
    predictions table. Nothing is left out of a single group.
    """
    whole = {name: _measure(function, rows) for name, function in functions.items()}
    reasons = {name: why for name, (_, why) in whole.items() if why}
    values = pd.Series({name: value for name, (value, _) in whole.items()}, dtype=float)
    count, codes = len(groups.categories), np.asarray(groups.codes)[rows.order]
    deleted = np.tile(values[list(judged)].to_numpy(), (count, 1))
    present = np.bincount(codes, minlength=count) > 0
    slow = {}
    for column, name in enumerate(judged):
        if np.isnan(values[name]) or count < 2:
            continue
        at_once = _all_at_once(functions[name], rows, codes, count)
        if at_once is None or not np.isfinite(at_once).all():
            slow[column] = name
        else:
            deleted[present, column] = at_once[present]
    for group, weight in weights_without(rows.weight, codes, count) if slow else ():
        rest = rows.reweighted(weight)
        for column, name in slow.items():
            deleted[group, column], why = _measure(functions[name], rest)
            if why:
                reasons.setdefault(name, f"{why} without cluster {groups.categories[group]}")
    table = pd.DataFrame(deleted, pd.Index(groups.categories, name="cluster"), list(judged))
    return Jackknife(values, table, reasons, len(groups), bool(groups.ordered))


def _all_at_once(
    function: Callable[[Rows], float | Statistic], rows: Rows, codes: np.ndarray, count: int
) -> np.ndarray | None:
    """Return a function's values without each group, where it is a ratio or has a formula."""
    if isinstance(function, Metric):
        return function.without_each(rows, codes, count)
    made = function(rows)
    return made.without(codes, count) if isinstance(made, Statistic) else None


def _measure(function: Callable[[Rows], float | Statistic], rows: Rows) -> tuple[float, str]:
    """Return a function's value and why it has none, one of them."""
    if not rows.total_weight > 0:
        return np.nan, "there are no rows"
    try:
        return float(function(rows)), ""
    except NotDefined as reason:
        return np.nan, str(reason)
