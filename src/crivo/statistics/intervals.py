"""Intervals, differences and verdicts from the values of a metric without each cluster.

One method for all, so that they can't contradict each other: the jackknife's standard error
with Student's t of one degree of freedom less than there are clusters. Unequal clusters count as
the number of equal ones that would say as much. A comparison's verdict is read off the interval
that is shown.
"""

from __future__ import annotations

from functools import cache
from math import copysign, hypot, inf, log, sqrt
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit, stdtrit

from crivo.core.errors import CrivoError
from crivo.statistics.departures import NONE, Departures, reaches, serial_factor, times_as_wide
from crivo.statistics.jackknife import standard_error
from crivo.statistics.scale import Scale

LEVEL = 0.95
POWER = 0.8

# The range of a number whose intervals are those of its log odds.
FRACTION: tuple[float, float] = (0.0, 1.0)

# Fewer clusters than this say little about how clusters differ.
FEW_CLUSTERS = 8

# Above it, t intervals of equal models exclude 0 in more than 6 % of simulated data sets.
SKEWED = 0.09

# Files hold numbers with ten digits, so that rounding alone makes smaller differences.
ROUNDING = 1e-9

Verdict = Literal["better", "worse", "equivalent", "undecided", "identical"]


class Estimate(NamedTuple):
    """A number, and the same number without each cluster in turn (shape (G,)).

    `effective`: how many equal clusters would say as much, where that is known. `total`: the sum
    of two distances, in the same form, where the number is the difference of them. `names`: the
    names of the G clusters, if a difference must check that they are the same. `exact`: the
    interval of a share of 0 or 1, whose clusters are all alike. `departures`: what the interval
    allows for, where clusters aren't independent and normal. `in_order`: it isn't a difference,
    and clusters next to each other are real neighbours. `beyond`: how far below and above a
    difference the exact intervals of the two reach.
    """

    value: float
    deleted: np.ndarray
    effective: float | None = None
    total: tuple[float, np.ndarray] | None = None
    names: tuple[str, ...] = ()
    exact: tuple[float, float] | None = None
    departures: Departures = NONE
    in_order: bool = False
    beyond: tuple[float, float] = (0.0, 0.0)

    @property
    def clusters(self) -> float:
        """How many clusters count: the effective ones, all where they aren't known."""
        count = float(len(self.deleted))
        if self.effective is None or count < 2:
            return count
        return min(count, max(self.effective, 2.0))

    def limits(self, bounds: tuple[float, float]) -> tuple[float, float] | None:
        """The ends of the exact interval, where the number is a share of 0 or 1."""
        return self.exact if bounds == FRACTION and self.value in FRACTION else None


class Interval(NamedTuple):
    """A standard error and the ends of an interval; missing where there is none."""

    se: float
    low: float
    high: float


@cache
def t_quantile(probability: float, clusters: float) -> float:
    """Return the quantile of Student's t with one degree of freedom less than clusters.

    Effective clusters may be a fraction. Missing below two clusters.
    """
    return float(stdtrit(clusters - 1, probability))


def interval(
    estimate: Estimate,
    bounds: tuple[float, float] = (-inf, inf),
    critical: float | None = None,
) -> Interval:
    """Return the 95 % interval of a number, cut off at the ends of its range.

    Between 0 and 1 it is that of the log odds, which has room near the ends. A share of 0 or 1 has
    its exact interval, where that is known. `critical` replaces the quantile of t, from `max_t`
    where there are several candidates.
    """
    se = standard_error(estimate.deleted)
    if exact := estimate.limits(bounds):
        return Interval(se, *exact)
    if critical is None:
        critical = t_quantile((1 + LEVEL) / 2, estimate.clusters)
    if estimate.in_order:
        critical *= times_as_wide(estimate.deleted, estimate.clusters)
    if bounds == FRACTION and 0 < estimate.value < 1 and se > 0:
        return Interval(se, *_between_0_and_1(estimate, critical))
    if estimate.departures.serial:
        se *= serial_factor(estimate.departures.serial, estimate.clusters)
    below, above = critical, critical
    if estimate.departures != NONE:
        below, above = reaches(critical, estimate.clusters, estimate.departures)
    low, high = estimate.value - below * se, estimate.value + above * se
    if estimate.total is not None:
        total = interval(Estimate(*estimate.total, estimate.effective), critical=critical)
        low, high = either_side((low, high), (total.low, total.high))
    low, high = beyond((low, high), estimate, critical)
    return Interval(se, float(np.maximum(low, bounds[0])), float(np.minimum(high, bounds[1])))


def beyond(ends: tuple[float, float], found: Estimate, critical: float) -> tuple[float, float]:
    """Return the ends of a difference's interval that allow for shares whose clusters are alike.

    Errors of either kind add up as those of independent estimates do (Zou & Donner 2008).
    """
    if not any(found.beyond):
        return ends
    wider = critical / t_quantile((1 + LEVEL) / 2, found.clusters)
    below, above = (
        hypot(found.value - end, wider * more) for end, more in zip(ends, found.beyond, strict=True)
    )
    return found.value - below, found.value + above


def either_side(gap: tuple[float, float], total: tuple[float, float]) -> tuple[float, float]:
    """Return the interval of a difference of distances whose sides aren't known for sure.

    `gap` and `total` are the intervals of their difference and of their sum, the sides taken as
    they look. With a and b the signed distances, these are a - b and a + b or the other way round,
    and |a| - |b| is the smaller of the two with the sign of their product. It is monotone in each,
    so its ends are at those of the intervals, and it excludes 0 only when both do.

    >>> either_side((0.1, 0.3), (1.0, 2.0)), either_side((0.1, 0.3), (-0.2, 2.0))
    ((0.1, 0.3), (-0.2, 0.3))
    """
    ends = [copysign(min(abs(one), abs(both)), one * both) for one in gap for both in total]
    return min(ends), max(ends)


def all_alike(value: float, outcomes: float) -> tuple[float, float]:
    """Return the interval of a share when all outcomes were alike (Clopper & Pearson 1934).

    It also holds for the mean of numbers between 0 and 1, all of which are 0 or all 1.

    >>> [round(end, 3) for end in all_alike(1.0, 65)]
    [0.945, 1.0]
    """
    short: float = ((1 - LEVEL) / 2) ** (1 / outcomes)
    return (short, 1.0) if value == 1 else (0.0, 1 - short)


def _between_0_and_1(estimate: Estimate, critical: float) -> tuple[float, float]:
    """Return an interval from the jackknife of the log odds."""
    middle, deleted = log_odds(estimate.value, estimate.deleted)
    reach = critical * standard_error(deleted)
    low, high = expit([middle - reach, middle + reach]).tolist()
    return min(low, estimate.value), max(high, estimate.value)


def log_odds(value: float, deleted: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the log odds of a value between 0 and 1 and of the values without each cluster.

    Where one of these is 0 or 1 its log odds are infinite; all are then carried over by the slope
    of the log odds at the value (delta method).
    """
    middle = log(value / (1 - value))
    if ((deleted > 0) & (deleted < 1)).all():
        return middle, np.log(deleted / (1 - deleted))
    return middle, middle + (deleted - value) / (value * (1 - value))


def difference(metric: Scale, one: Estimate, other: Estimate) -> Estimate:
    """Return what `one` has more of than `other`, on the same rows.

    The jackknife of a difference is the difference of the jackknives. Of a metric whose best
    value lies inside its range, it is the difference of the distances from that value.
    Their sum goes with it: which side of the best each is on is as unsure as they are.
    """
    if one.names != other.names or one.deleted.shape != other.deleted.shape:
        raise CrivoError(
            f"The {metric.name} of two tables can't be compared: they have different clusters."
        )
    mine, theirs = comparable(metric, one), comparable(metric, other)
    known = [each.effective for each in (one, other) if each.effective is not None]
    value, deleted = subtract(mine.value, theirs.value), subtract(mine.deleted, theirs.deleted)
    found = Estimate(float(value), deleted, min(known, default=None), names=one.names)
    if metric.best is None:
        (low, high), (least, most) = (
            each.limits(metric.bounds) or (each.value,) * 2 for each in (one, other)
        )
        below = hypot(one.value - low, most - other.value)
        return found._replace(beyond=(below, hypot(high - one.value, other.value - least)))
    return found._replace(total=(mine.value + theirs.value, mine.deleted + theirs.deleted))


def subtract(one: np.ndarray | float, other: np.ndarray | float) -> np.ndarray:
    """Return a difference that is 0 where rounding alone may make it.

    >>> subtract(np.array([0.3, 744.0]), np.array([0.1 + 0.2, 743.0])).tolist()
    [0.0, 1.0]
    """
    equal = np.isclose(one, other, rtol=ROUNDING, atol=0)
    return np.where(equal, 0.0, np.subtract(one, other))


def comparable(metric: Scale, estimate: Estimate) -> Estimate:
    """Return an estimate turned so that a difference says which is better.

    Where the best value lies inside the range, that is the distance from it. Which side the
    estimate is on is settled by its value: else the interval of a distance near 0, where a
    deleted value may lie on the other side, would be too narrow.
    """
    if metric.best is None:
        return estimate
    side = 1 if estimate.value >= metric.best else -1
    return estimate._replace(
        value=side * (estimate.value - metric.best),
        deleted=side * (estimate.deleted - metric.best),
    )


def verdict(confidence_limits: Interval, metric: Scale, margin: float = 0) -> Verdict:
    """Return what the interval of a difference says about the first of the two.

    `equivalent`: it lies within the margin, the greatest difference that doesn't matter.
    Otherwise `better` or `worse` when it excludes 0, else `undecided`.
    """
    _, low, high = confidence_limits
    if low == 0 == high:
        return "identical"
    if -margin <= low and high <= margin:
        return "equivalent"
    if low > 0 or high < 0:
        return "better" if (low > 0) == (metric.direction == "higher") else "worse"
    return "undecided"


def smallest_detectable(se: float, clusters: float, critical: float | None = None) -> float:
    """Return the smallest difference that a comparison would have shown 4 times of 5.

    An approximation: (critical + the 80 % quantile of t) standard errors, those of its interval.
    """
    if critical is None:
        critical = t_quantile((1 + LEVEL) / 2, clusters)
    return (critical + t_quantile(POWER, clusters)) * se


def skewness_of_mean(sample: np.ndarray, count: int) -> float:
    """Return the skewness of the mean of `count` values, from a sample of them.

    It is the values' skewness divided by the root of their number; the first error of a t
    interval is proportional to it (Hall 1992, The Bootstrap and Edgeworth Expansion). 0 if all
    values are equal.

    >>> round(skewness_of_mean(np.array([0.0, 0, 0, 4]), 4), 4)
    0.5774
    """
    centred = sample - sample.mean()
    variance = float((centred**2).mean())
    return float((centred**3).mean()) / variance**1.5 / sqrt(count) if variance > 0 else 0.0
