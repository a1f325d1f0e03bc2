"""How often a verdict is wrong in histories of equal trials, and how often a better one is found.

    python benchmarks/sequences.py                           # 1,000 worlds of each kind: minutes
    python benchmarks/sequences.py --worlds 100 --publish

A world is a reference and models that are equal to it, each with a number per cluster: its metric
there. That is what a jackknife's deleted values hold, so no rows are needed. `plan_steps` says of
each history which trials there are and what they are compared with, as for `crivo compare`. A world
is wrong when any verdict in it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np
from scipy.stats import t
from simulated import mean_of, numbers_of, options, percent, publish, quick, t_values, table

from crivo.statistics.max_t import critical_at
from crivo.statistics.sequence import Entry, Spending, Step, levels, plan_steps

TRIALS = 20
PLACES = (1, 5, 10, 20)
CLUSTERS = (12, 61)
METRICS, ALIKE = 4, 0.5
quick()

RULES = {"plan of 20": Spending(TRIALS), "open": Spending()}


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


def each_level(differences: np.ndarray, rule: Spending) -> list[float]:
    """Return the level of each trial against a reference that was named beforehand."""
    return levels([Step(differences[:, [j]]) for j in range(differences.shape[1])], rule)


def stage(random: np.random.Generator, clusters: int) -> bool:
    """Return whether the stage calls a new equal different from the best of twenty."""
    models = random.standard_normal((clusters, 1 + TRIALS))
    best = models[:, 1 + int(models[:, 1:].mean(axis=0).argmax())]
    level = 1 - 0.95 ** (1 / TRIALS)
    statistic = np.abs(t_values(models[:, :1] - best[:, None]))
    return bool(statistic[0] > critical_at(level, clusters - 1))


def unequal(random: np.random.Generator, sizes: np.ndarray, rule: Spending) -> bool:
    """Return whether any of the trials is called different when clusters have these sizes."""
    models = random.standard_normal((len(sizes), 1 + TRIALS))
    differences = models[:, 1:] - models[:, :1]
    total = sizes @ differences
    deleted = (total - sizes[:, None] * differences) / (sizes.sum() - sizes)[:, None]
    spread = deleted - deleted.mean(axis=0)
    error = np.sqrt((1 - 1 / len(sizes)) * (spread**2).sum(axis=0))
    effective = sizes.sum() ** 2 / (sizes**2).sum()
    reach = [critical_at(level, effective - 1) for level in each_level(deleted, rule)]
    return bool((np.abs(total / sizes.sum()) / error > reach).any())


SIZES = {
    "20 equal trials, 12 clusters with sizes from 1 to 30": np.geomspace(1, 30, 12),
    "20 equal trials, 10 clusters, one with 40 % of the rows": np.r_[6.0, np.ones(9)],
}


def found_when_better(random: np.random.Generator, clusters: int, rule: Spending) -> np.ndarray:
    """Return which trials are found that are as much better as one t test finds in 80 %."""
    models = random.standard_normal((clusters, 1 + TRIALS))
    differences = models[:, 1:] - models[:, :1]
    gain = (t.ppf(0.975, clusters - 1) + t.ppf(0.8, clusters - 1)) * sqrt(2 / clusters)
    reach = np.array([critical_at(one, clusters - 1) for one in each_level(differences, rule)])
    places = [place - 1 for place in PLACES]
    return np.asarray((np.abs(t_values(differences + gain)) > reach)[places])


def days(critical: float, clusters: int) -> float:
    """Return how many times the clusters a critical value needs for the power of a single t."""
    power = t.ppf(0.8, clusters - 1)
    return ((critical + power) / (t.ppf(0.975, clusters - 1) + power)) ** 2


def main() -> None:
    given = options(__doc__, 1_000)
    both = [(name, rule, clusters) for name, rule in RULES.items() for clusters in CLUSTERS]
    histories, power, costs, sizes = [], [], [], []
    for kind, world in KINDS.items():
        shares = [
            mean_of(given.worlds, lambda random, w=world, n=clusters, r=rule: any(w(random, n, r)))
            for _, rule, clusters in both
        ]
        histories.append([kind, *(percent(float(one)) for one in shares)])
    for name, rule, clusters in sorted(both, key=lambda one: one[2]):
        shares = mean_of(
            given.worlds, lambda random, n=clusters, r=rule: found_when_better(random, n, r)
        )
        power.append([f"{clusters}, {name}", *(f"{100 * share:.0f}" for share in shares)])
        values = [critical_at(rule.level(place), clusters - 1) for place in PLACES]
        costs.append([f"{clusters}, {name}", *(f"{days(one, clusters):.1f}" for one in values)])
    for kind, one in SIZES.items():
        shares = [
            mean_of(given.worlds, lambda random, s=one, r=rule: unequal(random, s, r))
            for rule in RULES.values()
        ]
        sizes.append([kind, *(percent(float(share)) for share in shares), "–"])
    for clusters in CLUSTERS:
        share = mean_of(given.worlds, lambda random, n=clusters: stage(random, n))
        kind = f"a new model against the best of 20, {clusters} clusters"
        sizes.append([kind, "–", "–", percent(float(share))])
    at = [f"trial {place}" for place in PLACES]
    tables = {
        "histories": ["history", *(f"{name}, {clusters} clusters" for name, _, clusters in both)],
        "power": ["clusters, rule", *at],
        "sequences": ["data", *RULES, "the stage"],
    }
    for (name, head), rows in zip(tables.items(), (histories, power, sizes), strict=True):
        lines = [*(numbers_of(given.worlds) if name != "power" else []), *table(head, rows)]
        print(*lines, sep="\n", flush=True)
        if given.publish:
            publish("evidence.md", name, lines)
    print(*table(["clusters, rule", *at], costs), sep="\n")


if __name__ == "__main__":
    main()
