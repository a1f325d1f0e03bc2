"""Clusters of rows, and jackknife values of metrics: each metric without each cluster in turn.

One number per metric and cluster is kept. This is enough for every interval and for every
comparison on the same rows. The formulas are in `crivo.statistics.jackknife`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.predictions import DEFAULT_CLUSTERS, stable_hash
from crivo.evaluation.metrics import Metric
from crivo.evaluation.rows import Rows
from crivo.statistics.intervals import FRACTION, Estimate, all_alike, interval
from crivo.statistics.jackknife import NotDefined, Statistic, effective_clusters

# More groups than this don't improve an interval; they only take longer.
MOST_GROUPS = 200

NUMBER = r"-?\d+(\.\d+)?"
DAY = r"\d{4}-\d{2}(-\d{2}.*)?"

# This many rows agree with the hashes of their ids by chance in one of 50**20 tables.
ROWS_TO_LOOK_AT = 20


def jackknife_groups(predictions: pd.DataFrame) -> pd.Categorical:
    """Return each row's group: the rows left out together.

    A group is a cluster; more than 200 clusters are merged into 200 groups with numbers of clusters
    that are as equal as possible (the delete-a-group jackknife of Kott 2001). Clusters that are
    numbers or dates are `ordered`, and neighbours are merged. Other clusters, and those made from a
    hash of the id, have no order and are merged by a hash of their name.

    >>> rows = pd.DataFrame({"id": ["a", "b", "c"], "cluster": [10, 9, 10]})
    >>> jackknife_groups(rows).categories.tolist()
    ['9', '10']
    """
    codes, found = pd.factorize(predictions["cluster"])
    names = pd.Index(found).astype("str")
    keys = None if made_by_hash(predictions) else _order_keys(names)
    ordered = keys is not None
    if keys is None and len(names) > MOST_GROUPS:
        keys = np.array([stable_hash(name) for name in names], dtype=object)
    order = np.argsort(names.to_numpy() if keys is None else keys, kind="stable")
    rank = np.argsort(order)
    labels = names[order]
    if len(names) > MOST_GROUPS:
        rank = rank * MOST_GROUPS // len(names)
        labels = pd.Index(range(MOST_GROUPS)).astype("str")
    return pd.Categorical.from_codes(rank[codes], categories=labels, ordered=ordered)


def made_by_hash(predictions: pd.DataFrame) -> bool:
    """Whether the clusters were made by a hash, because the table names none."""
    first = predictions.iloc[:ROWS_TO_LOOK_AT]
    hashed = [stable_hash(str(name)) % DEFAULT_CLUSTERS for name in first["id"]]
    return first["cluster"].astype("str").tolist() == [str(number) for number in hashed]


def _order_keys(names: pd.Index) -> np.ndarray | None:
    """Return keys that sort the clusters, or None if their names have no order."""
    if names.str.fullmatch(NUMBER).all():
        return names.astype(float).to_numpy()
    return names.to_numpy() if names.str.fullmatch(DAY).all() else None


@dataclass(frozen=True)
class Jackknife:
    """Metrics of a table, each also without each cluster in turn.

    `values`: a number per metric, missing if it isn't defined. `deleted`: a row per left-out
    cluster, a column per metric that has an interval. `reasons`: by metric, why its value or one of
    its deleted values is missing. `count`: the number of rows of the table. `ordered`: clusters
    next to each other in `deleted` are neighbours in time. `exact`: by metric that is 0 or 1, its
    exact interval. `effective`: the number of equal clusters that would carry as much information.
    `most`: by metric, the greatest value that the rows allow. `named`: words for a cluster.
    """

    values: pd.Series
    deleted: pd.DataFrame
    reasons: Mapping[str, str]
    count: int
    ordered: bool
    exact: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    effective: float = inf
    most: Mapping[str, float] = field(default_factory=dict)
    named: Callable[[str], str] = "cluster {}".format

    def estimate(self, metric: Metric) -> Estimate:
        """Return the estimate of a metric; a metric without an interval has no deleted values."""
        deleted = self.deleted.get(metric.name, pd.Series(np.nan, self.deleted.index)).to_numpy()
        return Estimate(
            float(self.values[metric.name]), deleted, self.effective, in_order=self.ordered,
            names=tuple(self.deleted.index), exact=self.exact.get(metric.name),
        )  # fmt: skip

    def limits(self, metric: Metric) -> tuple[float, float, float, float]:
        """Return a metric's value, its standard error and the ends of its interval."""
        found = self.estimate(metric)
        se, low, high = interval(found, metric.bounds)
        most = max(self.most.get(metric.name, inf), found.value)
        return found.value, se, low, min(high, most)


def measure_without_each(
    rows: Rows, groups: pd.Categorical, metrics: Sequence[Metric], units: np.ndarray | None = None,
    named: Callable[[str], str] = Jackknife.named,
) -> Jackknife:  # fmt: skip
    """Return metrics of rows and, if they have an interval, their values without each group.

    A `Statistic` has a formula for all groups; other metrics are computed again for each group, and
    give a reason if a value is missing. `groups` are in the order of the predictions table. A
    single group is never left out. `units`: for each row, the number of its independent part of the
    table. `named`: words for a group.
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
    exact, most = dict[str, tuple[float, float]](), dict[str, float]()
    slow: list[Metric] = []
    for metric in metrics:
        name = metric.name
        if not metric.interval or np.isnan(values[name]):
            continue
        made = metric.computed(rows)
        if units is not None and metric.bounds == FRACTION and values[name] in FRACTION:
            exact[name] = all_alike(values[name], _outcomes(made, rows, units[rows.order]))
        if isinstance(made, Statistic):
            most[name] = made.most
            deleted[name][present] = metric.at_end(made.without(codes, count))[present]
        if not (isinstance(made, Statistic) and np.isfinite(deleted[name]).all()):
            slow.append(metric)
    for group in present.tolist() if slow else ():
        rest = rows.only(of_table != group)
        for metric in slow:
            deleted[metric.name][group], why = _measure(metric, rest)
            if why:
                reasons.setdefault(metric.name, f"{why} without {named(groups.categories[group])}")
    table = pd.DataFrame(deleted, pd.Index(groups.categories, name="cluster"))
    effective = effective_clusters(codes, rows.weight)
    ordered = bool(groups.ordered)
    return Jackknife(values, table, reasons, len(groups), ordered, exact, effective, most, named)


def _outcomes(made: float | Statistic, rows: Rows, units: np.ndarray) -> float:
    """Return how many independent outcomes a value rests on; `units`: the unit of each row.

    These are the units of the rows that it divides by. For a metric of the rows' order, they are
    the units of the rarest class: at most that many pairs are independent.
    """
    parts = (made.parts if isinstance(made, Statistic) else ()) or rows.class_weights
    return min(effective_clusters(units, weight) for weight in parts if weight.any())


def _measure(metric: Metric, rows: Rows) -> tuple[float, str]:
    """Return a metric's value, or the reason why it has none."""
    if not rows.total_weight > 0:
        return np.nan, "there are no rows"
    try:
        value = metric(rows)
    except NotDefined as reason:
        return np.nan, str(reason)
    low, high = metric.bounds
    if not low <= value <= high:
        raise CrivoError(
            f"The metric {metric.name} is {value:g}, but its bounds are {low:g} and {high:g}; "
            "correct its function, or `bounds` in its @metric."
        )
    return value, ""
