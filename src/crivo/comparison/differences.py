"""The difference of two records in one metric, with its interval and verdict.

The correction for trials is in `families`; `crivo.evaluation.allowances` widens intervals.
"""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import numpy as np

from crivo.evaluation.allowances import allowances, losses_between
from crivo.records.record import Record
from crivo.statistics.departures import NONE, Departures
from crivo.statistics.intervals import (
    Estimate,
    Interval,
    Verdict,
    comparable,
    difference,
    interval,
    smallest_detectable,
    verdict,
)
from crivo.statistics.scale import Scale

# So many standard errors more than what is estimated aren't ruled out.
MORE = 1.5


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


def losses_of(record: Record, reference: Record, metric: Scale) -> np.ndarray:
    """Return by how much a metric is moved by those rows whose losses both have recorded."""
    return losses_between(record.losses, reference.losses, metric, reference.about["task"])


def departures_of(
    record: Record,
    reference: Record,
    metric: Scale,
    shown: np.ndarray,
    clusters: float,
    more: float = 0.0,
) -> dict[str, Departures]:
    """Return what a difference is to allow for, by what makes it; see `allowances`."""
    losses = losses_of(record, reference, metric)
    return allowances(
        shown,
        clusters,
        in_order=record.in_order and reference.in_order,
        losses=losses,
        rows=reference.about.get("n_rows") or len(losses),
        more=more,
    )


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
