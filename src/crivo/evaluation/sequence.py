"""How sure each trial's verdict must be when trials come one after the other.

Each trial may spend a part of the 5 % error that was fixed before its result was seen, and what
it must reach depends on the trials up to it and on none that comes later. So a verdict, once
given, stays, and the trials may be read one at a time or all at once. What is controlled is the
family-wise error: the chance that any of all equals is ever called different.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.linalg import helmert
from scipy.special import stdtr, stdtrit

ALPHA = 0.05

# The part of the error that a plan keeps for trials beyond it.
RESERVE = 0.1

# Draws for each step: the fewer, the more differences there are. All of them lie where a |T| of
# the step is great, so that few are enough however little the step may spend.
MAX_DRAWS, MIN_DRAWS, MAX_CELLS = 500, 200, 20_000

# Of the earlier differences, how many are allowed for: those most like the new ones. Leaving
# out others asks for more, never for less.
MAX_EARLIER = 24

# A level is found as precisely as this, as a share of it.
PRECISION = 0.002

# Between these levels, on a scale of logarithms, Student's t is interpolated.
LEVELS = np.logspace(-16, 0, 600)
LOG_LEVELS = np.log(LEVELS)


@dataclass(frozen=True)
class Spending:
    """How much of the error may be spent up to a trial: `planned` trials in equal parts, or open.

    Open: 1 - 1/√(1 + j) of it up to trial j, for as many trials as there may be. A plan keeps a
    tenth, which trials beyond it spend in the open way.
    """

    planned: int | None = None

    def spent(self, trials: int) -> float:
        """Return the probability that may be spent on so many trials together."""
        if self.planned is None:
            return ALPHA * _open_part(trials)
        inside = min(trials, self.planned) / self.planned
        beyond = _open_part(max(trials - self.planned, 0))
        return ALPHA * ((1 - RESERVE) * inside + RESERVE * beyond)

    def level(self, trial: int) -> float:
        """Return what trial number `trial`, counted from 1, may spend."""
        return self.spent(trial) - self.spent(trial - 1)

    def left(self, trials: int) -> float:
        """Return what is left for others after so many trials."""
        return ALPHA - self.spent(trials)


def _open_part(trials: int) -> float:
    return 1 - 1 / sqrt(1 + trials)


def critical_at(level: float, freedom: float) -> float:
    """Return the |T| that one test of equals exceeds with the probability `level`."""
    return float(-stdtrit(freedom, level / 2))


def level_of(critical: float, freedom: float) -> float:
    """Return how often one test of equals exceeds a critical value."""
    return float(2 * stdtr(freedom, -critical))


class Step(NamedTuple):
    """What comes with a trial: a row per cluster, a column for each difference.

    That is one, against a reference named beforehand, or one against each model that a reference
    was chosen among. `unknown`: how many more there are whose numbers are lost. Where none is
    known (None), the step spends and nothing is gained from it.
    """

    differences: np.ndarray | None
    unknown: int = 0


def levels(steps: Sequence[Step], spending: Spending, known: Sequence[float] = ()) -> list[float]:
    """Return the level at which each step is to be tested, as if it were a single test.

    The level is such that the step spends what it may: the chance that one of its |T| is too
    great and none was before. Each T is divided by its own error, and what steps have in common
    is drawn (max-T). The more a trial is like earlier ones, the higher its level. `known`: the
    levels of the first steps, from an earlier call with the same ones.
    """
    found: list[float] = []
    earlier = _Columns()
    given: list[float] = []
    for place, step in enumerate(steps):
        allowed = spending.level(place + 1)
        own = _units(step.differences) if step.differences is not None else np.empty((0, 0))
        if not own.shape[1]:
            found.append(allowed / max(step.unknown, 1))
            continue
        if place < len(known):
            found.append(known[place])
            earlier.add(own)
            given += [found[-1]] * own.shape[1]
            continue
        allowed *= own.shape[1] / (own.shape[1] + step.unknown)
        kept = _most_alike(own, earlier.all)
        drawn = _Draws(own, earlier.all[:, kept], [given[i] for i in kept], place)
        found.append(drawn.level(allowed))
        earlier.add(own)
        given += [found[-1]] * own.shape[1]
    return found


def _units(step: np.ndarray) -> np.ndarray:
    """Return the centred columns, each of length 1; those without any difference are left out."""
    spread = step[:, ~np.isnan(step).any(axis=0)]
    spread = spread - spread.mean(axis=0)
    length = np.sqrt((spread**2).sum(axis=0))
    return spread[:, length > 0] / length[length > 0]


def _root(unit: np.ndarray) -> np.ndarray:
    """Return few rows whose columns have the same products as those of `unit`."""
    clusters, columns = unit.shape
    if columns >= clusters:
        return helmert(clusters) @ unit  # centred columns: one dimension less
    sizes, axes = np.linalg.eigh(unit.T @ unit)
    return (axes * np.sqrt(np.maximum(sizes, 0))) @ axes.T


class _Columns:
    """Columns to which others are added, without copying those that are there each time."""

    def __init__(self) -> None:
        self._count, self._room = 0, np.empty((0, 0))

    @property
    def all(self) -> np.ndarray:
        """All columns, in the order in which they were added."""
        return self._room[:, : self._count]

    def add(self, columns: np.ndarray) -> None:
        """Add columns after those that are there."""
        count = self._count + columns.shape[1]
        if count > self._room.shape[1]:
            room = np.empty((len(columns), 2 * count))
            if self._count:
                room[:, : self._count] = self.all
            self._room = room
        self._room[:, self._count : count] = columns
        self._count = count


def _most_alike(own: np.ndarray, earlier: np.ndarray) -> list[int]:
    """Return which of the earlier columns are most like the step's, at most `MAX_EARLIER`."""
    if earlier.shape[1] <= MAX_EARLIER:
        return list(range(earlier.shape[1]))
    alike = np.abs(own.T @ earlier).max(axis=0).round(9)
    least = np.partition(alike, -MAX_EARLIER)[-MAX_EARLIER]
    more = np.flatnonzero(alike > least)
    # Of those that are equally alike, the first.
    equal = np.flatnonzero(alike == least)[: MAX_EARLIER - len(more)]
    return sorted([*more.tolist(), *equal.tolist()])


@lru_cache(maxsize=24)
def _quantiles(freedom: int) -> np.ndarray:
    """Return the quantiles of Student's t at `LEVELS`, whose halves are beyond them."""
    found: np.ndarray = stdtrit(freedom, LEVELS / 2)
    return found


@lru_cache(maxsize=24)
def _standard(draws: int, size: int, freedom: int, place: int) -> tuple[np.ndarray, np.ndarray]:
    """Return normal numbers, and a Wishart matrix's root by Bartlett's (1933) decomposition."""
    random = np.random.default_rng((0, place))
    lower = np.tril(random.standard_normal((draws, size, size)), -1)
    places = np.arange(size)
    lower[:, places, places] = np.sqrt(random.chisquare(freedom - places, (draws, size)))
    return random.standard_normal((draws, size)), lower


class _Draws:
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
    ) -> None:
        self._freedom = len(own) - 1
        self._columns = own.shape[1]
        self._reached = np.array([critical_at(level, self._freedom) ** 2 for level in given])
        columns = np.column_stack([own, earlier]) if earlier.size else own
        root = _root(columns)
        draws = int(np.clip(MAX_CELLS // columns.shape[1], MIN_DRAWS, MAX_DRAWS))
        # Each column of the step is drawn from equally often.
        draws = -(-draws // self._columns) * self._columns
        self._quantiles = _quantiles(self._freedom)
        normal, lower = _standard(draws, len(root), self._freedom, place)
        self._tops = normal @ root
        spread = root.T @ lower
        self._squares = (spread**2).sum(axis=2)
        rows, pivot = np.arange(draws), np.arange(draws) % self._columns
        self._alike = (root.T @ root)[pivot]
        self._shared = (spread @ spread[rows, pivot][:, :, None])[:, :, 0]
        self._top, self._square = self._tops[rows, pivot], self._squares[rows, pivot]
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
        moved = self._alike * stretch[:, None]
        squares = self._squares + 2 * moved * self._shared + moved**2 * self._square[:, None]
        tops = self._tops + self._alike * (top - self._top)[:, None]
        values = tops**2 * freedom / np.maximum(squares, 1e-300)
        # Rounding must not bring back a column that was put beyond the critical value.
        count = (values[:, : self._columns] >= critical * (1 - 1e-4)).sum(axis=1)
        before = (values[:, self._columns :] > self._reached).any(axis=1)
        return float(self._columns * level * np.mean(~before / np.maximum(count, 1)))

    def level(self, allowed: float) -> float:
        """Return the level at which the step spends what is allowed."""
        low, high = allowed / self._columns, ALPHA
        while high - low > PRECISION * low:
            middle = sqrt(low * high)
            if self.probability(middle) > allowed:
                high = middle
            else:
                low = middle
        return low
