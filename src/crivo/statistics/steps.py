"""Orders recorded evaluations into the sequence of trials that `statistics.sequence` tests.

An entry is what was recorded of an evaluation, without its numbers. Each step names what it is
compared with and the steps before it. The order of entries is the order in which they became known,
so that a new one stands at the end and changes no step before it. Equal predictions are one model:
it is a trial once, at its first record that gets a verdict.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass


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
    gone = _gone(entries, first)
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


def _gone(entries: Sequence[Entry], first: dict[Hashable, int]) -> list[Hashable]:
    """Return the models that a reference was chosen among and that no entry tells of."""
    known = {entry.model for entry in entries}
    among = {(entry.reference, entry.among) for entry in entries if entry.reference in first}
    return sorted({model for _, models in among for model in models} - known, key=repr)


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
