"""Order in time: whether neighbouring clusters are alike, and how long blocks should be then.

A pseudo-value is a cluster's share in a number, linear in the number without it, so both have the
same correlation. All functions take `deleted`, shape (G,), in the order of the clusters.
"""

from __future__ import annotations

from math import ceil, nan, sqrt

import numpy as np

# Beyond this the formula asks for blocks longer than any table; so many must remain.
MAX_AUTOCORRELATION = 0.9
MIN_BLOCKS = 4


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
