"""Sample-size planning: the number of clusters that would decide a comparison.

What is stored is enough: the difference, its standard error and the clusters that it comes from.
"""

from __future__ import annotations

from bisect import bisect_left
from math import ceil, inf, isfinite, nan, sqrt

import numpy as np
from scipy.special import gammaincinv, ndtr, stdtr

from crivo.statistics.intervals import POWER, t_quantile

# More than so many times the clusters isn't a plan: the answer is that it can't be decided.
MAX_TIMES = 100
# In how many equally probable places the spread of clusters is taken.
GRID = 400


def clusters_needed(
    value: float, se: float, critical: float, clusters: float, margin: float
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
        reach = t_quantile(1 - level / 2, count) + t_quantile(POWER, count)
        return distance >= reach * se * sqrt(clusters / count)

    counts = range(ceil(clusters), ceil(MAX_TIMES * clusters) + 1)
    place = bisect_left(counts, True, key=enough)
    return float(counts[place]) if place < len(counts) else inf


def clusters_for(
    chance: float, value: float, se: float, clusters: float, level: float, margin: float
) -> float:
    """Return with how many clusters a difference is decided with a chance; see `chance_decided`.

    Missing without a standard error; infinite beyond a hundred times the clusters.
    """
    if not se > 0:
        return nan

    def enough(count: float) -> bool:
        return chance_decided(count, value, se, clusters, level, margin) >= chance

    # The chance may fall a little again, so the first number that suffices is sought.
    low = high = ceil(clusters)
    while not enough(high):
        if high >= MAX_TIMES * clusters:
            return inf
        low, high = high, min(ceil(high * 1.1) + 1, ceil(MAX_TIMES * clusters))
    return float(low + bisect_left(range(low, high), True, key=enough))


def chance_decided(
    count: float, value: float, se: float, clusters: float, level: float, margin: float
) -> float:
    """Return how probable it is that a difference is decided once there are `count` clusters.

    `value`, its standard error `se` and `clusters` are those of today, which stay among the rows;
    the new ones are like them. Neither the true difference nor the clusters' spread is taken for
    known: the former is anything around the one seen (a flat prior), and the latter has the
    uncertainty that so few clusters leave. Decided means better or worse at this `level`, or
    equivalent within the margin.
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
    moves = spread * sqrt(new)
    ends = [ndtr((limit - value / se) / moves) for limit in (-far, far, inside, -inside)]
    return float((ends[0] + 1 - ends[1] + ends[2] - ends[3]).mean())
