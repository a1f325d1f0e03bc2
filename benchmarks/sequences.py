"""How often a verdict is wrong in histories of equal trials, and how often a better one is found.

A world is a reference and models that are equal to it, each with a number per cluster: its metric
there. That is what a jackknife's deleted values hold, so no rows are needed. `plan_steps` says of
each history which trials there are and what they are compared with, as for `crivo compare`. A world
is wrong when any verdict in it is. In the last table, trials have ten metrics; one is primary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from math import sqrt

import numpy as np
from scipy.stats import t
from simulated import main, mean_of, percent, quick, t_values, table

from crivo.statistics.max_t import critical_at
from crivo.statistics.sequence import Entry, Spending, Step, levels, plan_steps

TRIALS = 20
PLACES = (1, 5, 10, 20)
CLUSTERS = (12, 61)
quick()

RULES = {"plan of 20": Spending(TRIALS), "open": Spending()}


def called(
    entries: Sequence[Entry],
    models: np.ndarray,
    rule: Spending,
    judged_by: Sequence[int] | None = None,
) -> bool:
    """Return whether any trial is called different from what it is compared with.

    `models`: numbers by cluster, entry and metric; `judged_by`: the metric of each entry.
    """
    by = judged_by or [0] * len(entries)
    steps = []
    for one in plan_steps(entries):
        columns = [
            models[:, one.entry, by[one.entry]] - models[:, other, by[one.entry]]
            for other in one.others
            if one.entry is not None
        ]
        steps.append(Step(np.column_stack(columns) if columns else None, one.unknown, one.earlier))
    for step, level in zip(steps, levels(steps, rule), strict=True):
        if step.differences is not None:
            reach = critical_at(level, len(step.differences) - 1)
            if (np.abs(t_values(step.differences)) > reach).any():
                return True
    return False


def alike(random: np.random.Generator, shape: tuple[int, ...], correlation: float) -> np.ndarray:
    """Return metrics (the last axis) that correlate, for they judge the same predictions."""
    common, own = random.standard_normal((*shape[:-1], 1)), random.standard_normal(shape)
    return sqrt(correlation) * common + sqrt(1 - correlation) * own


def trials(count: int) -> list[Entry]:
    """Return a reference that was named beforehand and so many trials."""
    return [Entry(0), *(Entry(one, reference=0) for one in range(1, count + 1))]


def in_turn(random: np.random.Generator, clusters: int, rule: Spending, count: int) -> bool:
    """Judge equal trials, or other seeds of the reference: these are trials, too."""
    models = random.standard_normal((clusters, 1 + count))
    return called(trials(count), models[..., None], rule)


def redrawn(random: np.random.Generator, clusters: int, rule: Spending) -> bool:
    """Judge thirty trials where the rows are drawn anew after every five of them.

    Each draw has so few rows of the others that its results are independent of theirs.
    """
    draws, each = 6, 6
    wrong = False
    for draw in range(draws):
        models = np.tile(random.standard_normal((clusters, each)), draws)
        entries = [
            Entry(
                (place, one),
                (place, one) if one else "reference",
                here=place == draw,
                reference=(place, 0) if one and place == draw else None,
            )
            for place, one in product(range(draws), range(each))
        ]
        wrong |= called(entries, models[..., None], rule)
    return wrong


def chosen(random: np.random.Generator, clusters: int, rule: Spending) -> bool:
    """Judge ten trials, and twenty more against the best of these and of their reference."""
    models = random.standard_normal((clusters, 31))
    best = int(models[:, :11].mean(axis=0).argmax())
    later = [Entry(one, reference=best, among=frozenset(range(11))) for one in range(11, 31)]
    return called([*trials(10), *later], models[..., None], rule)


def switched(random: np.random.Generator, clusters: int, rule: Spending) -> bool:
    """Judge each trial by the metric in which those before won most.

    Four metrics, whose values correlate with 0.5. A trial's metric is the one that is primary when
    it is recorded.
    """
    models = alike(random, (clusters, 31, 4), 0.5)
    gains = (models[:, 1:] - models[:, :1]).mean(axis=0)
    metric = [0, 0, *(int(gains[:one].sum(axis=0).argmax()) for one in range(1, 30))]
    return called(trials(30), models, rule, metric)


def stage(random: np.random.Generator, clusters: int, _: Spending) -> bool:
    """Return whether the stage calls a new equal different from the best of twenty.

    Its verdict in `metrics.json` knows no trials but the incumbent, and no rule.
    """
    models = random.standard_normal((clusters, 1 + TRIALS))
    best = models[:, 1 + int(models[:, 1:].mean(axis=0).argmax())]
    level = 1 - 0.95 ** (1 / TRIALS)
    statistic = np.abs(t_values(models[:, :1] - best[:, None]))
    return bool(statistic[0] > critical_at(level, clusters - 1))


KINDS: dict[str, Callable[..., bool]] = {
    "5 equal trials, or other seeds of the reference": partial(in_turn, count=5),
    "30 equal trials, or other seeds of the reference": partial(in_turn, count=30),
    "30 trials, rows drawn again after every five trials": redrawn,
    "10 trials, then 20 against the best of them": chosen,
    "30 trials, each judged by the metric in which earlier trials did best": switched,
    f"a new model against the best of {TRIALS}, in the stage's verdict": stage,
}


def found_when_better(random: np.random.Generator, clusters: int, rule: Spending) -> np.ndarray:
    """Return which trials are found that are as much better as one t test finds in 80 %."""
    models = random.standard_normal((clusters, 1 + TRIALS))
    differences = models[:, 1:] - models[:, :1]
    gain = (t.ppf(0.975, clusters - 1) + t.ppf(0.8, clusters - 1)) * sqrt(2 / clusters)
    reach = criticals(differences.T[..., None], rule, shared=False)[:, 0]
    return (np.abs(t_values(differences + gain)) > reach)[np.array(PLACES) - 1]


# --- ten metrics of each trial -------------------------------------------------------------------

# Clusters, correlation of the metrics, trials.
MANY = ((12, 0.5, 1), (12, 0.9, 1), (61, 0.5, 1), (61, 0.9, 1), (12, 0.5, 20), (61, 0.5, 20))


def criticals(differences: np.ndarray, rule: Spending, shared: bool) -> np.ndarray:
    """Return each trial's critical value of each metric; `shared`: as crivo has them."""
    trials, clusters, metrics = differences.shape
    parts = [slice(0, 1), slice(1, None)] if shared else [slice(k, k + 1) for k in range(metrics)]
    found = np.empty((trials, metrics))
    for part in parts:
        given = levels([Step(one[:, part]) for one in differences], rule)
        found[:, part] = np.array([critical_at(level, clusters - 1) for level in given])[:, None]
    return found


def judge(random: np.random.Generator, clusters: int, part: float, trials: int) -> list[bool]:
    """Return what happens in one world: without and with the correction over metrics.

    Any metric of any trial called worse; the same by metrics other than the primary one; the first
    trial's second metric found worse that is worse by four of five times' worth of a single test.
    A model as much worse as the margin is called not worse just as often as an equal is called
    better, so that the second column is also that error.
    """
    reference, *models = (alike(random, (clusters, 10), part) for _ in range(1 + trials))
    differences = np.array(models) - reference
    values = t_values(differences)
    harm = sqrt(8) if clusters > 30 else 3.1
    found: list[bool] = []
    for shared in (False, True):
        reach = criticals(differences, Spending(1) if trials == 1 else Spending(), shared)
        worse = values < -reach
        found += [worse.any(), worse[:, 1:].any(), values[0, 1] - harm < -reach[0, 1]]
    return found


def history_rows(worlds: int) -> Iterator[list[str]]:
    """Give a row for each kind of history: how often any verdict is wrong."""
    for kind, world in KINDS.items():
        shares = (mean_of(worlds, world, n, rule) for rule in RULES.values() for n in CLUSTERS)
        yield [kind, *(percent(float(share)) for share in shares)]


def power_rows(worlds: int) -> Iterator[list[str]]:
    """Give a row for each number of clusters and rule: how often a better trial is found."""
    for clusters, (name, rule) in product(CLUSTERS, RULES.items()):
        shares = mean_of(worlds, found_when_better, clusters, rule)
        yield [f"{clusters}, {name}", *(f"{100 * share:.0f}" for share in shares)]


def metric_rows(worlds: int) -> Iterator[list[str]]:
    """Give a row for each kind of trials with ten metrics."""
    for clusters, part, count in MANY:
        # Twenty trials of a world say as much as some worlds of one trial.
        times = worlds if count == 1 else worlds // 8
        shares = mean_of(times, judge, clusters, part, count)
        name = f"{clusters} clusters, correlation {part}, {count} trials"
        wrong = [percent(shares[place]) for place in (0, 3, 4)]
        yield [name, *wrong, f"{100 * shares[2]:.0f}", f"{100 * shares[5]:.0f}"]


HISTORIES = ("history", *(f"{name}, {n} clusters" for name in RULES for n in CLUSTERS))
POWER = ("clusters, rule", *(f"trial {place}" for place in PLACES))
TEN = ("data", "any worse, one by one", "any worse", "wrongly not worse", "found, one by one",
       "found")  # fmt: skip
PARTS = {
    "histories": lambda times: table(HISTORIES, history_rows(times), times=times),
    "power": lambda times: table(POWER, power_rows(times)),
    "ten metrics": lambda times: table(TEN, metric_rows(times), times=times),
}

if __name__ == "__main__":
    main(__doc__, 1_000, PARTS)
