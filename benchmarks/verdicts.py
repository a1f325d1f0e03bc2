"""How often a verdict is wrong between equals, and how often it finds a real difference.

    python benchmarks/verdicts.py                     # 2,000 worlds of each kind: minutes
    python benchmarks/verdicts.py --worlds 200 --publish

A world is one comparison: a reference and a candidate are judged on the same rows, by the functions
behind `crivo compare`; in `sequences.py` candidates come one after the other. Among equals every
model sees the same signal through noise of its own, of each row and of each day, so that no
difference is real.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import nct, t
from simulated import day_of_rows, estimates, percent, run

from crivo.evaluation.metrics import find_metrics
from crivo.evaluation.rows import Binary
from crivo.statistics.intervals import difference, interval, verdict

METRICS = ("roc_auc", "log_loss", "precision_at_share")
CANDIDATES = 20


@dataclass(frozen=True)
class World:
    """A kind of comparison.

    `daily` is the standard deviation of what a model gets wrong about a whole day, `effect`
    that of what the day itself brings; without both the rows are independent. `rows` are those of
    a day, or the mean when days are `unequal`: the largest has thirty times those of the smallest.
    """

    name: str
    days: int
    rows: int
    effect: float = 0.0
    daily: float = 0.0
    unequal: bool = False

    @property
    def day_of_rows(self) -> np.ndarray:
        """Each row's day."""
        return day_of_rows(self.days, self.rows, unequal=self.unequal)


WORLDS = (
    World("2,000 independent rows, 50 groups", 50, 40),
    World("61 days of 50 rows", 61, 50, effect=0.5, daily=0.2),
    World("12 days of 200 rows", 12, 200, effect=0.5, daily=0.2),
    World("12 days with sizes from 1 to 30", 12, 200, effect=0.5, daily=0.2, unequal=True),
)

# What a model gets wrong about a single row, and by how much less a better one does.
NOISE, LESS = 0.5, 0.4


def draw(world: World, random: np.random.Generator) -> Iterator[Binary]:
    """Give the rows as each model scores them: the reference, its equals, then a better one."""
    day = world.day_of_rows
    signal = random.standard_normal(len(day))
    effects = world.effect * random.standard_normal(world.days)[day]
    happened = random.random(len(day)) < 1 / (1 + np.exp(1.2 - signal - effects))
    weight = np.ones(len(day))
    for strength in [1.0] * (1 + CANDIDATES) + [LESS]:
        row_noise = NOISE * random.standard_normal(len(day))
        day_noise = world.daily * random.standard_normal(world.days)[day]
        noise = strength * (row_noise + day_noise)
        score = 1 / (1 + np.exp(1.2 - signal - noise))
        yield Binary(happened, score > 0.5, score, weight)


def simulate(world: World, worlds: int) -> Iterator[tuple[str, np.ndarray]]:
    """Give for each metric how often one equal, or any of twenty, is called different; and power.

    That is how often a better one is called better, and how often it should be by the noncentral t.
    """
    metrics = find_metrics(METRICS, "binary")
    labels = [str(day) for day in range(world.days)]
    groups = pd.Categorical.from_codes(world.day_of_rows, labels, ordered=True)
    found = []
    for number in range(worlds):
        models = draw(world, np.random.default_rng(number))
        first, *others = (estimates(rows, groups, metrics) for rows in models)
        found.append(
            [[difference(m, one[m.name], first[m.name]) for one in others] for m in metrics]
        )
    for metric, rows in zip(metrics, zip(*found, strict=True), strict=True):
        words = np.array([[verdict(interval(one), metric) for one in row] for row in rows])
        wrong = np.isin(words[:, :-1], ["better", "worse"])
        gains = np.array([row[-1].value for row in rows])
        theory = noncentral_power(abs(gains.mean()) / gains.std(ddof=1), world.days - 1)
        shares = [wrong[:, 0].mean(), wrong.any(axis=1).mean(), (words[:, -1] == "better").mean()]
        yield metric.name, np.array([*shares, theory])


def noncentral_power(shift: float, freedom: int) -> float:
    """Return how often a t test at 5 % finds a gain of so many standard errors."""
    return float(nct.sf(t.ppf(0.975, freedom), freedom, shift))


HEAD = ("data", "metric", "equal called different", "better one found")


def rows_of(worlds: int) -> Iterator[list[str]]:
    """Give a row for each kind of comparison and metric."""
    for world in WORLDS:
        for name, (one, any_of_all, power, theory) in simulate(world, worlds):
            print(name, f"any of 20 {any_of_all:.3f}, theory {theory:.3f}", flush=True)
            yield [world.name, name, percent(one), f"{100 * power:.1f}"]


if __name__ == "__main__":
    run(__doc__, 2_000, "one comparison", HEAD, rows_of, 2)
