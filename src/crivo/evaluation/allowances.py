"""Widens the interval of a difference for few rows, few clusters and serial correlation.

`evaluate` and `crivo compare` use it; the statistics are in `crivo.statistics.departures`.
"""

from __future__ import annotations

from functools import cache
from math import isfinite

import numpy as np

from crivo.core.tasks import TASKS, Task
from crivo.statistics import departures, intervals
from crivo.statistics.scale import Scale

# Metrics of absolute errors; all other metrics of numbers are treated as metrics of squared errors.
ABSOLUTE = ("mae", "median_absolute_error", "absolute_error_p90")


@cache
def loss_values(text: str) -> np.ndarray:
    """Return the losses that an evaluation.json has recorded; an old one has none."""
    return np.array(text.split(), dtype=float)


def losses_between(one: np.ndarray, other: np.ndarray, metric: Scale, task: Task) -> np.ndarray:
    """Return how much each row changes a metric, from the losses of two models.

    Empty if this isn't known, or if the metric has two bounds, so that a row can't change it much.
    """
    if all(map(isfinite, metric.bounds)) or len(one) != len(other):
        return np.empty(0)
    if not TASKS[task].has_classes and metric.name not in ABSOLUTE:
        one, other = one**2, other**2
    return one - other if metric.direction == "lower" else other - one


def allowances(
    shown: np.ndarray,
    clusters: float,
    *,
    in_order: bool,
    losses: np.ndarray,
    rows: int,
    more: float = 0.0,
) -> dict[str, departures.Departures]:
    """Return what a difference has to allow for, by its cause: rows, clusters, neighbours.

    `shown`: the differences without each cluster, of the trials before it, then its own.
    `clusters`: the effective number; `in_order`: they are neighbours in time. `losses`: how much
    single rows change it, out of all `rows`. `more`: the number of standard errors that are added
    to the effect that the clusters show.
    """
    if not np.ptp(shown[-1]) > 0:
        return {}
    found = {"clusters": departures.of_clusters(shown, clusters, more)}
    if in_order:
        found["neighbours"] = departures.of_neighbours(shown, more)
    if len(losses):
        found["rows"] = departures.of_skewness(intervals.skewness_of_mean(losses, rows))
    return found


def judged(
    metric: Scale,
    found: intervals.Estimate,
    *,
    in_order: bool,
    losses: np.ndarray,
    rows: int,
    margin: float,
    level: float = intervals.LEVEL,
) -> tuple[intervals.Interval, intervals.Verdict]:
    """Return the interval of a difference, with all allowances, and its verdict.

    The allowance for few rows or clusters moves only the end that decides, so that the other end
    agrees with the metric's own interval.
    """
    critical = intervals.t_quantile((1 + level) / 2, found.clusters)
    allowed = allowances(
        found.deleted[None], found.clusters, in_order=in_order, losses=losses, rows=rows
    )
    limits = intervals.interval(found, critical=critical)
    facing = departures.all_of(allowed).facing_zero(limits.low, limits.high)
    limits = intervals.interval(found._replace(departures=facing), critical=critical)
    return limits, intervals.verdict(limits, metric, margin)
