"""The jackknife: metrics of a predictions table, and again without each cluster in turn.

Tukey 1958 and Efron & Stein 1981; by clusters, MacKinnon, Nielsen & Webb 2023
(arXiv:2301.04527). What is kept, one number per metric and cluster, is enough for every
interval and for every comparison on the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from crivo.core.evaluation import Context
from crivo.evaluation.clusters import jackknife_groups
from crivo.evaluation.metrics import Metric
from crivo.evaluation.rows import NotDefined
from crivo.evaluation.tasks import evaluation_of
from crivo.evaluation.weighting import Rows


@dataclass(frozen=True)
class Jackknife:
    """Metrics of a table, each also without each cluster in turn.

    `values`: a number per metric, missing where not defined. `deleted`: a row per left-out
    cluster, a column per metric that has an interval. `reasons`: by metric, why its value or
    one of its deleted values is missing. `count`: how many rows the table has. `ordered`:
    clusters next to each other in `deleted` are neighbours in fact.
    """

    values: pd.Series
    deleted: pd.DataFrame
    reasons: Mapping[str, str]
    count: int
    ordered: bool


def jackknife(
    predictions: pd.DataFrame,
    metrics: Sequence[Metric],
    context: Context,
    groups: pd.Categorical | None = None,
) -> Jackknife:
    """Return the metrics of a predictions table, with and without each cluster.

    `groups` are the rows' groups when they are to be the same as in another table, as
    `jackknife_groups` gives them; a group without a row here changes nothing.
    """
    if groups is None:
        groups = jackknife_groups(predictions)
    rows = evaluation_of(context).rows(predictions)
    functions = {metric.name: metric for metric in metrics}
    judged = [metric.name for metric in metrics if metric.interval]
    return leave_out(rows, groups, functions, judged)


def leave_out(
    rows: Rows,
    groups: pd.Categorical,
    functions: Mapping[str, Callable[[Rows], float]],
    judged: Sequence[str],
) -> Jackknife:
    """Return each function's value on `rows`, and of those judged without each group.

    `groups` are in the order of the predictions table. Nothing is left out of a single group.
    """
    whole = {name: _measure(function, rows) for name, function in functions.items()}
    reasons = {name: why for name, (_, why) in whole.items() if why}
    values = pd.Series({name: value for name, (value, _) in whole.items()}, dtype=float)
    deleted = np.tile(values[list(judged)].to_numpy(), (len(groups.categories), 1))
    for group, weight in _weights_without(rows, groups):
        rest = rows.reweighted(weight)
        for column, name in enumerate(judged):
            if np.isnan(values[name]):
                continue
            function = functions[name]
            if isinstance(function, Metric):
                function = partial(function.left, rows)
            deleted[group, column], why = _measure(function, rest)
            if why:
                reasons.setdefault(name, f"{why} without cluster {groups.categories[group]}")
    table = pd.DataFrame(deleted, pd.Index(groups.categories, name="cluster"), list(judged))
    return Jackknife(values, table, reasons, len(groups), bool(groups.ordered))


def _weights_without(rows: Rows, groups: pd.Categorical) -> Iterator[tuple[int, np.ndarray]]:
    """Give the number of each group that has rows, and the rows' weights without it."""
    codes = np.asarray(groups.codes)[rows.order]
    counts = np.bincount(codes, minlength=len(groups.categories))
    if len(counts) < 2:
        return
    members = np.argsort(codes, kind="stable")
    ends = np.cumsum(counts)
    for group in np.flatnonzero(counts):
        weight = rows.weight.copy()
        weight[members[ends[group] - counts[group] : ends[group]]] = 0
        yield int(group), weight


def _measure(function: Callable[[Rows], float], rows: Rows) -> tuple[float, str]:
    """Return a function's value and why it has none, one of them."""
    if not rows.total_weight > 0:
        return np.nan, "there are no rows"
    try:
        return function(rows), ""
    except NotDefined as reason:
        return np.nan, str(reason)
