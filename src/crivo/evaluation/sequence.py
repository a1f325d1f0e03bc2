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
from math import prod, sqrt
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

# So many numbers are worked on at once that the processor's own memory holds them.
AT_ONCE = 12_000

# Of the earlier differences, how many are allowed for: those most like the new ones. Leaving
# out others asks for more, never for less.
MAX_EARLIER = 24

# A step of more differences shares what it may spend equally among them (Bonferroni): it asks for
# more than draws would. The work of drawing grows with about the cube of their number.
MAX_DRAWN = 128

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
    earlier, room = _Columns(), _Room()
    given: list[float] = []
    for place, step in enumerate(steps):
        allowed = spending.level(place + 1)
        own = _units(step.differences) if step.differences is not None else np.empty((0, 0))
        if not own.shape[1]:
            found.append(allowed / max(step.unknown, 1))
            continue
        if own.shape[1] > MAX_DRAWN:
            found.append(allowed / (own.shape[1] + step.unknown))
            continue
        if place < len(known):
            found.append(known[place])
            earlier.add(own)
            given += [found[-1]] * own.shape[1]
            continue
        allowed *= own.shape[1] / (own.shape[1] + step.unknown)
        kept = _most_alike(own, earlier.all)
        drawn = _Draws(own, earlier.all[:, kept], [given[i] for i in kept], place, room)
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


def count_usable(step: np.ndarray) -> int:
    """Return how many columns of a step hold a difference: all numbers there, and not all alike."""
    return _units(step).shape[1]


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


class _Room:
    """Memory that every step uses again: asking for new memory takes longer than the numbers."""

    def __init__(self) -> None:
        self._kept = np.empty(0)

    def of(self, shape: tuple[int, ...]) -> np.ndarray:
        """Return an array of a shape, whose numbers are whatever was there."""
        size = prod(shape)
        if size > len(self._kept):
            self._kept = np.empty(size)
        return self._kept[:size].reshape(shape)


def _standard(
    draws: int, size: int, freedom: int, place: int, room: _Room
) -> tuple[np.ndarray, np.ndarray]:
    """Return normal numbers, and a Wishart matrix's root by Bartlett's (1933) decomposition.

    The root stands in the room, and is there until the next one.
    """
    random = np.random.default_rng((0, place))
    lower = random.standard_normal(out=room.of((draws, size, size)))
    lower[:, ~np.tri(size, k=-1, dtype=bool)] = 0
    places = np.arange(size)
    lower[:, places, places] = np.sqrt(random.chisquare(freedom - places, (draws, size)))
    return random.standard_normal((draws, size)), lower


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
        room: _Room,
    ) -> None:
        self._freedom = len(own) - 1
        self._columns = own.shape[1]
        reached = [critical_at(level, self._freedom) ** 2 for level in given]
        self._reached = np.array(reached)[:, None]
        columns = np.column_stack([own, earlier]) if earlier.size else own
        root = _root(columns)
        draws = int(np.clip(MAX_CELLS // columns.shape[1], MIN_DRAWS, MAX_DRAWS))
        # Each column of the step is drawn from equally often.
        draws = -(-draws // self._columns) * self._columns
        self._quantiles = _quantiles(self._freedom)
        normal, lower = _standard(draws, len(root), self._freedom, place, room)
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
