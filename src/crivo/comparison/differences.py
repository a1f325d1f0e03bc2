"""The difference of two records in one metric; the correction for trials is in `families`."""

from __future__ import annotations

import numpy as np

from crivo.evaluation.allowances import losses_between
from crivo.records.record import Record
from crivo.statistics.intervals import Estimate, comparable, difference
from crivo.statistics.scale import Scale

# So many standard errors more than what is estimated aren't ruled out.
MORE = 1.5


def difference_of(record: Record, reference: Record, metric: Scale) -> Estimate:
    """Return what a record's metric has more of than its reference's."""
    return difference(metric, record.estimate(metric.name), reference.estimate(metric.name))


def losses_of(record: Record, reference: Record, metric: Scale) -> np.ndarray:
    """Return by how much a metric is moved by those rows whose losses both have recorded."""
    return losses_between(record.losses, reference.losses, metric, reference.about["task"])


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
