"""Max-T: the distribution of the largest |T| of several differences, by simulation.

All are differences of equals, each T is divided by its own error, and what the differences have
in common stays: their numerators are normal, and their sums of squares form a Wishart matrix.
`Draws` are those of a step of a sequence, or of candidates that are judged together.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt

import numpy as np
from scipy.linalg import helmert
from scipy.special import stdtr, stdtrit

from crivo.statistics.intervals import LEVEL, Estimate, t_quantile

# Draws: the fewer, the more differences there are. All of them lie where a |T| is great, so few are
# enough however little a step may spend. Candidates that are judged together are drawn once.
MAX_STEP_DRAWS, MIN_STEP_DRAWS, MAX_CELLS = 500, 200, 20_000
DRAWS, MIN_DRAWS, MAX_BINS = 4_000, 1_000, 16_000_000

# So many numbers are in memory at once.
AT_ONCE = 5_000_000

# A level is found as precisely as this, as a share of it.
PRECISION = 0.002

# Student's t beyond a smaller level isn't told apart.
LEAST_LEVEL = 1e-16


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


def _spreads(
    root: np.ndarray, freedom: float, draws: int, random: np.random.Generator
) -> np.ndarray:
    """Return draws of vectors whose products form a Wishart matrix: (draws, columns, length).

    By Bartlett's (1933) decomposition, which needs few numbers however many clusters there are.
    With fewer degrees of freedom than the root has rows, by the vectors themselves; the last of
    them counts in part.
    """
    size = len(root)
    if freedom <= size - 1:
        part = np.ones(ceil(freedom))
        part[-1] = sqrt(freedom - len(part) + 1)
        return root.T @ (random.standard_normal((draws, size, len(part))) * part)
    lower = random.standard_normal((draws, size, size))
    lower[:, ~np.tri(size, k=-1, dtype=bool)] = 0
    places = np.arange(size)
    lower[:, places, places] = np.sqrt(random.chisquare(freedom - places, (draws, size)))
    return root.T @ lower


class Draws:
    """Draws of equals in which a |T| of some columns is too great, with all |T| before them.

    Simulated where it is rare: draw d has column d mod m of the m columns beyond the critical
    value, and counts 1 / (how many of the m are), so that their mean is that of the union.
    `given`: the levels of the earlier columns. `upper`: T counts, not |T|.
    """

    def __init__(
        self,
        unit: np.ndarray,
        columns: int,
        given: Sequence[float],
        *,
        seed: tuple[int, ...],
        freedom: float,
        draws: int,
        upper: bool = False,
    ) -> None:
        self._freedom, self._columns, self._upper = freedom, columns, upper
        reached = [critical_at(level, freedom) ** 2 for level in given]
        self._reached = np.array(reached)[:, None]
        root, random = root_of(unit), np.random.default_rng(seed)
        # Each column is drawn from equally often.
        pivot = np.arange(-(-draws // columns) * columns) % columns
        squares, shared = np.empty((2, len(pivot), root.shape[1]))
        some = max(1, AT_ONCE // root.size)
        for start in range(0, len(pivot), some):
            part = slice(start, start + some)
            spread = _spreads(root, freedom, len(pivot[part]), random)
            own = spread[np.arange(len(spread)), pivot[part]]
            squares[part] = (spread**2).sum(axis=2)
            shared[part] = (spread @ own[:, :, None])[:, :, 0]
        tops, rows = random.standard_normal((len(pivot), len(root))) @ root, np.arange(len(pivot))
        self._top, self._square = tops[rows, pivot], squares[rows, pivot]
        # A row per column, so that each draw's numbers lie side by side with the other draws'.
        self._tops, self._alike, self._squares, self._twice_shared = (
            np.ascontiguousarray(table.T)
            for table in (tops, (root.T @ root)[pivot], squares, 2 * shared)
        )
        scale = np.sqrt(self._square / freedom)
        # A T's level is independent of its numerator's and denominator's common length.
        self._level = 2 * stdtr(freedom, -np.abs(self._top) / scale)

    def probability(self, level: float) -> float:
        """Return how often a column, tested at a level, and none before it, is too great."""
        freedom, both_sides = self._freedom, 2 * level if self._upper else level
        critical = critical_at(both_sides, freedom) ** 2
        own = np.maximum(both_sides * self._level, LEAST_LEVEL)
        pivot = stdtrit(freedom, own / 2) ** 2
        total = self._top**2 + self._square
        side = 1.0 if self._upper else np.sign(self._top)
        top = side * np.sqrt(total * pivot / (freedom + pivot))
        stretch = np.sqrt(total * freedom / (freedom + pivot) / self._square) - 1
        # All numerators and denominators move with the pivot's.
        moved = self._alike * stretch
        squares = moved * self._twice_shared + self._squares + moved**2 * self._square
        numerators = self._alike * (top - self._top) + self._tops
        values = numerators**2 * freedom / np.maximum(squares, 1e-300)
        # Rounding must not bring back a column that was put beyond the critical value.
        beyond = values[: self._columns] >= critical * (1 - 1e-4)
        if self._upper:
            beyond &= numerators[: self._columns] > 0
        before = (values[self._columns :] > self._reached).any(axis=0)
        return float(self._columns * level * np.mean(~before / np.maximum(beyond.sum(axis=0), 1)))

    def level(self, allowed: float, highest: float) -> float:
        """Return the level, of those up to `highest`, at which just what is allowed is spent."""
        low, high = allowed / self._columns, highest
        while high - low > PRECISION * low:
            middle = sqrt(low * high)
            if self.probability(middle) > allowed:
                high = middle
            else:
                low = middle
        return low


def step_level(
    own: np.ndarray, earlier: np.ndarray, given: Sequence[float], place: int, allowed: float
) -> float:
    """Return the level at which a step of a sequence spends what is allowed, 5 % at most.

    `own`, `earlier`: shape (G, columns), centred and of length 1; `given`: the levels of the
    earlier ones; `place`: that of the step.
    """
    unit = np.column_stack([own, earlier]) if earlier.size else own
    draws = int(np.clip(MAX_CELLS // unit.shape[1], MIN_STEP_DRAWS, MAX_STEP_DRAWS))
    made = Draws(unit, own.shape[1], given, seed=(0, place), freedom=len(unit) - 1, draws=draws)
    return made.level(allowed, 1 - LEVEL)


def critical_value(
    differences: np.ndarray,
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
    unit = units(differences)
    if unit.shape[1] < 2:
        return single
    # Sorted, because the candidates' order is no matter; rounded, so that ties stay ties.
    unit = unit[:, np.lexsort(np.round(unit, 9))]
    draws = min(DRAWS, max(MIN_DRAWS, MAX_BINS // unit.size))
    made = Draws(unit, unit.shape[1], (), seed=(0,), freedom=clusters - 1, draws=draws, upper=upper)
    found = made.level(1 - level, 1 - level)
    return max(single, critical_at(2 * found if upper else found, clusters - 1))


def units(differences: np.ndarray) -> np.ndarray:
    """Return the centred columns, each of length 1; those without any difference are left out.

    So are those with a gap. Each column's sums are those of it alone.
    """
    known = np.ascontiguousarray(differences[:, ~np.isnan(differences).any(axis=0)].T)
    spread = (known - known.mean(axis=1, keepdims=True)).T
    length = np.sqrt((spread**2).sum(axis=0))
    return spread[:, length > 0] / length[length > 0]


def for_clusters(critical: float, clusters: float, others: float) -> float:
    """Return the critical value of the same level where other clusters count."""
    if clusters == others:
        return critical
    return float(stdtrit(others - 1, stdtr(clusters - 1, critical)))
