"""Max-T: the distribution of the largest |T| of several differences, by simulation.

All are differences of equals, each T is divided by its own error, and what the differences have
in common stays: their numerators are normal, and their sums of squares form a Wishart matrix.
`critical_value` is for candidates that are judged together, `Draws` for a step of a sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, prod, sqrt
from typing import NamedTuple

import numpy as np
from scipy.linalg import helmert
from scipy.special import stdtr, stdtrit

from crivo.statistics.intervals import LEVEL, Estimate, t_quantile

# Draws for each step of a sequence: the fewer, the more differences there are. All of them lie
# where a |T| of the step is great, so that few are enough however little the step may spend.
MAX_STEP_DRAWS, MIN_STEP_DRAWS, MAX_CELLS = 500, 200, 20_000

# Draws of the greatest |T|: fewer where many candidates make each of them dear. They are made
# in batches, which bound the memory.
DRAWS, MIN_DRAWS, MAX_BINS, BATCH = 40_000, 3_000, 40_000_000, 250

# So many numbers are worked on at once that the processor's own memory holds them.
AT_ONCE = 12_000

# A level is found as precisely as this, as a share of it.
PRECISION = 0.002

# Between these levels, on a scale of logarithms, Student's t is interpolated.
LEVELS = np.logspace(-16, 0, 600)
LOG_LEVELS = np.log(LEVELS)


def critical_at(level: float, freedom: float) -> float:
    """Return the |T| that one test of equals exceeds with the probability `level`."""
    return float(-stdtrit(freedom, level / 2))


def root_of(unit: np.ndarray) -> np.ndarray:
    """Return few rows whose columns have the same products: `root.T @ root = unit.T @ unit`.

    `unit`: shape (G, columns), centred. Both ways a slight change of the columns is a slight change
    of the root, so that the draws stay what they are on another machine.
    """
    clusters, columns = unit.shape
    if columns >= clusters:
        return helmert(clusters) @ unit  # centred columns: one dimension less
    sizes, axes = np.linalg.eigh(unit.T @ unit)
    return (axes * np.sqrt(np.maximum(sizes, 0))) @ axes.T


@lru_cache(maxsize=24)
def _quantiles(freedom: int) -> np.ndarray:
    """Return the quantiles of Student's t at `LEVELS`, whose halves are beyond them."""
    found: np.ndarray = stdtrit(freedom, LEVELS / 2)
    return found


class Room:
    """Memory that every step uses again: asking for new memory takes longer than the numbers."""

    def __init__(self) -> None:
        self._kept = np.empty(0)

    def of(self, shape: tuple[int, ...]) -> np.ndarray:
        """Return an array of a shape, whose numbers are whatever was there."""
        size = prod(shape)
        if size > len(self._kept):
            self._kept = np.empty(size)
        return self._kept[:size].reshape(shape)


def wishart_roots(room: np.ndarray, freedom: float, random: np.random.Generator) -> np.ndarray:
    """Return draws of a Wishart matrix's root by Bartlett's (1933) decomposition.

    It needs few numbers however many clusters there are. `room`: shape (draws, size, size), in
    which they are made; `freedom`: more than size - 1, and may be a fraction.
    """
    lower = random.standard_normal(out=room)
    draws, size, _ = lower.shape
    lower[:, ~np.tri(size, k=-1, dtype=bool)] = 0
    places = np.arange(size)
    lower[:, places, places] = np.sqrt(random.chisquare(freedom - places, (draws, size)))
    return lower


def _squares(
    root: np.ndarray, lower: np.ndarray, pivot: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return each draw's sums of squares of the columns, and of products with its pivot."""
    squares, shared = np.empty((2, len(lower), root.shape[1]))
    some = max(1, AT_ONCE // root.size)
    for start in range(0, len(lower), some):
        part = slice(start, start + some)
        spread = root.T @ lower[part]
        own = spread[np.arange(len(spread)), pivot[part]]
        squares[part] = (spread**2).sum(axis=2)
        shared[part] = (spread @ own[:, :, None])[:, :, 0]
    return squares, shared


class Draws:
    """Draws of equals in which a |T| of the step is too great, with all |T| before it.

    Simulated where it is rare: draw d has column d mod m of the step's m beyond the critical
    value, and counts 1 / (how many of the m are), so that their mean is that of the union.
    """

    def __init__(
        self,
        own: np.ndarray,
        earlier: np.ndarray,
        given: Sequence[float],
        place: int,
        room: Room,
    ) -> None:
        self._freedom = len(own) - 1
        self._columns = own.shape[1]
        reached = [critical_at(level, self._freedom) ** 2 for level in given]
        self._reached = np.array(reached)[:, None]
        columns = np.column_stack([own, earlier]) if earlier.size else own
        root = root_of(columns)
        draws = int(np.clip(MAX_CELLS // columns.shape[1], MIN_STEP_DRAWS, MAX_STEP_DRAWS))
        # Each column of the step is drawn from equally often.
        draws = -(-draws // self._columns) * self._columns
        self._quantiles = _quantiles(self._freedom)
        random, size = np.random.default_rng((0, place)), len(root)
        lower = wishart_roots(room.of((draws, size, size)), self._freedom, random)
        normal = random.standard_normal((draws, size))
        rows, pivot = np.arange(draws), np.arange(draws) % self._columns
        squares, shared = _squares(root, lower, pivot)
        tops, alike = normal @ root, (root.T @ root)[pivot]
        self._top, self._square = tops[rows, pivot], squares[rows, pivot]
        # A row per column, so that each draw's numbers lie side by side with the other draws'.
        self._tops, self._alike, self._squares, self._twice_shared = (
            np.ascontiguousarray(table.T) for table in (tops, alike, squares, 2 * shared)
        )
        self._moved, self._sum = np.empty((2, *self._tops.shape))
        scale = np.sqrt(self._square / self._freedom)
        # A T's level is independent of its numerator's and denominator's common length.
        self._level = 2 * stdtr(self._freedom, -np.abs(self._top) / scale)

    def probability(self, level: float) -> float:
        """Return how often the step, tested at a level, and none before it, is too great."""
        freedom = self._freedom
        critical = critical_at(level, freedom) ** 2
        logs = np.log(np.maximum(level * self._level, LEVELS[0]))
        pivot = np.interp(logs, LOG_LEVELS, self._quantiles) ** 2
        total = self._top**2 + self._square
        top = np.sign(self._top) * np.sqrt(total * pivot / (freedom + pivot))
        stretch = np.sqrt(total * freedom / (freedom + pivot) / self._square) - 1
        values = self._values(top, stretch)
        # Rounding must not bring back a column that was put beyond the critical value.
        count = (values[: self._columns] >= critical * (1 - 1e-4)).sum(axis=0)
        before = (values[self._columns :] > self._reached).any(axis=0)
        return float(self._columns * level * np.mean(~before / np.maximum(count, 1)))

    def _values(self, top: np.ndarray, stretch: np.ndarray) -> np.ndarray:
        """Return all T² where the pivots' numerators and denominators are moved."""
        # In place: this is where a comparison of many experiments spends its time.
        moved, squares = self._moved, self._sum
        np.multiply(self._alike, stretch, out=moved)
        np.multiply(moved, self._twice_shared, out=squares)
        squares += self._squares
        moved *= moved
        moved *= self._square
        squares += moved
        np.maximum(squares, 1e-300, out=squares)
        np.multiply(self._alike, top - self._top, out=moved)
        moved += self._tops
        moved *= moved
        moved *= self._freedom
        moved /= squares
        return moved

    def level(self, allowed: float, highest: float) -> float:
        """Return the level, of those up to `highest`, at which the step spends what is allowed."""
        low, high = allowed / self._columns, highest
        while high - low > PRECISION * low:
            middle = sqrt(low * high)
            if self.probability(middle) > allowed:
                high = middle
            else:
                low = middle
        return low


# --- candidates that are judged together ----------------------------------------------------------


def critical_value(
    differences: np.ndarray,
    seed: int = 0,
    *,
    effective: float | None = None,
    level: float = LEVEL,
    upper: bool = False,
) -> float:
    """Return how many standard errors an interval must reach when there are many candidates.

    `differences`: shape (G, candidates), in any unit for each. The 95 % quantile of the
    greatest |T| of candidates with the same correlation (Dunnett 1955; Hothorn, Bretz &
    Westfall 2008), each T with a standard error of its own, as the intervals have. One error
    common to all, as in a multivariate t, would be too narrow with few clusters. Candidates
    without any difference don't count. For one candidate it is the quantile of t. `effective`:
    the effective clusters, where they aren't all equal. `upper`: of the greatest T, not |T|.
    """
    clusters = Estimate(0.0, np.zeros(len(differences)), effective).clusters
    single = t_quantile(level if upper else (1 + level) / 2, clusters)
    known = np.ascontiguousarray(differences[:, ~np.isnan(differences).any(axis=0)].T)
    spread = (known - known.mean(axis=1, keepdims=True)).T
    length = np.sqrt((spread**2).sum(axis=0))
    unit = spread[:, length > 0] / length[length > 0]
    if unit.shape[1] < 2:
        return single
    # Sorted, because the candidates' order is no matter; rounded, so that ties stay ties.
    root = root_of(unit[:, np.lexsort(np.round(unit, 9))])
    greatest = _greatest(root, clusters - 1, np.random.default_rng(seed), upper)
    return max(single, float(np.quantile(greatest, level)))


class Critical(NamedTuple):
    """A critical value, and the clusters whose degrees of freedom it is for."""

    value: float
    clusters: float

    def for_clusters(self, clusters: float) -> float:
        """Return the critical value of the same level where other clusters count."""
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
        squares = _diagonals(root, freedom, count, random)
        drawn = (random.standard_normal((count, size)) @ root) / np.sqrt(squares / freedom)
        maxima.append((drawn if upper else np.abs(drawn)).max(axis=1))
    return np.concatenate(maxima)


def _diagonals(
    root: np.ndarray, freedom: float, count: int, random: np.random.Generator
) -> np.ndarray:
    """Return draws of the sums of squares of correlated candidates: a Wishart matrix's diagonal.

    With fewer degrees of freedom than candidates, by the squares themselves; the last of them
    counts in part.
    """
    size = len(root)
    if freedom <= size - 1:
        part = np.ones(ceil(freedom))
        part[-1] = freedom - len(part) + 1
        drawn = random.standard_normal((count, len(part), size)) @ root
        return np.einsum("k,nkj->nj", part, drawn**2)
    drawn = root.T @ wishart_roots(np.empty((count, size, size)), freedom, random)
    return np.einsum("nik,nik->ni", drawn, drawn)
