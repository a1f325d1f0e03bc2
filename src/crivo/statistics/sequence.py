"""Sequential testing: the part of the error that each trial may spend.

Each trial may spend a part of the 5 % error that was fixed before its result was seen, and what
it must reach depends on the trials up to it and on none that comes later. So later trials change
no verdict, and trials may be read one at a time or all at once. What is controlled is the
family-wise error, the chance that any of all equals is ever called different, if clusters are
independent and nearly normal; `crivo.statistics.departures` is for others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from crivo.statistics.max_t import step_level, units

ALPHA = 0.05

# The part of the error that a plan keeps for trials beyond it.
RESERVE = 0.1

# Of the earlier differences, how many are allowed for: those most like the new ones. Leaving
# out others asks for more, never for less.
MAX_EARLIER = 24

# A step of more differences shares what it may spend equally among them (Bonferroni): it asks for
# more than draws would. The work of drawing grows with about the cube of their number.
MAX_DRAWN = 128


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


class Step(NamedTuple):
    """What comes with a trial: a row per cluster, a column for each difference.

    That is one, against a reference named beforehand, or one against each model that a reference
    was chosen among. `unknown`: how many more there are whose numbers are lost. Where none is
    known (None), the step spends and nothing is gained from it. `earlier`: the places of the steps
    that came before it; None for all that stand before it.
    """

    differences: np.ndarray | None
    unknown: int = 0
    earlier: tuple[int, ...] | None = None

    def number(self, place: int) -> int:
        """Return which trial a step is that stands at a place, counted from 1."""
        return 1 + (place if self.earlier is None else len(self.earlier))


def levels(
    steps: Sequence[Step], spending: Spending, known: Mapping[int, float] | None = None
) -> list[float]:
    """Return the level at which each step is to be tested, as if it were a single test.

    The level is such that the step spends what it may: the chance that one of its |T| is too
    great and none was before. Each T is divided by its own error, and what steps have in common
    is drawn (max-T). The more a trial is like earlier ones, the higher its level. `known`: levels
    of steps by their places, from an earlier call with the same ones.
    """
    known = known or {}
    found: list[float] = []
    columns = np.empty((0, 0))
    given: list[float] = []
    owners: list[int] = []
    for place, step in enumerate(steps):
        number = step.number(place)
        allowed = spending.level(number)
        own = units(step.differences) if step.differences is not None else np.empty((0, 0))
        if not 0 < own.shape[1] <= MAX_DRAWN:
            found.append(allowed / max(own.shape[1] + step.unknown, 1))
            continue
        if place in known:
            level = known[place]
        else:
            part = allowed * (own.shape[1] / (own.shape[1] + step.unknown))
            before = range(place) if step.earlier is None else step.earlier
            kept = _kept(own, before, columns, owners)
            earlier = columns[:, kept]
            level = step_level(own, earlier, [given[i] for i in kept], number - 1, part)
        found.append(level)
        columns = np.column_stack([columns, own]) if columns.size else own
        given += [level] * own.shape[1]
        owners += [place] * own.shape[1]
    return found


def _kept(
    own: np.ndarray, earlier: Sequence[int], columns: np.ndarray, owners: Sequence[int]
) -> list[int]:
    """Return which columns of the earlier steps are allowed for, in the order of these steps.

    `owners`: the step of each column.
    """
    order = {place: rank for rank, place in enumerate(earlier)}
    before = [column for column, owner in enumerate(owners) if owner in order]
    before.sort(key=lambda column: order[owners[column]])
    return [before[rank] for rank in _most_alike(own, columns[:, before])]


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
