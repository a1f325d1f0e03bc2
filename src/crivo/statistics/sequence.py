"""Sequential testing: the trials among recorded evaluations, and what error each may spend.

`plan_steps` orders records into the sequence of trials, and `levels` tests it. Each trial may
spend a part of the 5 % error that was fixed before its result was seen, and what it must reach
depends on the trials up to it and on none that comes later. So later trials change no verdict, and
trials may be read one at a time or all at once. What is controlled is the family-wise error, the
chance that any of all equals is ever called different, if clusters are independent and nearly
normal; `crivo.statistics.departures` is for others.

An entry is what was recorded of an evaluation, without its numbers. Each step names what it is
compared with and the steps before it. The order of entries is the order in which they became known,
so that a new one stands at the end and changes no step before it. Equal predictions are one model:
it is a trial once, at its first record that gets a verdict.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
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

    At most `MAX_EARLIER`, those that are most like the step's; of equally alike ones, the first.
    `owners`: the step of each column.
    """
    order = {place: rank for rank, place in enumerate(earlier)}
    before = [column for column, owner in enumerate(owners) if owner in order]
    before.sort(key=lambda column: order[owners[column]])
    if len(before) <= MAX_EARLIER:
        return before
    alike = np.abs(own.T @ columns[:, before]).max(axis=0).round(9)
    most = np.argsort(-alike, kind="stable")[:MAX_EARLIER]
    return [before[rank] for rank in sorted(most.tolist())]


@dataclass(frozen=True)
class Entry:
    """A recorded evaluation.

    `model`: what equal predictions have in common; `fitted`: what tells its fitted model from
    others on any rows, if that is known. `here`: whether it is about these very rows and clusters,
    not about others that overlap them. `reference`: the model that it is compared with, `among`:
    the models that this one was chosen among, itself included. `judged`: whether it gets a
    verdict. `numbers`: whether they are there. `knew`: the places of the earlier entries that were
    known where it was recorded, in their order there; None for all.
    """

    model: Hashable
    fitted: Hashable = None
    here: bool = True
    reference: Hashable = None
    among: frozenset[Hashable] = frozenset()
    judged: bool = True
    numbers: bool = True
    knew: tuple[int, ...] | None = None


@dataclass(frozen=True)
class PlannedStep:
    """A trial: the entry's place, the places of what it is compared with, and the steps before it.

    `entry` is None for a model that is gone; `others` is empty where no difference is known.
    `unknown`: how many differences are lost. `earlier`: which steps were known when it was
    recorded; None for all before it.
    """

    entry: int | None
    others: tuple[int, ...] = ()
    unknown: int = 0
    earlier: tuple[int, ...] | None = None


def plan_steps(entries: Sequence[Entry]) -> list[PlannedStep]:
    """Return the trials among entries, in their order.

    With a reference that was named before any result, a trial comes with its difference from it.
    With one that was chosen among models, it comes with its difference from each of these; of two
    to choose among, the later one brings their difference. An evaluation on other rows or
    clusters spends its part, and nothing is known of its differences. So does a model that a
    reference was chosen among and that is gone; these come first.
    """
    first: dict[Hashable, int] = {}
    for place, entry in enumerate(entries):
        if entry.here:
            first.setdefault(entry.model, place)
    # The models that a reference was chosen among and that no entry tells of.
    among = {one for entry in entries if entry.reference in first for one in entry.among}
    gone = sorted(among - {entry.model for entry in entries}, key=repr)
    # The first of those to choose among is compared with none.
    steps = [PlannedStep(None) for _ in gone[1:]]
    step_of = dict[int, int]()
    tried, seen = set[Hashable](), set[Hashable]()
    for place, entry in enumerate(entries):
        step = None
        if entry.here:
            if entry.judged and entry.model not in tried:
                step = _step(place, entries, first)
                tried |= {entry.model}
        elif entry.judged and (entry.fitted is None or entry.fitted not in seen):
            step = PlannedStep(place)
        seen |= {entry.fitted}
        if step is None:
            continue
        earlier = None
        if entry.knew is not None:
            known = [step_of[one] for one in entry.knew if one in step_of]
            earlier = (*range(len(gone[1:])), *known)
        step_of[place] = len(steps)
        steps.append(PlannedStep(place, step.others, step.unknown, earlier))
    return steps


def _step(place: int, entries: Sequence[Entry], first: dict[Hashable, int]) -> PlannedStep | None:
    """Return what an entry is compared with, or None when it is compared with nothing."""
    entry = entries[place]
    if entry.reference is None or entry.reference not in first:
        return None
    if len(entry.among) < 2:
        others = [first[entry.reference]] if entry.model != entry.reference else []
        missing = 0
    else:
        models = [model for model in first if model in entry.among]
        missing = len(entry.among) - len(models)
        own = first[entry.model]
        others = [first[one] for one in models if first[one] < own]
        if entry.model not in entry.among:
            # What became known later stays unknown to this step, but for the reference itself.
            late = [first[one] for one in models if first[one] > own]
            others += [where for where in late if entries[where].model == entry.reference]
            missing = len(entry.among) - len(others)
    if not others and not missing:
        return None
    if not entry.numbers:
        return PlannedStep(place)
    known = tuple(where for where in others if entries[where].numbers)
    return PlannedStep(place, known, missing + len(others) - len(known))
