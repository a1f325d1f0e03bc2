"""How often a verdict is wrong between equals, and how often it finds a real difference.

A world is one comparison: a reference and a candidate are judged on the same rows, by the functions
behind `crivo compare`; in `sequences.py` candidates come one after the other. Among equals every
model sees the same signal through noise of its own, of each row and of each day, so that no
difference is real.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from coverage import World
from simulated import estimates, main, mean_of, percent, table, worlds_of

from crivo.evaluation.metrics import find_metrics
from crivo.evaluation.rows import Binary
from crivo.statistics.intervals import difference, interval, verdict

METRICS = find_metrics(("roc_auc", "log_loss", "precision_at_share"), "binary")
CANDIDATES = 20


WORLDS = worlds_of("one comparison", World)
# What a model gets wrong about a single row, and by how much less a better one does.
NOISE, LESS = 0.5, 0.4


def draw(world: World, random: np.random.Generator) -> Iterator[Binary]:
    """Give the rows as each model scores them: the reference, its equals, then a better one."""
    day = world.day
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


def judge(random: np.random.Generator, world: World) -> list[list[bool]]:
    """Return of each metric whether an equal, or any of twenty, is called different; and power.

    That is whether a better one is called better.
    """
    first, *others = (estimates(rows, world.groups(), METRICS) for rows in draw(world, random))
    found = []
    for metric in METRICS:
        pairs = ((one[metric.name], first[metric.name]) for one in others)
        *equals, better = (verdict(interval(difference(metric, *two)), metric) for two in pairs)
        wrong = [one in ("better", "worse") for one in equals]
        found.append([wrong[0], any(wrong), better == "better"])
    return found


def rows_of(worlds: int) -> Iterator[list[str]]:
    """Give a row for each kind of comparison and metric."""
    for world in WORLDS:
        shares = mean_of(worlds, judge, world)
        for metric, (one, any_of_all, power) in zip(METRICS, shares, strict=True):
            print(f"any of {CANDIDATES} is called different: {any_of_all:.3f}", flush=True)
            yield [world.name, metric.name, percent(one), f"{100 * power:.1f}"]


HEAD = ("data", "metric", "equal called different", "better one found")


if __name__ == "__main__":
    parts = {"one comparison": lambda times: table(HEAD, rows_of(times), (0, 1), times)}
    main(__doc__, 2_000, parts)
