"""How often some metric of an equal model is called worse, or a worse one not worse.

    python benchmarks/many_metrics.py                          # 2,000 worlds of each kind: minutes
    python benchmarks/many_metrics.py --times 100 --publish

A world is a trial, or twenty one after the other, and the differences of its ten metrics from those
of the reference: a number per cluster each, as the jackknife's deleted values hold them. The first
metric is the primary one. Metrics of a trial correlate, for they judge the same predictions.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np
from simulated import main, mean_of, percent, quick, t_values, table

from crivo.statistics.max_t import critical_at
from crivo.statistics.sequence import Spending, Step, levels

METRICS = 10
quick()

# Clusters, correlation of the metrics, trials.
WORLDS = ((12, 0.5, 1), (12, 0.9, 1), (61, 0.5, 1), (61, 0.9, 1), (12, 0.5, 20), (61, 0.5, 20))


def draw(random: np.random.Generator, clusters: int, alike: float, trials: int) -> list[np.ndarray]:
    """Return each trial's differences from the reference: a row per cluster, a column per metric.

    Trials have the reference in common.
    """

    def model() -> np.ndarray:
        common = random.standard_normal((clusters, 1))
        own = random.standard_normal((clusters, METRICS))
        return sqrt(alike) * common + sqrt(1 - alike) * own

    reference = model()
    return [model() - reference for _ in range(trials)]


def criticals(differences: list[np.ndarray], shared: bool) -> np.ndarray:
    """Return each trial's critical value of each metric; `shared`: as crivo has them."""
    rule = Spending(1) if len(differences) == 1 else Spending()
    parts = [slice(0, 1), slice(1, None)] if shared else [slice(k, k + 1) for k in range(METRICS)]
    found = np.empty((len(differences), METRICS))
    freedom = len(differences[0]) - 1
    for part in parts:
        given = levels([Step(one[:, part]) for one in differences], rule)
        found[:, part] = np.array([critical_at(level, freedom) for level in given])[:, None]
    return found


def judge(random: np.random.Generator, world: tuple[int, float, int]) -> np.ndarray:
    """Return what happens in one world: without and with the correction over metrics.

    Any metric of any trial called worse; the same by metrics other than the primary one; the first
    trial's second metric found worse that is worse by four of five times' worth of a single test.
    A model as much worse as the margin is called not worse just as often as an equal is called
    better, so that the second column is also that error.
    """
    differences = draw(random, *world)
    values = t_values(np.stack(differences))
    harm = sqrt(8) if world[0] > 30 else 3.1
    found = []
    for shared in (False, True):
        reach = criticals(differences, shared)
        worse = values < -reach
        found += [worse.any(), worse[:, 1:].any(), values[0, 1] - harm < -reach[0, 1]]
    return np.array(found)


HEAD = ("data", "any worse, one by one", "any worse", "wrongly not worse", "found, one by one",
        "found")  # fmt: skip


def rows_of(worlds: int) -> Iterator[list[str]]:
    """Give a row for each kind of trials."""
    for world in WORLDS:
        clusters, alike, trials = world
        # Twenty trials of a world say as much as some worlds of one trial.
        count = worlds if trials == 1 else worlds // 8
        shares = mean_of(count, judge, world)
        name = f"{clusters} clusters, correlation {alike}, {trials} trials"
        wrong = [percent(shares[place]) for place in (0, 3, 4)]
        yield [name, *wrong, f"{100 * shares[2]:.0f}", f"{100 * shares[5]:.0f}"]


if __name__ == "__main__":
    main(__doc__, 2_000, {"ten metrics": lambda times: table(HEAD, rows_of(times), times=times)})
