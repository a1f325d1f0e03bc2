"""From values with each cluster left out to intervals, differences and verdicts.

One method for all, so that they can't contradict each other: the jackknife's standard error
with Student's t of one degree of freedom less than there are clusters. Unequal clusters count as
the number of equal ones that would say as much. A comparison's verdict is read off the interval
that is shown.
"""

from __future__ import annotations

from math import ceil, inf, nan, sqrt
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy.linalg import helmert

from crivo.core.errors import CrivoError
from crivo.evaluation.distances import either_side
from crivo.evaluation.metrics import Metric

LEVEL = 0.95
POWER = 0.8

# The range of a metric whose intervals are those of its log odds.
FRACTION: tuple[float, float] = (0.0, 1.0)

# Fewer clusters than this say little about how clusters differ.
FEW_CLUSTERS = 8

# Draws of the greatest |T|: fewer where many candidates make each of them dear. They are made
# in batches, which bound the memory.
DRAWS, MIN_DRAWS, MAX_BINS, BATCH = 40_000, 3_000, 40_000_000, 250

Verdict = Literal["better", "worse", "equivalent", "undecided", "identical"]


class Estimate(NamedTuple):
    """A number, and the same number without each cluster in turn (indexed by cluster).

    `effective`: how many equal clusters would say as much, where that is known. `total`: the sum
    of two distances, in the same form, where the number is the difference of them.
    """

    value: float
    deleted: pd.Series
    effective: float | None = None
    total: tuple[float, pd.Series] | None = None

    @property
    def clusters(self) -> float:
        """How many clusters count: the effective ones, all where they aren't known."""
        count = float(len(self.deleted))
        if self.effective is None or count < 2:
            return count
        return min(count, max(self.effective, 2.0))


class Interval(NamedTuple):
    """A standard error and the ends of an interval; missing where there is none."""

    se: float
    low: float
    high: float


def standard_error(deleted: pd.Series | np.ndarray) -> float:
    """Return the jackknife's standard error; missing below two clusters or with a gap."""
    values, count = np.asarray(deleted, dtype=float), len(deleted)
    if count < 2 or np.isnan(values).any():
        return nan
    spread = values - values.mean()
    return sqrt((count - 1) / count * float((spread**2).sum()))


def t_quantile(probability: float, clusters: float) -> float:
    """Return the quantile of Student's t with one degree of freedom less than clusters.

    Effective clusters may be a fraction. Missing below two clusters.
    """
    from scipy.special import stdtrit

    return float(stdtrit(clusters - 1, probability))


def interval(
    estimate: Estimate,
    bounds: tuple[float, float] = (-inf, inf),
    critical: float | None = None,
) -> Interval:
    """Return the 95 % interval of a number, cut off at the ends of its range.

    Between 0 and 1 it is that of the log odds, which has room near the ends. `critical`
    replaces the quantile of t, from `critical_value` where there are several candidates.
    """
    se = standard_error(estimate.deleted)
    if critical is None:
        critical = t_quantile((1 + LEVEL) / 2, estimate.clusters)
    if bounds == FRACTION and 0 < estimate.value < 1 and se > 0:
        return Interval(se, *_between_0_and_1(estimate, critical, se))
    low, high = estimate.value - critical * se, estimate.value + critical * se
    if estimate.total is not None:
        total = interval(Estimate(*estimate.total, estimate.effective), critical=critical)
        low, high = either_side((low, high), (total.low, total.high))
    return Interval(se, float(np.maximum(low, bounds[0])), float(np.minimum(high, bounds[1])))


def _between_0_and_1(estimate: Estimate, critical: float, se: float) -> tuple[float, float]:
    """Return an interval from the jackknife of the log odds.

    Where a value without a cluster is 0 or 1 its log odds are infinite; the standard error is
    then carried over by the slope of the log odds at the value (delta method).
    """
    value, deleted = estimate.value, estimate.deleted.to_numpy()
    if ((deleted > 0) & (deleted < 1)).all():
        reach = critical * standard_error(np.log(deleted / (1 - deleted)))
    else:
        reach = critical * se / (value * (1 - value))
    middle = np.log(value / (1 - value))
    low, high = (float(1 / (1 + np.exp(-end))) for end in (middle - reach, middle + reach))
    return min(low, value), max(high, value)


def difference(metric: Metric, one: Estimate, other: Estimate) -> Estimate:
    """Return what `one` has more of than `other`, on the same rows.

    The jackknife of a difference is the difference of the jackknives. Of a metric whose best
    value lies inside its range, it is the difference of the distances from that value.
    Their sum goes with it: which side of the best each is on is as unsure as they are.
    """
    if not one.deleted.index.equals(other.deleted.index):
        raise CrivoError(
            f"The {metric.name} of two tables can't be compared: they have different clusters."
        )
    mine, theirs = comparable(metric, one), comparable(metric, other)
    known = [each.effective for each in (one, other) if each.effective is not None]
    effective = min(known, default=None)
    value, deleted = mine.value - theirs.value, mine.deleted - theirs.deleted
    if metric.best is None:
        return Estimate(value, deleted, effective)
    total = mine.value + theirs.value, mine.deleted + theirs.deleted
    return Estimate(value, deleted, effective, total)


def comparable(metric: Metric, estimate: Estimate) -> Estimate:
    """Return an estimate turned so that a difference says which is better.

    Where the best value lies inside the range, that is the distance from it. Which side the
    estimate is on is settled by its value: else the interval of a distance near 0, where a
    deleted value may lie on the other side, would be too short.
    """
    if metric.best is None:
        return estimate
    side = 1 if estimate.value >= metric.best else -1
    return estimate._replace(
        value=side * (estimate.value - metric.best),
        deleted=side * (estimate.deleted - metric.best),
    )


def verdict(confidence_limits: Interval, metric: Metric, margin: float = 0) -> Verdict:
    """Return what the interval of a difference says about the first of the two.

    `equivalent`: it lies within the margin, the greatest difference that doesn't matter.
    Otherwise `better` or `worse` when it excludes 0, else `undecided`.
    """
    if confidence_limits.low == 0 == confidence_limits.high:
        return "identical"
    if -margin <= confidence_limits.low and confidence_limits.high <= margin:
        return "equivalent"
    if confidence_limits.low > 0 or confidence_limits.high < 0:
        return (
            "better" if (confidence_limits.low > 0) == (metric.direction == "higher") else "worse"
        )
    return "undecided"


def critical_value(
    differences: pd.DataFrame,
    seed: int = 0,
    *,
    effective: float | None = None,
    level: float = LEVEL,
    upper: bool = False,
) -> float:
    """Return how many standard errors an interval must reach when there are many candidates.

    `differences` has a row per cluster and a column per candidate. The 95 % quantile of the
    greatest |T| of candidates with the same correlation (Dunnett 1955; Hothorn, Bretz &
    Westfall 2008), each T with a standard error of its own, as the intervals have. One error
    common to all, as in a multivariate t, would be too narrow with few clusters. Candidates
    without any difference don't count. For one candidate it is the quantile of t. `effective`:
    the effective clusters, where they aren't all equal. `upper`: of the greatest T, not |T|.
    """
    clusters = Estimate(0.0, differences.mean(axis="columns"), effective).clusters
    single = t_quantile(level if upper else (1 + level) / 2, clusters)
    spread = (differences - differences.mean()).dropna(axis="columns").to_numpy()
    length = np.sqrt((spread**2).sum(axis=0))
    unit = spread[:, length > 0] / length[length > 0]
    if unit.shape[1] < 2:
        return single
    # Sorted, because the candidates' order is no matter; rounded, so that ties stay ties.
    root = _root(unit[:, np.lexsort(np.round(unit, 9))])
    greatest = _greatest(root, clusters - 1, np.random.default_rng(seed), upper)
    return max(single, float(np.quantile(greatest, level)))


class Critical(NamedTuple):
    """A critical value, and the clusters whose degrees of freedom it is for."""

    value: float
    clusters: float

    def for_clusters(self, clusters: float) -> float:
        """Return the critical value of the same level where other clusters count."""
        from scipy.special import stdtr, stdtrit

        if clusters == self.clusters:
            return self.value
        return float(stdtrit(clusters - 1, stdtr(self.clusters - 1, self.value)))


def _greatest(
    root: np.ndarray, freedom: float, random: np.random.Generator, upper: bool
) -> np.ndarray:
    """Return draws of the greatest |T|, or T (`upper`), of candidates with a root's correlation."""
    size = len(root)
    draws = min(DRAWS, max(MIN_DRAWS, MAX_BINS // root.size))
    maxima = []
    for start in range(0, draws, BATCH):
        count = min(BATCH, draws - start)
        squares = _squares(root, freedom, count, random)
        drawn = (random.standard_normal((count, size)) @ root) / np.sqrt(squares / freedom)
        maxima.append((drawn if upper else np.abs(drawn)).max(axis=1))
    return np.concatenate(maxima)


def _squares(
    root: np.ndarray, freedom: float, count: int, random: np.random.Generator
) -> np.ndarray:
    """Return draws of the sums of squares of correlated candidates: a Wishart matrix's diagonal.

    By Bartlett's (1933) decomposition, which needs few numbers however many clusters there are.
    With fewer degrees of freedom than candidates, by the squares themselves; the last of them
    counts in part.
    """
    size = len(root)
    if freedom <= size - 1:
        part = np.ones(ceil(freedom))
        part[-1] = freedom - len(part) + 1
        drawn = random.standard_normal((count, len(part), size)) @ root
        return np.einsum("k,nkj->nj", part, drawn**2)
    places = np.arange(size)
    lower = np.tril(random.standard_normal((count, size, size)), -1)
    lower[:, places, places] = np.sqrt(random.chisquare(freedom - places, (count, size)))
    drawn = root.T @ lower
    return np.einsum("nik,nik->ni", drawn, drawn)


def _root(unit: np.ndarray) -> np.ndarray:
    """Return few rows whose columns have the same products: `root.T @ root = unit.T @ unit`.

    Both ways a slight change of the columns is a slight change of the root, so that the draws
    stay what they are on another machine.
    """
    clusters, candidates = unit.shape
    if candidates >= clusters:
        return helmert(clusters) @ unit  # centred columns: one dimension less
    sizes, axes = np.linalg.eigh(unit.T @ unit)
    return (axes * np.sqrt(np.maximum(sizes, 0))) @ axes.T


def smallest_detectable(found: Estimate, critical: float | None = None) -> float:
    """Return the smallest difference that this comparison would have shown 4 times of 5.

    An approximation: (critical + the 80 % quantile of t) standard errors.
    """
    if critical is None:
        critical = t_quantile((1 + LEVEL) / 2, found.clusters)
    return (critical + t_quantile(POWER, found.clusters)) * standard_error(found.deleted)


def autocorrelation(deleted: pd.Series, lag: int = 1) -> float:
    """Return the correlation of neighbouring clusters' pseudo-values, or of those `lag` apart.

    A pseudo-value is a cluster's share in the metric, linear in its deleted value, so both
    have the same correlation. Missing where the values are all equal.
    """
    values = deleted.to_numpy()
    if not np.ptp(values) > 1e-12 * np.abs(values).max():
        return nan
    spread = values - values.mean()
    return float((spread[lag:] * spread[:-lag]).sum() / (spread**2).sum())


def looks_serial(deleted: pd.Series) -> bool:
    """Whether neighbouring clusters are more alike than independent ones would be."""
    return autocorrelation(deleted) > 2 / sqrt(len(deleted))
