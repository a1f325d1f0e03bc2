"""Differences of many models from one, as arrays: the numbers that `intervals` gives one by one.

A comparison of a thousand experiments spends most of its time on making small tables otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crivo.evaluation.distances import either_side
from crivo.evaluation.intervals import LEVEL, POWER
from crivo.evaluation.metrics import Metric


class Values(NamedTuple):
    """A metric of models: `value` of each, and `deleted`, a row each, without each cluster."""

    value: np.ndarray
    deleted: np.ndarray


class Differences(NamedTuple):
    """Differences with their standard errors, intervals, and what would have been shown."""

    value: np.ndarray
    se: np.ndarray
    low: np.ndarray
    high: np.ndarray
    minimum_detectable: np.ndarray


def differences(
    metric: Metric,
    mine: Values,
    theirs: Values,
    clusters: np.ndarray,
    critical: np.ndarray,
    same: np.ndarray,
) -> Differences:
    """Return the differences of models from one (`theirs`, a single row) on the same clusters.

    `clusters`: how many count for each; `critical`: how many standard errors its interval is to
    reach, the quantile of t where that isn't finite; `same`: whether it predicts the same, so that
    there is no difference.
    """
    mine, theirs = _comparable(metric, mine), _comparable(metric, theirs)
    value = np.where(same, 0.0, mine.value - theirs.value)
    deleted = np.where(same[:, None], 0.0, 1.0) * (mine.deleted - theirs.deleted)
    reach = np.where(np.isfinite(critical), critical, _quantiles((1 + LEVEL) / 2, clusters))
    se = standard_errors(deleted)
    low, high = value - reach * se, value + reach * se
    if metric.best is not None:
        total = mine.value + theirs.value
        far = reach * standard_errors(mine.deleted + theirs.deleted)
        for i in np.flatnonzero(~same):
            gap = float(low[i]), float(high[i])
            low[i], high[i] = either_side(gap, (total[i] - far[i], total[i] + far[i]))
    return Differences(value, se, low, high, (reach + _quantiles(POWER, clusters)) * se)


def standard_errors(deleted: np.ndarray) -> np.ndarray:
    """Return the jackknife's standard error of each row; missing below two columns or with a gap.

    A row has the values without each cluster.
    """
    count = deleted.shape[1]
    if count < 2:
        return np.full(len(deleted), np.nan)
    # Each row lies together in memory, so that its sum is that of the row alone.
    deleted = np.ascontiguousarray(deleted)
    spread = deleted - deleted.mean(axis=1, keepdims=True)
    found: np.ndarray = np.sqrt((count - 1) / count * (spread**2).sum(axis=1))
    return found


def _comparable(metric: Metric, models: Values) -> Values:
    """Return what `intervals.comparable` does of one estimate."""
    if metric.best is None:
        return models
    side = np.where(models.value >= metric.best, 1, -1)
    return Values(
        side * (models.value - metric.best), side[:, None] * (models.deleted - metric.best)
    )


def _quantiles(probability: float, clusters: np.ndarray) -> np.ndarray:
    from scipy.special import stdtrit

    found: np.ndarray = stdtrit(clusters - 1, probability)
    return found
