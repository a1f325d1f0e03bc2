"""Differences of many models from one, as arrays: the numbers that `intervals` gives one by one.

A comparison of a thousand experiments spends most of its time on making small tables otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from crivo.statistics.distances import either_side
from crivo.statistics.intervals import LEVEL, POWER
from crivo.statistics.jackknife import standard_errors
from crivo.statistics.scale import Scale


class Values(NamedTuple):
    """A metric of models: `value`, shape (models,), and `deleted`, shape (models, G)."""

    value: np.ndarray
    deleted: np.ndarray


class Differences(NamedTuple):
    """Differences with their standard errors, intervals, and what would have been shown.

    Each has the shape (models,) and the metric's unit.
    """

    value: np.ndarray
    se: np.ndarray
    low: np.ndarray
    high: np.ndarray
    minimum_detectable: np.ndarray


def differences(
    metric: Scale,
    mine: Values,
    theirs: Values,
    clusters: np.ndarray,
    critical: np.ndarray,
    same: np.ndarray,
) -> Differences:
    """Return the differences of models from one (`theirs`, a single row) on the same clusters.

    `clusters`: how many count for each; `critical`: how many standard errors its interval is to
    reach, the quantile of t where that isn't finite; `same`: whether it predicts the same, so that
    there is no difference. All three have the shape (models,).
    """
    mine, theirs = _comparable(metric, mine), _comparable(metric, theirs)
    value = np.where(same, 0.0, mine.value - theirs.value)
    deleted = np.where(same[:, None], 0.0, 1.0) * (mine.deleted - theirs.deleted)
    reach = np.where(np.isfinite(critical), critical, stdtrit(clusters - 1, (1 + LEVEL) / 2))
    se = standard_errors(deleted)
    low, high = value - reach * se, value + reach * se
    if metric.best is not None:
        total = mine.value + theirs.value
        far = reach * standard_errors(mine.deleted + theirs.deleted)
        for i in np.flatnonzero(~same):
            gap = float(low[i]), float(high[i])
            low[i], high[i] = either_side(gap, (total[i] - far[i], total[i] + far[i]))
    return Differences(value, se, low, high, (reach + stdtrit(clusters - 1, POWER)) * se)


def _comparable(metric: Scale, models: Values) -> Values:
    """Return what `intervals.comparable` does of one estimate."""
    if metric.best is None:
        return models
    side = np.where(models.value >= metric.best, 1, -1)
    return Values(
        side * (models.value - metric.best), side[:, None] * (models.deleted - metric.best)
    )
