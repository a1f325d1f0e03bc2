"""Departures from independent normal clusters: skewness and serial correlation, and what follows.

Few rows or clusters that carry a difference make its distribution skewed, and neighbouring
clusters that are alike make its error too small. Both are estimated from the difference itself and
from those of the trials before it, never from later ones, so that these change no verdict.
Where they are more than chance, an interval reaches further, and longer blocks are advised.

`deleted`, shape (G,), is in the order of the clusters. A pseudo-value is linear in the number
without its cluster, so both have the same correlation.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import gammainccinv, stdtr, stdtrit

# A skewness beyond so many of its errors isn't chance (one-sided 5 %). The tail that makes it is
# mostly not in a few clusters: twelve log-normal ones show a quarter of theirs, and more clusters
# show more. It counts `MAX_HIDDEN` times at most, else 1 + `HIDDEN` / clusters times.
SURE, HIDDEN, MAX_HIDDEN = 1.64, 36.0, 4.0
# What few clusters don't rule out is more, too: 1 + `UNKNOWN` / clusters times as many errors.
UNKNOWN = 4.0
# An autocorrelation counts beyond so many of its errors: missing it costs more than a false one.
SERIAL = 1.0
# Differences from one reference have a correlation of a half if the models have nothing else in
# common; their autocorrelations then have its square, their skewnesses its third power.
SHARED = 0.5
# A smaller skewness moves no limit that is shown; fewer clusters show no shape.
SLIGHT, MIN_SHAPE = 0.01, 8


class Departures(NamedTuple):
    """What an interval is to allow for: skewness to each side, and the autocorrelation.

    `below`, `above`: the skewness of the number's distribution towards smaller and larger numbers,
    none below 0. `serial`: the correlation of neighbouring clusters.
    """

    below: float = 0.0
    above: float = 0.0
    serial: float = 0.0

    def facing_zero(self, low: float, high: float) -> Departures:
        """Return it without the skewness to the side of an interval's end that is far from 0."""
        return self._replace(
            below=0.0 if high < 0 else self.below, above=0.0 if low > 0 else self.above
        )


NONE = Departures()


def all_of(found: Mapping[str, Departures]) -> Departures:
    """Return what allows for all of these."""
    return Departures(*(max(each) for each in zip(NONE, *found.values(), strict=True)))


def of_skewness(skewness: float) -> Departures:
    """Return the departures of a number whose distribution has this skewness."""
    return Departures(max(-skewness, 0.0), max(skewness, 0.0))


def of_clusters(deleted: np.ndarray, effective: float, more: float = 0.0) -> Departures:
    """Return the skewness that clusters show; see `of_neighbours`.

    The skewness of a sum of independent terms is their third moments' sum over their variance's
    to the power of 3/2. `effective`: how many equal clusters would say as much.
    """
    if effective < MIN_SHAPE:
        return NONE
    spread, squares = _spread(deleted)
    found = (spread**3).sum(axis=1) / squares**1.5
    error = sqrt(6 * (effective - 2) / ((effective + 1) * (effective + 3)) / effective)
    together = error * sqrt(SHARED**3 + (1 - SHARED**3) / len(found))
    hidden = min(1 + HIDDEN / effective, MAX_HIDDEN)
    sides = []
    for sign in (-1, 1):
        allowed = 0.0
        for value, own in ((found[-1], error), (found.mean(), together)):
            if (seen := sign * float(value)) > 0:
                seen += more * (1 + UNKNOWN / effective) * own
                allowed = max(allowed, hidden * seen if seen > SURE * own else seen)
        sides.append(allowed)
    return Departures(*sides)


def of_neighbours(deleted: np.ndarray, more: float = 0.0) -> Departures:
    """Return the autocorrelation that clusters in their order show, if it is more than chance.

    `deleted`: shape (trials, G), the difference without each cluster, after those of the trials
    before it. `more`: so many standard errors are added to what is seen, for what the data don't
    rule out.
    """
    spread, squares = _spread(deleted)
    trials, count = spread.shape
    if count < MIN_SHAPE:
        return NONE
    found = float(((spread[:, 1:] * spread[:, :-1]).sum(axis=1) / squares).mean())
    error = sqrt((SHARED**2 + (1 - SHARED**2) / trials) / count)
    # Independent values have one of -1 / count on average.
    if not 0 < found + 1 / count > (SERIAL - more) * error:
        return NONE
    found += more * error
    return Departures(serial=min(max(unbiased(found, count), 0.0), MAX_AUTOCORRELATION))


def _spread(deleted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how far clusters move each number, and the sums of squares; 1 where none does."""
    spread = deleted.mean(axis=1, keepdims=True) - deleted
    squares = (spread**2).sum(axis=1)
    return spread, np.where(squares > 0, squares, 1.0)


def serial_factor(serial: float, clusters: float) -> float:
    """Return how many times too small the standard error of an autoregression's mean is.

    The variance of a mean is (1 + r) / (1 - r) times that of independent clusters; around their
    own mean, clusters that are alike also seem to differ less than they do.

    >>> round(serial_factor(0.5, 12), 3)
    1.915
    """
    times = (1 + serial) / (1 - serial)
    return sqrt(times * (clusters - 1) / max(clusters - times, 1.0))


def reaches(critical: float, clusters: float, found: Departures) -> tuple[float, float]:
    """Return how many standard errors an interval reaches to smaller and to larger numbers.

    `critical`: that of independent normal clusters. Clusters that are alike count as fewer when
    their spread is estimated (Bartlett 1935). To the side of a tail, the interval reaches at least
    as far as the exact one of a Poisson count with the same skewness (Garwood 1936): the count of
    rare clusters or rows is what is uncertain then.
    """
    level = float(stdtr(clusters - 1, -critical))
    if found.serial > 0:
        square = found.serial**2
        critical = -float(stdtrit(max(clusters * (1 - square) / (1 + square) - 1, 2.0), level))
    below, above = (max(critical, _of_count(level, tail)) for tail in (found.below, found.above))
    return below, above


def _of_count(level: float, skewness: float) -> float:
    """Return how many standard errors a Poisson count's upper limit is above it.

    >>> round(_of_count(0.025, 0.5), 3)  # of 4: 10.24 (Garwood 1936)
    3.121
    """
    if skewness < SLIGHT:
        return 0.0
    count = 1 / skewness**2
    return float((gammainccinv(count + 1, level) - count) / sqrt(count))


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
    r = min(unbiased(first, count), MAX_AUTOCORRELATION)
    second = autocorrelation(deleted, 2) + (1 + 4 * first) / count
    phi = min(max(second / r, r), MAX_AUTOCORRELATION)
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
