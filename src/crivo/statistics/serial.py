"""Serial correlation of clusters in time order, estimated from jackknife values.

It says how many neighbours should form one block, and how much wider an interval should be.
All functions take `deleted`, shape (G,), in the order of the clusters. A pseudo-value is linear in
the number without its cluster, so both have the same correlation.
"""

from __future__ import annotations

from math import ceil, nan, sqrt

import numpy as np
from scipy.special import stdtrit

# Beyond this the formula asks for blocks longer than any table; so many must remain.
MAX_AUTOCORRELATION = 0.9
MIN_BLOCKS = 4
# An error is estimated from so many waves: more would be narrower, and faster than what lasts.
WAVES = 4
# Beyond this autocorrelation what slower waves have more is too uncertain to add; so few clusters
# have no slow waves.
MAX_WIDENED, MIN_ORDERED = 0.5, 8


def autocorrelation(deleted: np.ndarray, lag: int = 1) -> float:
    """Return the correlation of neighbouring clusters' pseudo-values, or of those `lag` apart.

    Missing where the values are all equal.
    """
    if not np.ptp(deleted) > 1e-12 * np.abs(deleted).max():
        return nan
    spread = deleted - deleted.mean()
    return float((spread[lag:] * spread[:-lag]).sum() / (spread**2).sum())


def looks_serial(deleted: np.ndarray) -> bool:
    """Whether neighbouring clusters are more alike than independent ones would be."""
    return autocorrelation(deleted) > 2 / sqrt(len(deleted))


def unbiased(found: float, count: int) -> float:
    """Return a first autocorrelation without its bias in a short series (Kendall 1954)."""
    return found + (1 + 4 * found) / count


def longer_blocks(deleted: np.ndarray) -> int:
    """Return how many neighbouring clusters should be one, by the autocorrelation of all.

    The block for which the error of the standard error is least (Andrews 1991, with Bartlett's
    weights; Künsch 1989) when values are an autoregression of first order with noise: the
    autocorrelation of lag k is r phi^(k - 1), where phi is the second's ratio to the first, r. In a
    short series both are too low, by about (1 + 4r) / n, which is added (`unbiased`).
    """
    count, first = len(deleted), autocorrelation(deleted)
    if not first > 0:
        return 1
    missing = (1 + 4 * first) / count
    r = min(first + missing, MAX_AUTOCORRELATION)
    phi = min(max((autocorrelation(deleted, 2) + missing) / r, r), MAX_AUTOCORRELATION)
    slope = 2 * r / (1 - phi) ** 2 / (1 + 2 * r / (1 - phi))
    return max(1, min(ceil(1.1447 * (slope**2 * count) ** (1 / 3)), count // MIN_BLOCKS))


def times_as_wide(deleted: np.ndarray, clusters: float, level: float = 0.95) -> float:
    """Return how many times as wide the interval of a number of ordered clusters must be; >= 1.

    1 unless neighbours look alike. Then its error is that of the slowest waves that fit into the
    clusters, which only what lasts for long moves; there are few, so t has few degrees of freedom
    (Müller 2007; Lazarus, Lewis, Stock & Watson 2018). What slower ones would have more of an
    autoregression is added. `clusters`: how many count.
    """
    count = len(deleted)
    if count < MIN_ORDERED or not (found := autocorrelation(deleted)) > -1 / (count + 4):
        return 1.0
    r = min(unbiased(found, count), MAX_WIDENED)
    numbers = np.arange(1, WAVES + 1)
    waves = np.cos(np.pi * np.outer(numbers, np.arange(count) + 0.5) / count) * sqrt(2 / count)
    spread = deleted - deleted.mean()
    slow = (waves @ spread) ** 2
    power = 1 / (1 - 2 * r * np.cos(np.pi * numbers / count) + r**2)
    more = 1 / (1 - r) ** 2 / power.mean()
    ratio = slow.mean() * more * (count - 1) / (spread**2).sum()
    probability, freedom = (1 + level) / 2, min(WAVES, clusters - 1)
    wider = stdtrit(freedom, probability) / stdtrit(clusters - 1, probability)
    return max(1.0, float(wider * sqrt(ratio)))
