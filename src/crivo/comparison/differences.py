"""The difference of two records in a metric, and what its interval is to allow for."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import numpy as np

from crivo.core.tasks import TASKS
from crivo.records.record import Record
from crivo.statistics.departures import NONE, Departures, of_clusters, of_neighbours, of_skewness
from crivo.statistics.intervals import (
    Estimate,
    Interval,
    Verdict,
    comparable,
    difference,
    interval,
    skewness_of_mean,
    smallest_detectable,
    verdict,
)
from crivo.statistics.scale import Scale

# So many standard errors more than what is estimated aren't ruled out.
MORE = 1.5

# Metrics of absolute errors; all others of numbers are taken to be of squared ones.
ABSOLUTE = ("mae", "median_absolute_error", "absolute_error_p90")


class Difference(NamedTuple):
    """How a record's metric differs from its reference's, and what that says."""

    value: float
    interval: Interval
    minimum_detectable: float
    verdict: Verdict


def differ(
    record: Record,
    reference: Record,
    metric: Scale,
    critical: float,
    margin: float = 0,
    departures: Departures = NONE,
) -> Difference:
    """Return the difference in one metric; equal predictions are identical, whatever is noted.

    `critical`: how many standard errors its interval reaches if clusters are independent and
    normal; `departures`: what it allows for beside that.
    """
    found = difference_of(record, reference, metric)._replace(departures=departures)
    if record.predictions == reference.predictions:
        found = Estimate(0.0, np.zeros_like(found.deleted), found.effective)
    reach = critical if isfinite(critical) else None
    limits = interval(found, critical=reach)
    detectable = smallest_detectable(found, reach)
    return Difference(found.value, limits, detectable, verdict(limits, metric, margin))


def difference_of(record: Record, reference: Record, metric: Scale) -> Estimate:
    """Return what a record's metric has more of than its reference's."""
    return difference(metric, record.estimate(metric.name), reference.estimate(metric.name))


def losses_between(record: Record, reference: Record, metric: Scale) -> np.ndarray:
    """Return by how much a metric is moved by single rows; none if it isn't, or isn't known.

    A row can't move a metric far whose values have two ends.
    """
    one, other = record.losses, reference.losses
    if all(map(isfinite, metric.bounds)) or len(one) != len(other):
        return np.empty(0)
    if not TASKS[reference.about["task"]].has_classes and metric.name not in ABSOLUTE:
        one, other = one**2, other**2
    return one - other if metric.direction == "lower" else other - one


def departures_of(
    record: Record,
    reference: Record,
    metric: Scale,
    shown: np.ndarray,
    clusters: float,
    more: float = 0.0,
) -> dict[str, Departures]:
    """Return what a difference is to allow for, by what makes it: rows, clusters, neighbours.

    `shown`: the differences without each cluster of the trials before it, then its own. `clusters`:
    how many count. `more`: with so many standard errors added to what the clusters show.
    """
    if not np.ptp(shown[-1]) > 0:
        return {}
    found = {"clusters": of_clusters(shown, clusters, more)}
    if record.in_order and reference.in_order:
        found["neighbours"] = of_neighbours(shown, more)
    losses = losses_between(record, reference, metric)
    if len(losses):
        rows = reference.about.get("n_rows") or len(losses)
        found["rows"] = of_skewness(skewness_of_mean(losses, rows))
    return found


def turned(record: Record, metric: Scale) -> np.ndarray:
    """Return a metric without each cluster, turned so that a difference says which is better."""
    if metric.best is None:
        return record.deleted(metric.name)
    return comparable(metric, record.estimate(metric.name)).deleted


def both_have(metric: str, one: Record, other: Record) -> bool:
    """Whether both hold the metric without the same clusters."""
    return (
        metric in one.measured_metrics
        and metric in other.measured_metrics
        and one.cluster_names == other.cluster_names
    )
