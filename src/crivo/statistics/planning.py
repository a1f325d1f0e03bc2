"""Sample-size planning: the number of clusters that would decide a comparison.

What is stored is enough: the difference, its standard error and the clusters that it comes from.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, inf, isfinite, log2, nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import gammaincinv, ndtr, stdtr

from crivo.statistics.intervals import POWER, t_quantile

# More than so many times the clusters isn't a plan: the answer is that it can't be decided.
MAX_TIMES = 100
# In how many equally probable places the spread of clusters is taken.
GRID = 400
# Fewer trials don't tell how large effects are. Steps of the EM algorithm.
MIN_TRIALS, STEPS = 5, 200
NEGLIGIBLE = 1e-5


def clusters_needed(
    value: float, se: float, critical: float, clusters: float, margin: float = 0
) -> float:
    """Return with how many clusters an undecided difference would be decided 4 times of 5.

    The true difference is taken to be the one seen, and the standard error to fall as 1/√n. With n
    clusters the difference is to be as far from 0 as (critical + the 80 % quantile of t) standard
    errors, or that far inside the margin, whichever takes fewer; both have n - 1 degrees of
    freedom, and the level stays that of `critical`. Missing without a standard error; infinite
    beyond a hundred times the clusters.

    `value`, `se`: the difference and its standard error on these rows, from `clusters` clusters;
    `margin` in the same unit.
    """
    if not (se > 0 and isfinite(critical)):
        return nan
    distance = max(abs(value), margin - abs(value))
    level = 2 * float(stdtr(clusters - 1, -critical))

    def enough(count: float) -> bool:
        return distance >= _reach(level, count) * se * sqrt(clusters / count)

    low, high = ceil(clusters), ceil(MAX_TIMES * clusters)
    if not enough(high):
        return inf
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return float(low)


@lru_cache(maxsize=4096)
def _reach(level: float, count: float) -> float:
    """Return how many standard errors a difference has to be from 0; metrics share their level."""
    return t_quantile(1 - level / 2, count) + t_quantile(POWER, count)


class Effects(NamedTuple):
    """How large true differences are: a mixture of normal distributions around 0.

    `sizes`: their standard deviations, in the unit of a difference; `shares`: how often each.
    """

    sizes: np.ndarray
    shares: np.ndarray

    def given(self, value: float, se: float) -> tuple[np.ndarray, np.ndarray]:
        """Return each part's probability once a difference was seen, and by what it is shrunk."""
        variance = self.sizes**2 + se**2
        seen = self.shares * _density(value, variance)
        return seen / seen.sum(), self.sizes**2 / variance


def effects_of(values: np.ndarray, errors: np.ndarray) -> Effects | None:
    """Return how large the true differences of some trials are; None if there are too few trials.

    Adaptive shrinkage (Stephens 2017): the likeliest mixture of normals around 0, found by the EM
    algorithm, after one more trial that may have had an effect of any of these sizes. `values`,
    `errors`: the trials' differences and standard errors, shape (trials,).
    """
    values, errors = values[errors > 0], errors[errors > 0]
    if len(values) < MIN_TRIALS:
        return None
    steps = ceil(log2(20 * max(np.abs(values / errors).max(), 1)))
    sizes = np.append(0, np.median(errors) / 10 * 2.0 ** np.arange(steps + 1))
    likelihood = _density(values[:, None], sizes**2 + errors[:, None] ** 2)
    shares = np.full(len(sizes), 1 / len(sizes))
    for _ in range(STEPS):
        parts = shares * likelihood
        counts = (parts / parts.sum(axis=1, keepdims=True)).sum(axis=0)
        shares = (counts + 1 / len(sizes)) / (len(values) + 1)
    return Effects(sizes, shares)


def _density(values: np.ndarray | float, variance: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(-(np.asarray(values) ** 2) / (2 * variance)) / np.sqrt(variance))


def clusters_for(
    chance: float,
    value: float,
    se: float,
    clusters: float,
    level: float,
    margin: float = 0,
    effects: Effects | None = None,
) -> float:
    """Return with how many clusters a difference is decided with a chance; see `chance_decided`.

    Infinite beyond a hundred times the clusters.
    """

    def enough(count: float) -> bool:
        return chance_decided(count, value, se, clusters, level, margin, effects) >= chance

    low, most = float(ceil(clusters)), ceil(MAX_TIMES * clusters)
    if enough(low):
        return low
    # The chance may fall a little again, so the first number that suffices is sought.
    high = low
    while not enough(high):
        if high >= most:
            return inf
        low, high = high, min(ceil(high * 1.1) + 1.0, most)
    while high - low > 1:
        middle = float((low + high) // 2)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def chance_decided(
    count: float,
    value: float,
    se: float,
    clusters: float,
    level: float,
    margin: float = 0,
    effects: Effects | None = None,
) -> float:
    """Return how probable it is that a difference is decided once there are `count` clusters.

    `value`, its standard error `se` and `clusters` are those of today, which stay among the rows;
    the new ones are like them. Neither the true difference nor the clusters' spread is taken for
    known: the former is one of `effects`, or anything around the one seen (a flat prior), and the
    latter has the uncertainty that so few clusters leave. Decided means better or worse at this
    `level`, or equivalent within the margin.
    """
    freedom = clusters - 1
    if not (se > 0 and freedom > 0 and count >= clusters):
        return nan
    places = (np.arange(GRID) + 0.5) / GRID
    # The clusters' true spread as a multiple of the one seen.
    spread = np.sqrt(freedom / (2 * gammaincinv(freedom / 2, places)))
    new = (count - clusters) / count
    seen_then = np.sqrt((freedom + (count - clusters) * spread**2) / (count - 1))
    reach = t_quantile(1 - level / 2, count) * sqrt(clusters / count) * seen_then
    inside = np.maximum(margin / se - reach, 0.0)
    far = np.maximum(reach, inside)
    if new <= 0:
        return float(abs(value / se) >= far[0] or abs(value / se) < inside[0])
    parts = [(1.0, 1.0)] if effects is None else zip(*effects.given(value, se), strict=True)
    chance = 0.0
    for share, kept in parts:
        if share < NEGLIGIBLE:
            continue
        # The mean of the new clusters is around `kept` of the difference that was seen.
        middle = value / se * (1 - new * (1 - kept))
        moves = spread * sqrt(new * (new * kept + 1 - new))
        ends = [ndtr((limit - middle) / moves) for limit in (-far, far, inside, -inside)]
        decided = ends[0] + 1 - ends[1] + ends[2] - ends[3]
        chance += share * float(decided.mean())
    return chance
