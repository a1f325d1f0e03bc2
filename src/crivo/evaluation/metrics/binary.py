"""Metrics of binary tasks. `rows.target` is 1 for the positive class, 0 for the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np

from crivo.evaluation.metrics import metric
from crivo.evaluation.rows import Binary
from crivo.statistics.jackknife import NotDefined, Ratio, Statistic, sums_without

# Replaces a weight of 0 as a divisor.
TINY = 1e-300

# The bins of the expected calibration error have equal widths.
BINS = 10

# The precision at a cut is that of the rows within this part of the share before and after it.
AROUND = 0.3

# The relative error of a calibration slope.
PRECISION = 1e-11

UNCLEAR = "the logistic regression has no clear slope"


@dataclass(frozen=True, eq=False)
class Concordance(Statistic):
    """The share of pairs in which the positive row has the higher score; see `roc_auc`."""

    rows: Binary

    def __float__(self) -> float:
        """Return the share."""
        rows = self.rows
        pairs = rows.positives * rows.negatives
        beaten = np.einsum("i,i->", rows.tie_negatives, rows.cumulative_positives)
        tied = np.einsum("i,i->", rows.tie_negatives, rows.tie_positives)
        return float(beaten - tied / 2) / pairs

    def without(self, codes: np.ndarray, groups: int) -> np.ndarray:
        """Return the share without each cluster, so without all pairs that contain its rows."""
        rows, (positive, negative) = self.rows, self.rows.class_weights
        ties = rows.ties
        above = rows.cumulative_positives - rows.tie_positives / 2
        below = rows.negatives - np.cumsum(rows.tie_negatives) + rows.tie_negatives / 2
        in_order = positive * below[ties]
        lost = np.bincount(codes, in_order + negative * above[ties], minlength=groups)
        lost -= _pairs_within(positive, negative, ties, codes, groups)
        pairs = sums_without(positive, codes, groups) * sums_without(negative, codes, groups)
        return np.asarray((in_order.sum() - lost) / pairs)


def _pairs_within(
    positive: np.ndarray, negative: np.ndarray, ties: np.ndarray, codes: np.ndarray, groups: int
) -> np.ndarray:
    """Return for each cluster the weight of its pairs in which the positive row scores higher.

    The rows are sorted from the highest score down, and `ties` numbers their scores.
    """
    order = np.argsort(codes, kind="stable")
    codes, ties = codes[order], ties[order]
    starts = np.append(0, np.flatnonzero(np.diff(codes) | np.diff(ties)) + 1)
    tied = np.add.reduceat(positive[order], starts)
    beaten = np.add.reduceat(negative[order], starts)
    totals = np.bincount(codes[starts], tied, minlength=groups)
    above = np.cumsum(tied) - tied / 2 - (np.cumsum(totals) - totals)[codes[starts]]
    return np.bincount(codes[starts], beaten * above, minlength=groups)


@metric(task="binary", direction="higher", bounds=(0, 1), version=1)
def roc_auc(rows: Binary) -> Concordance:
    """The share of pairs of a positive and a negative row in which the positive row has the higher
    score.

    A pair of equal scores counts half, so constant scores give 0.5 (Hanley & McNeil 1982).
    """
    return Concordance(rows)


@dataclass(frozen=True, eq=False)
class OfTies(Statistic):
    """A metric's value that follows from the weights of ties, the riskiest rows first.

    `ties`: the number of each row's tie, such as its score's. `value`: of the weights of the ties
    and of their positive rows, NaN if it isn't defined, which is for this `reason`.
    """

    rows: Binary
    ties: np.ndarray
    value: Callable[[np.ndarray, np.ndarray], float]
    reason: str = "there are no rows"

    def __float__(self) -> float:
        """Return the value; NotDefined if there is none."""
        weights = (self.rows.weight, self.rows.class_weights[0])
        found = self.value(*(np.bincount(self.ties, weight) for weight in weights))
        if np.isnan(found):
            raise NotDefined(self.reason)
        return found

    def without(self, codes: np.ndarray, groups: int) -> np.ndarray:
        """Return the value without each cluster, whose rows weigh nothing."""
        without_each = self.rows.weights_without(self.ties, codes, groups)
        return np.array([self.value(*left) for left in without_each])


def _mean_precision(weight: np.ndarray, positives: np.ndarray) -> float:
    """Return the mean of the positive rows' precisions, from the weights of equal scores."""
    # above the first row with a weight, the precision is 0 divided by 0
    precision = np.cumsum(positives) / np.maximum(np.cumsum(weight), TINY)
    total = positives.sum()
    return float(np.einsum("i,i->", precision, positives) / total) if total > 0 else np.nan


@metric(task="binary", direction="higher", bounds=(0, 1), version=1)
def average_precision(rows: Binary) -> OfTies:
    """The mean, over the positive rows, of the precision among all rows that score at least as
    high.

    This is the area under the stepped precision-recall curve, without interpolation; rows with
    equal scores are taken together (Davis & Goadrich 2006). Constant scores give the share of
    positive rows.
    """
    # The precision only counts at scores of positive rows: each takes the rows above it along.
    hits = rows.tie_positives > 0
    return OfTies(rows, (np.cumsum(hits) - hits)[rows.ties], _mean_precision, "no row is positive")


@metric(task="binary", direction="lower", bounds=(0, inf), version=1)
def log_loss(rows: Binary) -> Ratio:
    """The mean of −log of the probability given to the actual outcome (Good 1952)."""
    return rows.ratio(rows.log_losses)


@metric(task="binary", direction="lower", bounds=(0, 1), version=1)
def brier(rows: Binary) -> Ratio:
    """The mean squared difference between the probability and the outcome, 0 or 1 (Brier 1950)."""
    return rows.ratio(rows.residuals**2)


def _captured(rows: Binary, share: float, taken: np.ndarray) -> np.ndarray:
    """Return what each row adds to the positives in the top fraction, of which `taken` is weighed.

    Without a cluster, the cut stays, and the rows that the fraction then lacks or has in excess
    count with the precision around it: the sum of these parts is 0 over all rows. If the cut moved,
    the few rows that it passes would add noise to the jackknife. Shape (rows,).
    """
    seen, hits = np.append(0, rows.cumulative_weight), np.append(0, rows.cumulative_positives)
    goal = share * rows.total_weight
    near = (1 - AROUND) * goal, min((1 + AROUND) * goal, rows.total_weight)
    first, last = np.interp(near, seen, hits)
    around = (last - first) / (near[1] - near[0])
    return np.asarray(taken * rows.target + around * (share * rows.weight - taken))


def _taken(rows: Binary, share: float) -> np.ndarray:
    """Return each row's weight in the top fraction; equal scores share the rest. Shape (rows,)."""
    taken = np.diff(np.minimum(rows.cumulative_weight, share * rows.total_weight), prepend=0)
    part = taken / np.maximum(rows.tie_weight, TINY)
    return np.asarray(rows.weight * part[rows.ties])


@metric(task="binary", direction="higher", bounds=(0, 1), version=1)
def precision_at_share(rows: Binary, *, share: float = 0.1) -> Ratio:
    """The share of positive rows in the top fraction of the rows, sorted by score.

    The cut may fall within a row. Rows with equal scores at the cut count with their mean, which is
    the expected value if some of them are taken at random. The interval allows for no more positive
    rows than there are.
    """
    taken, most = _taken(rows, share), rows.mean(rows.target) / share
    return Ratio(_captured(rows, share, taken), share * rows.weight, among=taken, most=most)


@metric(task="binary", direction="higher", bounds=(0, 1), version=1)
def recall_at_share(rows: Binary, *, share: float = 0.1) -> Ratio:
    """The share of all positive rows that are in the top fraction of the rows, sorted by score.

    Ties and the last row count as in `precision_at_share`.
    """
    above = _captured(rows, share, _taken(rows, share))
    return Ratio(above, rows.weight * rows.target, "no row is positive")


@metric(task="binary", direction="higher", bounds=(0, 1), version=1)
def precision(rows: Binary) -> Ratio:
    """The share of positive rows among those predicted positive."""
    return rows.ratio(rows.target * rows.predicted, rows.predicted, "no row is predicted positive")


@metric(task="binary", direction="higher", bounds=(0, 1), version=1)
def recall(rows: Binary) -> Ratio:
    """The share of positive rows that are predicted positive."""
    return rows.ratio(rows.target * rows.predicted, rows.target, "no row is positive")


@metric(task="binary", direction="higher", bounds=(0, 1), version=1)
def f1(rows: Binary) -> Ratio:
    """The harmonic mean of precision and recall (van Rijsbergen 1979)."""
    hit, either = rows.target * rows.predicted, rows.target + rows.predicted
    return rows.ratio(2 * hit, either, "no row is positive and none is predicted positive")


@metric(task="binary", direction="higher", bounds=(0, 1), version=1)
def accuracy(rows: Binary) -> Ratio:
    """The share of rows whose predicted label is right."""
    return rows.ratio(rows.target == rows.predicted)


@metric(task="binary", direction="nearest", best=0, bounds=(-1, 1), version=1)
def calibration_in_the_large(rows: Binary) -> Ratio:
    """The mean score minus the share of positive rows; above 0, the scores are too high.

    See Van Calster et al. 2016, who call this mean calibration.
    """
    return rows.ratio(rows.residuals)


@metric(task="binary", direction="nearest", best=1, version=1)
def calibration_slope(rows: Binary) -> float:
    """The slope of a logistic regression of the target on the logit of the score.

    Below 1, the scores are too extreme; above 1, they aren't extreme enough (Cox 1958).
    """
    # A forest gives many scores of exactly 0 and 1, whose log odds would be infinite.
    score = np.clip(rows.score[rows.tie_starts], 1e-6, 1 - 1e-6)
    logits = np.log(score / (1 - score))
    high, low = (logits[weight > 0] for weight in (rows.tie_positives, rows.tie_negatives))
    if not (len(high) and len(low)):
        raise NotDefined("all rows are of one class")
    if max(high.max(), low.max()) == min(high.min(), low.min()):
        raise NotDefined("all scores are equal")
    if high.min() >= low.max() or high.max() <= low.min():
        raise NotDefined("the scores separate the classes, so the slope is infinite")
    return logistic_slope(logits, rows.tie_positives, rows.tie_weight)


def logistic_slope(x: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> float:
    """Return the maximum-likelihood slope of `x`, for groups of rows with equal `x`.

    `weight` is a group's weight and `positive` that of its positive rows.
    """
    # Imported here: each stage imports the metrics, to check the settings.
    from scipy.optimize import root
    from scipy.special import expit

    middle = np.average(x, weights=weight)
    spread = float(np.sqrt(np.average((x - middle) ** 2, weights=weight)))
    if not spread > 0:
        raise NotDefined(UNCLEAR)
    x = (x - middle) / spread  # or the equations may be nearly singular

    def gradient(line: np.ndarray) -> np.ndarray:
        residual = positive - weight * expit(line[0] + line[1] * x)
        return np.array([residual.sum(), (residual * x).sum()]) / weight.sum()

    found = root(gradient, np.zeros(2), tol=PRECISION)
    if not found.success:
        raise NotDefined(UNCLEAR)
    return float(found.x[1] / spread)


@metric(task="binary", direction="lower", bounds=(0, 1), interval=False, version=1)
def expected_calibration_error(rows: Binary) -> float:
    """The mean distance between score and target in ten bins of equal width (Naeini et al. 2015).

    It is biased upwards, and no interval for it is reliable, so it is shown without an interval and
    gives no verdict.
    """
    bins = np.minimum((rows.score * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, rows.residuals * rows.weight)
    return float(np.abs(gaps).sum()) / rows.total_weight
