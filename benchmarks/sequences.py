"""How often a verdict is wrong when trials come one after the other, or one was chosen.

    python benchmarks/sequences.py                           # 1,000 worlds of each kind: minutes
    python benchmarks/sequences.py --worlds 100 --publish

A world is a reference and twenty models, each with a number per cluster: its metric there, which
is the same for all but for noise. That is what a jackknife's deleted values hold, so no rows are
needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import sqrt

import numpy as np
from scipy.stats import t
from simulated import numbers_of, options, percent, publish, quick, t_values, table

from crivo.statistics.max_t import critical_at, critical_value
from crivo.statistics.sequence import Spending, Step, levels

TRIALS = 20
PLACES = (1, 5, 10, 20)
CLUSTERS = (12, 61)
quick()

RULES = {"plan of 20": Spending(TRIALS), "open": Spending()}


def statistics(differences: np.ndarray) -> np.ndarray:
    """Return |T| of each column."""
    return np.abs(t_values(differences))


def all_at_once(differences: np.ndarray) -> np.ndarray:
    """Return the critical value of the family as large as it is at each trial's time."""
    count = differences.shape[1]
    return np.array([critical_value(differences[:, : j + 1]) for j in range(count)])


def in_sequence(differences: np.ndarray, rule: Spending) -> np.ndarray:
    """Return the critical value of each trial against a reference that was named beforehand."""
    found = levels([Step(differences[:, [j]]) for j in range(differences.shape[1])], rule)
    return np.array([critical_at(level, len(differences) - 1) for level in found])


def among_all(models: np.ndarray, rule: Spending) -> np.ndarray:
    """Return the critical value of each model, against all before it: the first has none."""
    steps = [Step(models[:, [j]] - models[:, :j]) for j in range(1, models.shape[1])]
    found = [critical_at(level, len(models) - 1) for level in levels(steps, rule)]
    return np.array([np.nan, *found])


def one_by_one(random: np.random.Generator, clusters: int) -> dict[str, np.ndarray]:
    """Return which trials are called different by each rule, then which are found when better.

    A better one is as much better as a single comparison finds four times in five.
    """
    models = random.standard_normal((clusters, 1 + TRIALS))
    differences = models[:, 1:] - models[:, :1]
    gain = (t.ppf(0.975, clusters - 1) + t.ppf(0.8, clusters - 1)) * sqrt(2 / clusters)
    values = {"at once": all_at_once(differences)}
    values |= {name: in_sequence(differences, rule) for name, rule in RULES.items()}
    equal, better = statistics(differences), statistics(differences + gain)
    values_at = [place - 1 for place in PLACES]
    found = {name: np.r_[(equal > c).any(), (better > c)[values_at]] for name, c in values.items()}
    last = values["at once"][-1]
    found["at once"] = np.r_[found["at once"][0], (better > last)[values_at]]
    return found


def best_as_incumbent(random: np.random.Generator, clusters: int) -> dict[str, np.ndarray]:
    """Return whether some other model is called different from the best of all, by each rule."""
    models = random.standard_normal((clusters, TRIALS))
    best = int(models.mean(axis=0).argmax())
    others = np.delete(np.arange(TRIALS), best)
    differences = models[:, others] - models[:, [best]]
    found = {"at once": statistics(differences) > critical_value(differences)}
    for name, rule in RULES.items():
        values = among_all(models, rule)
        found[name] = statistics(differences) > values[np.maximum(others, best)]
    return {name: np.array([called.any()]) for name, called in found.items()}


def stage(random: np.random.Generator, clusters: int) -> dict[str, np.ndarray]:
    """Return whether the stage calls a new equal different from the best of twenty."""
    models = random.standard_normal((clusters, 1 + TRIALS))
    best = models[:, 1 + int(models[:, 1:].mean(axis=0).argmax())]
    statistic = statistics(models[:, :1] - best[:, None])
    level = 1 - 0.95 ** (1 / TRIALS)
    return {
        "at once": statistic > critical_at(0.05, clusters - 1),
        "stage": statistic > critical_at(level, clusters - 1),
    }


def unequal(random: np.random.Generator, sizes: np.ndarray) -> dict[str, np.ndarray]:
    """Return whether any of the trials is called different when clusters have these sizes.

    Each rule but the one from before counts effective clusters, as verdicts do.
    """
    models = random.standard_normal((len(sizes), 1 + TRIALS))
    differences = models[:, 1:] - models[:, :1]
    total = sizes @ differences
    deleted = (total - sizes[:, None] * differences) / (sizes.sum() - sizes)[:, None]
    spread = deleted - deleted.mean(axis=0)
    error = np.sqrt((1 - 1 / len(sizes)) * (spread**2).sum(axis=0))
    statistic = np.abs(total / sizes.sum()) / error
    effective = sizes.sum() ** 2 / (sizes**2).sum()
    found = {"at once": all_at_once(deleted)}
    for name, rule in RULES.items():
        steps = levels([Step(deleted[:, [j]]) for j in range(TRIALS)], rule)
        found[name] = np.array([critical_at(level, effective - 1) for level in steps])
    return {name: np.array([(statistic > values).any()]) for name, values in found.items()}


SIZES = {
    "each trial read when run, 12 clusters with sizes from 1 to 30": np.geomspace(1, 30, 12),
    "each trial read when run, 10 clusters, one with 40 % of the rows": np.r_[6.0, np.ones(9)],
}
KINDS = {
    "each trial read when run": one_by_one,
    "the best as incumbent": best_as_incumbent,
    "a new model against the best": stage,
}


Shares = Mapping[str, np.ndarray]


def shares_of(worlds: int, judge: Callable[[np.random.Generator], Shares]) -> Shares:
    """Return the shares of worlds by rule; the first of them is that of a wrong verdict."""
    found = [judge(np.random.default_rng(number)) for number in range(worlds)]
    return {name: np.mean([one[name] for one in found], axis=0) for name in found[0]}


def simulate(worlds: int) -> dict[str, Shares]:
    """Return what became of the verdicts in many worlds of each kind."""
    rows = {}
    for kind, run in KINDS.items():
        for clusters in CLUSTERS:
            name = f"{kind}, {clusters} clusters"
            rows[name] = shares_of(worlds, lambda random, n=clusters, run=run: run(random, n))
            print(name, rows[name], flush=True)
    for kind, sizes in SIZES.items():
        rows[kind] = shares_of(worlds, lambda random, sizes=sizes: unequal(random, sizes))
        print(kind, rows[kind], flush=True)
    return rows


def days(critical: float, clusters: int) -> float:
    """Return how many times the clusters a critical value needs for the power of a single t."""
    power = t.ppf(0.8, clusters - 1)
    return ((critical + power) / (t.ppf(0.975, clusters - 1) + power)) ** 2


AT = [f"trial {place}" for place in PLACES]


def false_verdicts(rows: Mapping[str, Shares]) -> list[str]:
    """Return the shares of worlds with a wrong verdict, as a table."""
    rules = ("at once", *RULES, "stage")
    cells = [
        [name, *(percent(shares[rule][0]) if rule in shares else "–" for rule in rules)]
        for name, shares in rows.items()
    ]
    return table(["data", "at once", *RULES, "the stage"], cells)


def power(rows: Mapping[str, Shares]) -> list[str]:
    """Return how often a better trial is found, by its place, as a table."""
    cells = [
        [f"{clusters}, {rule}", *(f"{100 * share:.0f}" for share in shares[1:])]
        for clusters, found in zip(CLUSTERS, rows.values(), strict=False)
        for rule, shares in found.items()
        if rule in RULES
    ]
    return table(["clusters, rule", *AT], cells)


def costs() -> list[str]:
    """Return how many times as many days a trial needs, by its place, as a table."""
    cells = []
    for clusters in CLUSTERS:
        for name, rule in RULES.items():
            values = [critical_at(rule.level(place), clusters - 1) for place in PLACES]
            cells.append([f"{clusters}, {name}", *(f"{days(one, clusters):.1f}" for one in values)])
    return table(["clusters, rule", *AT], cells)


def main() -> None:
    given = options(__doc__, 1_000)
    rows = simulate(given.worlds)
    if given.publish:
        publish("evidence.md", "sequences", [*numbers_of(given.worlds), *false_verdicts(rows)])
        publish("evidence.md", "power", power(rows))
    print(*costs(), sep="\n")


if __name__ == "__main__":
    main()
