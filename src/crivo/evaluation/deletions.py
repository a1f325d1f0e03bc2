"""Metrics without each cluster, worked out for all clusters at once where a formula allows it.

`jackknife.leave_out` computes each metric anew for each cluster. A mean without a cluster is also
the sum without that cluster's sum, and the pairs of an area under the ROC curve can be counted by
cluster. Slices and lengths of blocks ask for many such values. They differ from those of
`leave_out` by rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from crivo.evaluation.jackknife import Jackknife, leave_out
from crivo.evaluation.metrics import Metric, binary, multiclass, regression
from crivo.evaluation.rows import Binary, Multiclass, Regression
from crivo.evaluation.weighting import NotDefined, Rows

# Gives a metric's value without each group, of rows, their groups' numbers, and how many groups.
Formula = Callable[[Any, np.ndarray, int], np.ndarray]

# Without a cluster, so much of the weight must remain: the difference of two sums that are almost
# equal has few correct digits.
LEAST = 1e-6


def leave_out_at_once(rows: Rows, groups: pd.Categorical, metrics: Sequence[Metric]) -> Jackknife:
    """Return metrics with and without each group, as `leave_out` does."""
    judged = [metric.name for metric in metrics if metric.interval]
    codes = np.asarray(groups.codes)[rows.order]
    count = len(groups.categories)
    found = {
        metric.name: values
        for metric in metrics
        if metric.interval and (values := _deleted(metric, rows, codes, count)) is not None
    }
    functions = {metric.name: metric for metric in metrics}
    result = leave_out(rows, groups, functions, [name for name in judged if name not in found])
    return replace(result, deleted=result.deleted.assign(**found)[judged])


def _deleted(metric: Metric, rows: Rows, codes: np.ndarray, count: int) -> np.ndarray | None:
    """Return the metric without each group; None without a formula or where it isn't defined."""
    formula = FORMULAS.get(metric.compute)
    if formula is None or count < 2:
        return None
    with np.errstate(all="ignore"), suppress(NotDefined):
        values = formula(rows, codes, count)
        return values if np.isfinite(values).all() else None
    return None


def _without(whole: np.ndarray, codes: np.ndarray, count: int) -> np.ndarray:
    """Return the sum of some rows' values without each group; NaN where almost nothing is left."""
    total = whole.sum()
    left = total - np.bincount(codes, whole, minlength=count)
    return np.where(left > LEAST * total, left, np.nan)


def _mean(values_of: Callable[[Any], np.ndarray]) -> Formula:
    """Return the formula of a mean of one value for each row."""

    def means(rows: Any, codes: np.ndarray, count: int) -> np.ndarray:
        sums = np.bincount(codes, values_of(rows) * rows.weight, minlength=count)
        return np.asarray((sums.sum() - sums) / _without(rows.weight, codes, count))

    return means


def _root_mean_square(rows: Regression, codes: np.ndarray, count: int) -> np.ndarray:
    return np.sqrt(_mean(lambda rows: rows.squared_errors)(rows, codes, count))


def _areas(rows: Binary, codes: np.ndarray, count: int) -> np.ndarray:
    """Return the area under the ROC curve without each group.

    Without a group, the pairs of all rows lose those of its positives, those of its negatives, and
    get back those of both, which were taken away twice.
    """
    positives, negatives = rows.weight * rows.target, rows.weight * rows.negative
    ties = np.diff(rows.tie_starts, append=len(codes))
    beaten = rows.cumulative_positives - rows.tie_positives / 2
    by_negative = negatives * np.repeat(beaten, ties)
    below = rows.tie_negatives.sum() - np.cumsum(rows.tie_negatives) + rows.tie_negatives / 2
    by_positive = positives * np.repeat(below, ties)
    lost = np.bincount(codes, by_negative + by_positive, minlength=count)
    within = _pairs_within(positives, negatives, np.repeat(np.arange(len(ties)), ties), codes)
    pairs = by_negative.sum() - lost + np.bincount(*within, minlength=count)
    left = _without(positives, codes, count) * _without(negatives, codes, count)
    return np.asarray(pairs / left)


def _mean_area(rows: Multiclass, codes: np.ndarray, count: int) -> np.ndarray:
    areas = [_areas(task, codes[task.order], count) for task in rows.one_against_rest]
    return np.asarray(np.mean(areas, axis=0))


def _pairs_within(
    positives: np.ndarray, negatives: np.ndarray, tie: np.ndarray, codes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return groups and the ordered pairs of each one's own rows, in parts that add up."""
    order = np.argsort(codes, kind="stable")
    group, tie = codes[order], tie[order]
    first = np.append(True, np.diff(group) != 0)
    starts = np.flatnonzero(first | np.append(True, np.diff(tie) != 0))
    won, lost = (np.add.reduceat(values[order], starts) for values in (positives, negatives))
    before = np.cumsum(won) - won
    begins = first[starts]
    since = before - np.repeat(before[begins], np.diff(np.append(np.flatnonzero(begins), len(won))))
    return group[starts], lost * (since + won / 2)


FORMULAS: dict[Callable[..., float], Formula] = {
    binary.accuracy: _mean(lambda rows: rows.target == rows.predicted),
    binary.brier: _mean(lambda rows: rows.residuals**2),
    binary.calibration_in_the_large: _mean(lambda rows: rows.residuals),
    binary.log_loss: _mean(lambda rows: rows.log_losses),
    binary.roc_auc: _areas,
    multiclass.accuracy: _mean(lambda rows: rows.target == rows.predicted),
    multiclass.log_loss: _mean(lambda rows: rows.log_losses),
    multiclass.roc_auc_ovr: _mean_area,
    regression.mae: _mean(lambda rows: rows.absolute_errors),
    regression.rmse: _root_mean_square,
}
