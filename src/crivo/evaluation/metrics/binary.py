"""Metrics of binary tasks. `rows.target` is 1 for the positive class, 0 for the other."""

from __future__ import annotations

from math import inf

import numpy as np

from crivo.evaluation.metrics import metric
from crivo.evaluation.rows import Binary, NotDefined

# Bins of equal width of the expected calibration error.
BINS = 10

# Far more than a logistic regression with one feature takes.
NEWTON_STEPS = 100


@metric(task="binary", direction="higher", range=(0, 1))
def roc_auc(rows: Binary) -> float:
    """The share of pairs of a positive and a negative row that the scores put in order.

    A pair of equal scores counts half, so constant scores give 0.5 (Hanley & McNeil 1982).
    """
    pairs = rows.positives * rows.negatives
    hits = np.append(0, rows.cumulative_positives)
    alarms = np.append(0, rows.cumulative_weight - rows.cumulative_positives)
    return float((np.diff(alarms) * (hits[1:] + hits[:-1])).sum()) / (2 * pairs)


@metric(task="binary", direction="higher", range=(0, 1))
def average_precision(rows: Binary) -> float:
    """The precision at each positive row, going down from the riskiest, on average.

    The area under the precision-recall curve by steps, without interpolation; rows of equal
    score come together (Davis & Goadrich 2006). Constant scores give the positives' share.
    """
    hits, seen = rows.cumulative_positives, rows.cumulative_weight
    precision = np.divide(hits, seen, out=np.zeros_like(hits), where=seen > 0)
    return float((np.diff(hits, prepend=0) * precision).sum()) / rows.positives


@metric(task="binary", direction="lower", range=(0, inf))
def log_loss(rows: Binary) -> float:
    """The mean of -log of the probability given to what happened (Good 1952)."""
    return rows.mean(rows.log_losses)


@metric(task="binary", direction="lower", range=(0, 1))
def brier(rows: Binary) -> float:
    """The mean squared distance of the probability from what happened (Brier 1950)."""
    return rows.mean((rows.score - rows.target) ** 2)


@metric(task="binary", direction="higher", range=(0, 1))
def precision_at_share(rows: Binary, *, share: float = 0.1) -> float:
    """The share of positive rows among the riskiest share of the rows.

    The share ends where it ends, within a row if need be. Of rows of equal score at its end
    none is riskier than another: they count with their mean, the expected value of taking
    some of them at random.
    """
    return _hits(rows, share) / (share * rows.total_weight)


@metric(task="binary", direction="higher", range=(0, 1))
def recall_at_share(rows: Binary, *, share: float = 0.1) -> float:
    """The share of all positive rows that the riskiest share of the rows holds.

    Ties and the last row as in `precision_at_share`.
    """
    return _hits(rows, share) / rows.positives


def _hits(rows: Binary, share: float) -> float:
    seen = np.append(0, rows.cumulative_weight)
    hits = np.append(0, rows.cumulative_positives)
    return float(np.interp(share * rows.total_weight, seen, hits))


@metric(task="binary", direction="higher", range=(0, 1))
def precision(rows: Binary) -> float:
    """The share of positive rows among those predicted positive."""
    hits, alarms, _ = rows.confusion
    if not hits + alarms > 0:
        raise NotDefined("no row is predicted positive")
    return hits / (hits + alarms)


@metric(task="binary", direction="higher", range=(0, 1))
def recall(rows: Binary) -> float:
    """The share of the positive rows that is predicted positive."""
    return rows.confusion[0] / rows.positives


@metric(task="binary", direction="higher", range=(0, 1))
def f1(rows: Binary) -> float:
    """The harmonic mean of precision and recall (van Rijsbergen 1979)."""
    hits, alarms, misses = rows.confusion
    if not hits + alarms + misses > 0:
        raise NotDefined("no row is positive and none is predicted positive")
    return 2 * hits / (2 * hits + alarms + misses)


@metric(task="binary", direction="higher", range=(0, 1))
def accuracy(rows: Binary) -> float:
    """The share of rows whose predicted label is right."""
    return rows.mean(rows.target == rows.predicted)


@metric(task="binary", direction="nearest", best=0, range=(-1, 1))
def calibration_in_the_large(rows: Binary) -> float:
    """The mean score minus the share of positive rows: above 0 the scores are too high.

    See Van Calster et al. 2016, who call this mean calibration.
    """
    return rows.mean(rows.score - rows.target)


@metric(task="binary", direction="nearest", best=1)
def calibration_slope(rows: Binary) -> float:
    """The slope of a logistic regression of the target on the logit of the score.

    Below 1 the scores are too extreme, above 1 too timid (Cox 1958).
    """
    left = rows.weight > 0
    positive, negative = (rows.logits[left & (rows.target == of)] for of in (1, 0))
    if not len(positive) or not len(negative):
        raise NotDefined("all rows are of one class")
    if min(positive.min(), negative.min()) == max(positive.max(), negative.max()):
        raise NotDefined("all scores are equal")
    if positive.min() >= negative.max() or positive.max() <= negative.min():
        raise NotDefined("the scores separate the classes, so the slope is infinite")
    return _logistic_slope(rows.logits, rows.target, rows.weight)


def _logistic_slope(x: np.ndarray, target: np.ndarray, weight: np.ndarray) -> float:
    """Return the maximum-likelihood slope by Newton's method, halving steps that overshoot."""
    line, step, steepness = np.array([0.0, 1.0]), np.zeros(2), np.inf
    for _ in range(NEWTON_STEPS):
        probability = 1 / (1 + np.exp(-(line[0] + line[1] * x)))
        residual = weight * (target - probability)
        gradient = np.array([residual.sum(), (residual * x).sum()])
        if (norm := float(np.hypot(*gradient))) > steepness:
            step = step / 2
            line = line - step
            continue
        curvature = weight * probability * (1 - probability)
        first, second = (curvature * x).sum(), (curvature * x * x).sum()
        hessian = np.array([[curvature.sum(), first], [first, second]])
        steepness, step = norm, np.linalg.solve(hessian, gradient)
        line = line + step
        if np.abs(step).max() < 1e-10:
            break
    return float(line[1])


@metric(task="binary", direction="lower", range=(0, 1), interval=False)
def expected_calibration_error(rows: Binary) -> float:
    """The mean distance of score and target in ten bins of equal width (Naeini et al. 2015).

    It is biased upwards and no interval of it holds what it promises, so it is shown without
    one and nothing is judged by it.
    """
    bins = np.minimum((rows.score * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, (rows.score - rows.target) * rows.weight)
    return float(np.abs(gaps).sum()) / rows.total_weight
