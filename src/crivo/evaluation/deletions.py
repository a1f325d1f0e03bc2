"""Metrics without each cluster, worked out for all clusters at once where a formula allows it.

`jackknife.leave_out` computes each metric anew for each cluster. A mean without a cluster is also
the sum without that cluster's sum, the pairs of an area under the ROC curve can be counted by
cluster, and the average precision needs sums between positive rows only. Slices and lengths of
blocks ask for many such values. They differ from those of `leave_out` by rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from crivo.evaluation.jackknife import Jackknife, leave_out
from crivo.evaluation.metrics import Metric, binary, multiclass, regression
from crivo.evaluation.rows import Binary, Multiclass, Regression
from crivo.evaluation.weighting import NotDefined, Rows

# Gives a metric's value without each group, of rows, their groups' numbers, how many groups there
# are, and the metric's settings.
Formula = Callable[..., np.ndarray]

# Without a cluster, so much of the weight must remain: the difference of two sums that are almost
# equal has few correct digits.
LEAST = 1e-6

# Tables of groups and equal scores are made in parts of so many cells.
MOST_CELLS = 1_000_000


def leave_out_at_once(rows: Rows, groups: pd.Categorical, metrics: Sequence[Metric]) -> Jackknife:
    """Return metrics with and without each group, as `leave_out` does."""
    codes = np.asarray(groups.codes)[rows.order]
    count = len(groups.categories)
    values: dict[str, float] = {}
    deleted: dict[str, np.ndarray] = {}
    for metric in metrics:
        if metric.interval and (found := _by_formula(metric, rows, codes, count)) is not None:
            values[metric.name], deleted[metric.name] = found
    others = {metric.name: metric for metric in metrics if metric.name not in deleted}
    reasons: Mapping[str, str] = {}
    if others:
        judged = [name for name, metric in others.items() if metric.interval]
        one_by_one = leave_out(rows, groups, others, judged)
        values |= {name: float(one_by_one.values[name]) for name in others}
        deleted |= {name: one_by_one.deleted[name].to_numpy() for name in judged}
        reasons = one_by_one.reasons
    judged = [metric.name for metric in metrics if metric.interval]
    table = np.array([deleted[name] for name in judged]).reshape(len(judged), count).T
    index = groups.categories.rename("cluster")
    return Jackknife(
        pd.Series([values[metric.name] for metric in metrics], [metric.name for metric in metrics]),
        pd.DataFrame(table, index, judged),
        reasons,
        len(groups),
        bool(groups.ordered),
    )


def _by_formula(
    metric: Metric, rows: Rows, codes: np.ndarray, count: int
) -> tuple[float, np.ndarray] | None:
    """Return the metric, and without each group; None without a formula or where not defined."""
    formula = FORMULAS.get(metric.compute)
    if formula is None or count < 2 or not rows.total_weight > 0:
        return None
    with np.errstate(all="ignore"), suppress(NotDefined):
        whole, deleted = metric(rows), formula(rows, codes, count, **metric.settings)
        return (whole, deleted) if np.isfinite(deleted).all() else None
    return None


def _without(whole: np.ndarray, codes: np.ndarray, count: int) -> np.ndarray:
    """Return the sum of some rows' values without each group; NaN where almost nothing is left."""
    total = whole.sum()
    left = total - np.bincount(codes, whole, minlength=count)
    return np.where(left > LEAST * total, left, np.nan)


def _mean(values_of: Callable[[Any], np.ndarray]) -> Formula:
    """Return the formula of a mean of one value for each row."""
    return _ratio(values_of, lambda rows: np.ones(len(rows.weight)))


def _ratio(above: Callable[[Any], np.ndarray], below: Callable[[Any], np.ndarray]) -> Formula:
    """Return the formula of a ratio of the sums of two values for each row."""

    def ratios(rows: Any, codes: np.ndarray, count: int) -> np.ndarray:
        sums = np.bincount(codes, above(rows) * rows.weight, minlength=count)
        left = _without(below(rows) * rows.weight, codes, count)
        return np.asarray((sums.sum() - sums) / left)

    return ratios


def _hit(rows: Binary) -> np.ndarray:
    return rows.target * rows.predicted


def _root_mean_square(rows: Regression, codes: np.ndarray, count: int) -> np.ndarray:
    return np.sqrt(_mean(lambda rows: rows.squared_errors)(rows, codes, count))


def _explained(rows: Regression, codes: np.ndarray, count: int) -> np.ndarray:
    """Return the share of the variance that is explained without each group."""
    centred = rows.target - rows.mean(rows.target)
    squares = _without(centred**2 * rows.weight, codes, count)
    mean = _mean(lambda _: centred)(rows, codes, count)
    spread = squares - mean**2 * _without(rows.weight, codes, count)
    spread = np.where(spread > LEAST * squares, spread, np.nan)
    sums = np.bincount(codes, rows.squared_errors * rows.weight, minlength=count)
    return np.asarray(1 - (sums.sum() - sums) / spread)


def _average_precision(rows: Binary, codes: np.ndarray, count: int) -> np.ndarray:
    """Return the average precision without each group.

    Only what stands at or above each positive row counts. Those weights are added up in the same
    order with and without a group, so that exactly nothing remains where there are no others.
    """
    found, positive = np.empty(count), rows.tie_positives > 0
    parts = int(positive.sum())
    sizes = np.diff(rows.tie_starts, append=len(codes))
    part: np.ndarray = np.repeat(np.cumsum(positive) - positive, sizes)
    down = int(np.searchsorted(part, parts))  # to the last positive row
    part, codes_down = part[:down], codes[:down].astype(np.intp)
    positives = rows.weight * rows.target
    for groups in np.array_split(np.arange(count), 1 + count * parts // MOST_CELLS):
        here = np.flatnonzero((codes_down >= groups[0]) & (codes_down <= groups[-1]))
        cells = (codes_down[here] - groups[0]) * parts + part[here]
        size = len(groups), parts
        seen, hits = (
            np.bincount(part, weight[:down], parts)
            - np.bincount(cells, weight[here], len(groups) * parts).reshape(size)
            for weight in (rows.weight, positives)
        )
        precision = np.maximum(np.cumsum(seen, axis=1), binary.TINY)
        np.divide(np.cumsum(hits, axis=1), precision, out=precision)
        found[groups] = np.einsum("gi,gi->g", precision, hits)
    return found / _without(positives, codes, count)


def _precision_at_share(
    rows: Binary, codes: np.ndarray, count: int, *, share: float = 0.1
) -> np.ndarray:
    divisor = share * _without(rows.weight, codes, count)
    return np.asarray(_hits_left(rows, codes, count, share) / divisor)


def _recall_at_share(
    rows: Binary, codes: np.ndarray, count: int, *, share: float = 0.1
) -> np.ndarray:
    divisor = _without(rows.weight * rows.target, codes, count)
    return np.asarray(_hits_left(rows, codes, count, share) / divisor)


def _hits_left(rows: Binary, codes: np.ndarray, count: int, share: float) -> np.ndarray:
    """Return the positives' weight in the riskiest share of the rows without each group.

    As `binary.precision_left` does: the cut stays, what is missing counts as around it.
    """
    seen, total = rows.cumulative_weight, rows.total_weight
    goal = share * total
    near = (1 - binary.AROUND) * goal, min((1 + binary.AROUND) * goal, total)
    first, last = (end * binary.precision_at_share(rows, share=end / total) for end in near)
    cut = min(int(np.searchsorted(seen, goal)), len(seen) - 1)
    begin, end = np.append(rows.tie_starts, len(codes))[cut : cut + 2]
    taken = rows.weight[:end].copy()  # of the scores that are equal at the cut, in part
    taken[begin:] *= 1 - (seen[cut] - goal) / rows.tie_weight[cut]
    reached, hits = (
        values.sum() - np.bincount(codes[:end], values, count)
        for values in (taken, taken * rows.target[:end])
    )
    missing = share * _without(rows.weight, codes, count) - reached
    return np.asarray(hits + missing * (last - first) / (near[1] - near[0]))


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


def _by_class(*classes_of: Callable[[Multiclass], np.ndarray]) -> Formula:
    """Return the formula of a mean over classes: what is right of what is of a class.

    With two ways to be of a class, by the target and by the prediction, it is half of both.
    """

    def means(rows: Multiclass, codes: np.ndarray, count: int) -> np.ndarray:
        size = len(rows.classes)
        first = codes.astype(np.intp) * size

        def left(classes: np.ndarray, weight: np.ndarray) -> np.ndarray:
            whole = np.bincount(classes, weight, size)
            lost = np.bincount(first + classes, weight, count * size).reshape(count, size)
            rest: np.ndarray = whole - lost
            return np.where((rest == 0) | (rest > LEAST * whole), rest, np.nan)

        right = left(rows.target, rows.weight * (rows.target == rows.predicted))
        parts = [left(classes(rows), rows.weight) for classes in classes_of]
        divisor = np.mean(parts, axis=0)
        shares = right / np.where(divisor == 0, 1, divisor)
        return np.asarray(shares.sum(axis=1) / (divisor != 0).sum(axis=1))

    return means


FORMULAS: dict[Callable[..., float], Formula] = {
    binary.accuracy: _mean(lambda rows: rows.target == rows.predicted),
    binary.average_precision: _average_precision,
    binary.brier: _mean(lambda rows: rows.residuals**2),
    binary.calibration_in_the_large: _mean(lambda rows: rows.residuals),
    binary.f1: _ratio(_hit, lambda rows: (rows.target + rows.predicted) / 2),
    binary.log_loss: _mean(lambda rows: rows.log_losses),
    binary.precision: _ratio(_hit, lambda rows: rows.predicted),
    binary.precision_at_share: _precision_at_share,
    binary.recall: _ratio(_hit, lambda rows: rows.target),
    binary.recall_at_share: _recall_at_share,
    binary.roc_auc: _areas,
    multiclass.accuracy: _mean(lambda rows: rows.target == rows.predicted),
    multiclass.balanced_accuracy: _by_class(lambda rows: rows.target),
    multiclass.log_loss: _mean(lambda rows: rows.log_losses),
    multiclass.macro_f1: _by_class(lambda rows: rows.target, lambda rows: rows.predicted),
    multiclass.roc_auc_ovr: _mean_area,
    regression.mae: _mean(lambda rows: rows.absolute_errors),
    regression.r2: _explained,
    regression.rmse: _root_mean_square,
}
