"""Metrics of regression tasks."""

from __future__ import annotations

from math import inf

import numpy as np

from crivo.evaluation.metrics import metric
from crivo.evaluation.rows import Regression
from crivo.statistics.jackknife import NotDefined, Ratio


@metric(task="regression", direction="lower", bounds=(0, inf), squared=True, version=1)
def rmse(rows: Regression) -> Ratio:
    """The square root of the mean squared error, in the target's unit."""
    return Ratio(rows.weight * rows.squared_errors, rows.weight, root=True)


@metric(task="regression", direction="lower", bounds=(0, inf), version=1)
def mae(rows: Regression) -> Ratio:
    """The mean absolute error, in the target's unit."""
    return rows.ratio(rows.absolute_errors)


@metric(task="regression", direction="higher", bounds=(-inf, 1), squared=True, version=1)
def r2(rows: Regression) -> float:
    """The share of the target's variance that the predictions explain.

    Predicting the mean of these rows gives 0; anything worse is negative.
    """
    mean = rows.mean(rows.target)
    spread = rows.mean((rows.target - mean) ** 2)
    tiny = spread <= (1e-9 * mean) ** 2
    if spread == 0 or (tiny and np.ptp(rows.target[rows.weight > 0]) == 0):
        raise NotDefined("the target is the same in every row")
    return 1 - rows.mean(rows.squared_errors) / spread


@metric(task="regression", direction="lower", bounds=(0, inf), smooth=False, version=1)
def median_absolute_error(rows: Regression) -> float:
    """The median of the absolute errors; outliers don't affect it."""
    return rows.error_quantile(0.5)


@metric(task="regression", direction="lower", bounds=(0, inf), smooth=False, version=1)
def absolute_error_p90(rows: Regression) -> float:
    """The absolute error that nine of ten rows stay below; it shows how bad a bad case is."""
    return rows.error_quantile(0.9)
