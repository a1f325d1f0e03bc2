"""How often a verdict is wrong between equals, and how often it finds a real difference.

    python benchmarks/verdicts.py                     # 2,000 worlds of each kind: 20 minutes
    python benchmarks/verdicts.py --worlds 200 --publish

A world is one comparison: a reference and twenty candidates are judged on the same rows, by
the functions behind `crivo compare`, all at once; `sequences.py` has them come one after the
other. Among equals every model sees the same signal through noise of its own, of each row and of
each day, so that no difference is real.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import nct, t
from simulated import day_of_rows, estimates, percent, quick, run

from crivo.evaluation.metrics import Metric, find_metrics
from crivo.evaluation.rows import Binary
from crivo.statistics import max_t
from crivo.statistics.intervals import Estimate, difference, interval, verdict

METRICS = ("roc_auc", "log_loss", "precision_at_share")
CANDIDATES = 20
quick()


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


def compare(
    world: World, metrics: list[Metric], random: np.random.Generator
) -> dict[str, list[Estimate]]:
    """Return how each model differs from the reference, by metric."""
    labels = [str(day) for day in range(world.days)]
    codes = world.day_of_rows
    groups = pd.Categorical.from_codes(codes, labels, ordered=True)
    first, *others = (estimates(rows, groups, metrics) for rows in draw(world, random))
    return {
        metric.name: [difference(metric, one[metric.name], first[metric.name]) for one in others]
        for metric in metrics
    }


def verdicts(metric: Metric, differences: list[Estimate]) -> tuple[list[str], list[str]]:
    """Return each candidate's verdict when it is the only trial, and when all are trials."""
    table = np.column_stack([one.deleted for one in differences])
    critical = max_t.critical_value(table, effective=differences[0].effective)
    alone = [verdict(interval(one), metric) for one in differences]
    among = [verdict(interval(one, critical=critical), metric) for one in differences]
    return alone, among


@dataclass(frozen=True)
class Result:
    """Shares of worlds, by metric.

    `one`: a single candidate among equals is called different; `unadjusted` and `any_of_all`:
    any of twenty is, without and with the correction. `power`, `theory`: a single better one is
    called so, and how often it should by the noncentral t; `power_among`: among twenty.
    """

    one: float
    unadjusted: float
    any_of_all: float
    power: float
    theory: float
    power_among: float


def simulate(world: World, worlds: int) -> dict[str, Result]:
    """Return what became of the verdicts in many worlds of a kind."""
    metrics = find_metrics(METRICS, "binary")
    called = {name: np.zeros((worlds, 5), dtype=bool) for name in METRICS}
    gains = {name: np.zeros(worlds) for name in METRICS}
    for number in range(worlds):
        found = compare(world, metrics, np.random.default_rng(number))
        for metric in metrics:
            *equals, better = found[metric.name]
            called[metric.name][number] = judge(metric, equals, better)
            gains[metric.name][number] = better.value
    return {name: _result(called[name], gains[name], world.days) for name in METRICS}


def judge(metric: Metric, equals: list[Estimate], better: Estimate) -> list[bool]:
    """Return what was called different or better in one world, in the order of `Result`."""
    alone, among = verdicts(metric, equals)
    wrong = [[word in ("better", "worse") for word in words] for words in (alone, among)]
    right = [words[0] == "better" for words in verdicts(metric, [better, *equals[1:]])]
    return [wrong[0][0], any(wrong[0]), any(wrong[1]), *right]


def _result(called: np.ndarray, gains: np.ndarray, clusters: int) -> Result:
    one, unadjusted, any_of_all, power, among = called.mean(axis=0)
    theory = noncentral_power(abs(gains.mean()) / gains.std(ddof=1), clusters - 1)
    return Result(one, unadjusted, any_of_all, power, theory, among)


def noncentral_power(shift: float, freedom: int) -> float:
    """Return how often a t test at 5 % finds a gain of so many standard errors."""
    return float(nct.sf(t.ppf(0.975, freedom), freedom, shift))


HEAD = ("data", "metric", "one", "any of 20", "found alone", "among 20")


def rows_of(worlds: int) -> Iterator[list[str]]:
    """Give a row for each kind of comparison and metric."""
    for world in WORLDS:
        for name, one in simulate(world, worlds).items():
            print(name, f"uncorrected {one.unadjusted:.3f}, theory {one.theory:.3f}", flush=True)
            shares = (one.power, one.power_among)
            plain = [f"{100 * share:.1f}" for share in shares]
            yield [world.name, name, percent(one.one), percent(one.any_of_all), *plain]


if __name__ == "__main__":
    run(__doc__, 2_000, "at once", HEAD, rows_of, 2)
