"""How often a verdict is wrong in histories that a careless or clever user could make of equals.

    python benchmarks/histories.py                           # 1,000 worlds of each kind: minutes
    python benchmarks/histories.py --worlds 100 --publish

A world is a reference and models that are equal to it, each with a number per cluster, as in
`sequences.py`; here `plan_steps` says of each history which trials there are and what they are
compared with, as for `crivo compare`. A world is wrong when any verdict in it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import sqrt

import numpy as np
from simulated import mean_of, percent, quick, run, t_values

from crivo.statistics.max_t import critical_at
from crivo.statistics.sequence import Spending, Step, levels
from crivo.statistics.steps import Entry, plan_steps

CLUSTERS = (12, 61)
METRICS, ALIKE = 4, 0.5
quick()

RULES = {"plan of 20": Spending(20), "open": Spending()}


def called(
    entries: Sequence[Entry], difference: Callable[[int, int], np.ndarray], rule: Spending
) -> list[bool]:
    """Return of each trial with numbers whether it is called different from its reference.

    `difference`: of two entries, by their places.
    """
    planned = plan_steps(entries)
    steps = []
    for one in planned:
        columns = [difference(one.entry, other) for other in one.others if one.entry is not None]
        steps.append(Step(np.column_stack(columns) if columns else None, one.unknown, one.earlier))
    found = []
    for step, level in zip(steps, levels(steps, rule), strict=True):
        if step.differences is not None:
            reach = critical_at(level, len(step.differences) - 1)
            found.append(bool((np.abs(t_values(step.differences)) > reach).any()))
    return found


def trials(count: int) -> list[Entry]:
    """Return a reference that was named beforehand and so many trials."""
    return [Entry(0), *(Entry(one, reference=0) for one in range(1, count + 1))]


def in_turn(count: int) -> Callable[..., list[bool]]:
    """Return a world of equal trials, or of other seeds of the reference: these are trials, too."""

    def world(random: np.random.Generator, clusters: int, rule: Spending) -> list[bool]:
        models = random.standard_normal((clusters, 1 + count))
        return called(trials(count), lambda a, b: models[:, a] - models[:, b], rule)

    return world


def redrawn(random: np.random.Generator, clusters: int, rule: Spending) -> list[bool]:
    """Return what is said where the rows are drawn anew after every five of thirty trials.

    Each draw has so few rows of the others that its results are independent of theirs.
    """
    found, draws, each = [], 6, 5
    for draw in range(draws):
        models = random.standard_normal((clusters, 1 + each))
        entries = []
        for place in range(draws):
            here = place == draw
            name = [(place, one) for one in range(1 + each)]
            entries.append(Entry(name[0], "reference", here=here))
            entries += [
                Entry(one, one, here=here, reference=name[0] if here else None) for one in name[1:]
            ]
        first = draw * (1 + each)
        found += called(entries, lambda a, b: models[:, a - first] - models[:, b - first], rule)  # noqa: B023
    return found


def chosen(random: np.random.Generator, clusters: int, rule: Spending) -> list[bool]:
    """Return what is said of ten trials, and of twenty more against the best of these."""
    models = random.standard_normal((clusters, 31))
    best = int(models[:, :11].mean(axis=0).argmax())
    among = frozenset(range(11))
    entries = trials(10)
    entries += [Entry(one, reference=best, among=among) for one in range(11, 31)]
    return called(entries, lambda a, b: models[:, a] - models[:, b], rule)


def switched(random: np.random.Generator, clusters: int, rule: Spending) -> list[bool]:
    """Return what is said where each trial is judged by the metric in which those before won most.

    Four metrics, whose values correlate with 0.5. A trial's metric is the one that is primary when
    it is recorded.
    """
    common = random.standard_normal((clusters, 31, 1))
    own = random.standard_normal((clusters, 31, METRICS))
    models = sqrt(ALIKE) * common + sqrt(1 - ALIKE) * own
    gains = (models[:, 1:] - models[:, :1]).mean(axis=0)
    metric = [0, *(int(gains[:one].sum(axis=0).argmax()) for one in range(1, 31))]
    metric = [0, *metric]
    difference = lambda a, b: models[:, a, metric[a]] - models[:, b, metric[a]]  # noqa: E731
    return called(trials(30), difference, rule)


KINDS = {
    "5 equal trials, or other seeds of the reference": in_turn(5),
    "30 equal trials, or other seeds of the reference": in_turn(30),
    "30 trials, rows drawn again after every five trials": redrawn,
    "10 trials, then 20 against the best of them": chosen,
    "30 trials, each judged by the metric in which earlier trials did best": switched,
}


HEAD = [
    "history",
    *(f"{name}, {clusters} clusters" for name in RULES for clusters in CLUSTERS),
]


def rows_of(worlds: int) -> Iterator[list[str]]:
    """Give a row for each kind of history."""
    for kind, world in KINDS.items():
        shares = [
            mean_of(worlds, lambda random, w=world, n=clusters, r=rule: any(w(random, n, r)))
            for rule in RULES.values()
            for clusters in CLUSTERS
        ]
        yield [kind, *(percent(float(one)) for one in shares)]


if __name__ == "__main__":
    run(__doc__, 1_000, "histories", HEAD, rows_of)
