"""How often a verdict is wrong in histories of equal trials, and how often a better one is found.

    python benchmarks/sequences.py                           # 1,000 worlds of each kind: minutes
    python benchmarks/sequences.py --times 100 --publish

A world is a reference and models that are equal to it, each with a number per cluster: its metric
there. That is what a jackknife's deleted values hold, so no rows are needed. `plan_steps` says of
each history which trials there are and what they are compared with, as for `crivo compare`. A world
is wrong when any verdict in it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import sqrt

import numpy as np
from scipy.stats import t
from simulated import main, mean_of, percent, quick, t_values, table

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


# --- the tables -----------------------------------------------------------------------------------


def history_rows(worlds: int) -> Iterator[list[str]]:
    """Give a row for each kind of history: how often any verdict is wrong."""
    for kind, world in KINDS.items():
        judge = lambda random, *given, world=world: any(world(random, *given))  # noqa: E731
        shares = (mean_of(worlds, judge, n, rule) for rule in RULES.values() for n in CLUSTERS)
        yield [kind, *(percent(float(share)) for share in shares)]


def power_rows(worlds: int) -> Iterator[list[str]]:
    """Give a row for each number of clusters and rule: how often a better trial is found.

    It also prints how many times the clusters a trial needs for the power of a single comparison.
    """
    for clusters in CLUSTERS:
        for name, rule in RULES.items():
            values = (critical_at(rule.level(place), clusters - 1) for place in PLACES)
            needed = [f"{days(one, clusters):.1f}" for one in values]
            print(f"{clusters}, {name}: times the clusters", *needed, flush=True)
            shares = mean_of(worlds, found_when_better, clusters, rule)
            yield [f"{clusters}, {name}", *(f"{100 * share:.0f}" for share in shares)]


def size_rows(worlds: int) -> Iterator[list[str]]:
    """Give a row for each kind of unequal clusters, and for the verdict of the stage."""
    for kind, sizes in SIZES.items():
        shares = (mean_of(worlds, unequal, sizes, rule) for rule in RULES.values())
        yield [kind, *(percent(float(share)) for share in shares), "–"]
    for clusters in CLUSTERS:
        kind = f"a new model against the best of {TRIALS}, {clusters} clusters"
        yield [kind, "–", "–", percent(float(mean_of(worlds, stage, clusters)))]


HISTORIES = ("history", *(f"{name}, {n} clusters" for name in RULES for n in CLUSTERS))
POWER = ("clusters, rule", *(f"trial {place}" for place in PLACES))
PARTS = {
    "histories": lambda times: table(HISTORIES, history_rows(times), times=times),
    "power": lambda times: table(POWER, power_rows(times)),
    "sequences": lambda times: table(["data", *RULES, "the stage"], size_rows(times), times=times),
}

if __name__ == "__main__":
    main(__doc__, 1_000, PARTS)
