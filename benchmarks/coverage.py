"""How often a 95 % interval holds the truth, in simulated worlds where the truth is known.

A world is one evaluation: rows, in most worlds of days that share an effect the model doesn't
know. The truth is the metric on four million independent rows of such days.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from simulated import autoregression, day_of_rows, main, percent, table

from crivo.core.schema import Task
from crivo.evaluation.assess import interval_table
from crivo.evaluation.caveats import MAX_RATIO, caveats
from crivo.evaluation.jackknife import Jackknife, measure_without_each
from crivo.evaluation.metrics import Metric, find_metrics
from crivo.evaluation.rows import Binary, Multiclass, Regression
from crivo.evaluation.tasks import heavy_tails, rare_classes
from crivo.project.clusters import MIN_BLOCKS, independent_block
from crivo.statistics.departures import longer_blocks, looks_serial
from crivo.statistics.jackknife import ratios_without

TRUTH_ROWS = 4_000_000

Rows = Binary | Multiclass | Regression

METRICS: dict[Task, tuple[str, ...]] = {
    "binary": ("roc_auc", "average_precision", "log_loss", "brier", "precision_at_share"),
    "regression": ("rmse", "mae", "r2", "median_absolute_error", "absolute_error_p90"),
    "multiclass": ("log_loss", "accuracy", "balanced_accuracy", "macro_f1"),
}


@dataclass(frozen=True)
class World:
    """A kind of evaluation.

    `effect` is the size of the days' effect, normal or, with heavy `tails`, t with 3 degrees of
    freedom; `serial` is its correlation from one day to the next, `offset` moves the positives'
    share, and `block` joins days to a cluster; 0 is what `crivo start` chooses by four times as
    many training days. `rows` are those of a day, or the mean when days are `unequal`: the largest
    then has thirty times those of the smallest. Without `effect` the rows are independent and the
    days are groups made by a hash. The logarithms of the rows' weights have the standard deviation
    `weights`. `signal` is how well the model can tell the rows apart, `errors` the degrees of
    freedom of t-distributed errors, `rare` the part of the third class. Scores have so many
    `digits`, and tie.
    """

    name: str
    days: int
    rows: int
    effect: float = 0.0
    serial: float = 0.0
    offset: float = -1.2
    block: int = 1
    unequal: bool = False
    tails: bool = False
    weights: float = 0.0
    signal: float = 1.0
    errors: float = 0.0
    rare: float = 0.1
    digits: int = 15
    task: Task = "binary"


REGRESSION: dict[str, Any] = {"task": "regression"}

WORLDS = (
    World("150 independent rows", 50, 3),
    World("5,000 independent rows", 50, 100),
    World("5,000 independent rows, 2 % positive", 50, 100, offset=-4.3),
    World("12 days", 12, 100, effect=0.5),
    World("61 days", 61, 100, effect=0.5),
    World("61 days, 2 % positive", 61, 100, effect=0.5, offset=-4.4),
    World("61 unequal days", 61, 100, effect=0.5, unequal=True),
    World("61 days, 2 % positive, heavy tails", 61, 100, effect=0.5, offset=-4.5, tails=True),
    World("61 days, serial correlation 0.4, by day", 61, 100, effect=0.5, serial=0.4),
    World("61 days, serial correlation 0.4, blocks of 5", 61, 100, effect=0.5, serial=0.4, block=5),
    World("61 days, serial correlation 0.5", 61, 100, effect=0.5, serial=0.5, block=0),
    World("61 days, serial correlation 0.65", 61, 100, effect=0.5, serial=0.65, block=0),
    World("61 days, serial correlation 0.8", 61, 100, effect=0.5, serial=0.8, block=0),
    World("40 days, serial correlation 0.65", 40, 100, effect=0.5, serial=0.65, block=0),
    World("12 days with sizes from 1 to 30", 12, 200, effect=0.5, unequal=True),
    World("weights up to 1,000 to 1", 50, 20, weights=1.5),
    World("weights up to 10,000 to 1", 50, 20, weights=2.0),
    World("300 independent rows, ROC AUC 0.990", 50, 6, signal=10, offset=-2),
    World("400 independent rows, ROC AUC 0.9995", 50, 8, signal=45, offset=-10),
    World("150 independent rows", 50, 3, **REGRESSION),
    World("61 days", 61, 100, effect=0.5, **REGRESSION),
    World("61 days, serial correlation 0.5", 61, 100, 0.5, 0.5, block=0, **REGRESSION),
    World("61 days, serial correlation 0.65", 61, 100, 0.5, 0.65, block=0, **REGRESSION),
    World("61 days, serial correlation 0.8", 61, 100, 0.5, 0.8, block=0, **REGRESSION),
    World("12 days with sizes from 1 to 30", 12, 200, effect=0.5, unequal=True, **REGRESSION),
    World("weights up to 10,000 to 1", 50, 20, weights=2.0, **REGRESSION),
    World("61 days, errors of t(2.5)", 61, 100, errors=2.5, **REGRESSION),
    World("61 days, errors of t(3)", 61, 100, errors=3, **REGRESSION),
    World("61 days, errors of t(5)", 61, 100, errors=5, **REGRESSION),
    World("1,000 rows, three classes, one with 10 %", 50, 20, task="multiclass"),
    World("1,000 rows, three classes, one with 1 %", 50, 20, rare=0.01, task="multiclass"),
)

# Near 1 the jackknife often has no width.
SHARES = ("precision_at_share", "accuracy", "precision", "recall", "roc_auc")
NEAR_ONE = (
    World("69 independent rows", 23, 3, offset=-3, signal=20),
    World("300 independent rows", 50, 6, offset=-3, signal=20),
    World("1,000 independent rows, scores of one digit", 50, 20, offset=-3, signal=8, digits=1),
    World("1,000 independent rows, scores of two digits", 50, 20, offset=-3, signal=20, digits=2),
    World("20 days of 15 rows", 20, 15, offset=0.3, signal=2, effect=0.5),
    World("12 days of 25 rows", 12, 25, offset=0.2, signal=2, effect=0.7),
)


def day_effects(world: World, days: int, random: np.random.Generator) -> np.ndarray:
    """Return each day's effect, correlated from day to day."""
    noise = random.standard_t(3, days) if world.tails else random.standard_normal(days)
    return world.effect * autoregression(noise, world.serial)


def draw(world: World, effects: np.ndarray, random: np.random.Generator) -> Rows:
    """Return rows of which each has its day's effect; the model knows all but that."""
    known = random.standard_normal(len(effects))
    weight = np.ones(len(effects))
    if world.weights:
        weight = np.exp(world.weights * random.standard_normal(len(effects)))
    if world.task == "regression":
        noise = random.standard_normal(len(effects)) * np.exp(known / 4)
        if world.errors:
            noise = random.standard_t(world.errors, len(effects))
        return Regression(known + effects + noise, known, weight)
    if world.task == "multiclass":
        return _three_classes(world, known, weight, random)
    chance = 1 / (1 + np.exp(-(world.offset + world.signal * known + effects)))
    score = (1 / (1 + np.exp(-(world.offset + world.signal * known)))).round(world.digits)
    return Binary(random.random(len(effects)) < chance, score > 0.5, score, weight)


def _three_classes(
    world: World, known: np.ndarray, weight: np.ndarray, random: np.random.Generator
) -> Multiclass:
    """Return rows whose classes the model tells apart by one number for each."""
    rest = (1 - world.rare) / 2
    odds = np.log([rest, rest, world.rare]) + 1.5 * random.standard_normal((len(known), 3))
    scores = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    target = (scores.cumsum(axis=1) < random.random((len(known), 1))).sum(axis=1)
    return Multiclass(target, scores.argmax(axis=1), scores, weight, ("a", "b", "c"))


def truth(world: World, metrics: Sequence[Metric]) -> np.ndarray:
    """Return the metrics' true values: those of very many rows, each of its own day."""
    random = np.random.default_rng(1)
    effects = day_effects(replace(world, serial=0), TRUTH_ROWS, random)
    rows = draw(world, effects, random)
    return np.array([metric(rows) for metric in metrics])


def coverage(
    asked: World, worlds: int, by_row: bool = False, names: Sequence[str] = ()
) -> pd.Series:
    """Return shares of worlds: whose interval holds the truth, by metric, and that are `warned`.

    `by_row` deals the rows to as many groups whatever their day, as if days didn't matter.
    """
    world, metrics = asked, find_metrics(names or METRICS[asked.task], asked.task)
    true = truth(world, metrics)
    day = day_of_rows(world.days, world.rows, unequal=world.unequal)
    found = []
    for number in range(worlds):
        random = np.random.default_rng([0, number])
        if not asked.block:
            world = replace(asked, block=chosen_block(asked, np.random.default_rng([3, number])))
        rows = draw(world, day_effects(world, world.days, random)[day], random)
        units = day if world.effect else np.arange(len(day))
        result = measure_without_each(rows, _groups(world, day, by_row), metrics, units)
        table = interval_table(result, metrics)
        held = (table["low"] <= true) & (true <= table["high"])
        found.append(held.to_dict() | {"warned": _warns(world, rows, result, metrics, day)})
    return pd.DataFrame(found).mean()


def chosen_block(world: World, random: np.random.Generator) -> int:
    """Return how many days `crivo start` makes a block of, by training days before these."""
    days = 4 * world.days
    rows = draw(world, np.repeat(day_effects(world, days, random), world.rows), random)
    target = rows.target[rows.places].astype(float).reshape(days, world.rows)
    return independent_block(pd.Series(target.mean(axis=1)), 1, world.days // MIN_BLOCKS)


def _groups(world: World, day: np.ndarray, by_row: bool) -> pd.Categorical:
    blocks = world.days // world.block
    codes = np.arange(len(day)) % blocks if by_row else day * blocks // world.days
    labels = [str(block) for block in range(blocks)]
    return pd.Categorical.from_codes(codes, labels, ordered=world.effect > 0)


def _warns(
    world: World,
    rows: Rows,
    result: Jackknife,
    metrics: Sequence[Metric],
    day: np.ndarray,
) -> bool:
    """Return whether an evaluation of this world would show a warning about its intervals."""
    if caveats(result, metrics):
        return True
    if isinstance(rows, Regression):
        if heavy_tails(rows.squared_errors, rows.weight, metrics):
            return True
    else:
        counts = np.unique(rows.target, return_counts=True)
        if rare_classes({str(name): int(count) for name, count in zip(*counts, strict=True)}):
            return True
    if world.block == 1:
        return False
    single = measure_without_each(rows, _groups(replace(world, block=1), day, False), metrics)
    columns = [column.to_numpy() for _, column in single.deleted.items()]
    codes, weight = day[rows.order], rows.weight
    if world.task != "multiclass":
        columns.append(ratios_without(weight * rows.target, weight, codes, world.days))
    days = [column for column in columns if looks_serial(column)]
    return any(longer_blocks(column) > MAX_RATIO * world.block for column in days)


def cells(found: pd.Series, most: float = 0.98) -> list[str]:
    """Return shares in percent, bold where an interval misses the goal without a warning."""
    low, high = (0.92, most) if found["warned"] < 0.8 else (0.0, 1.0)
    held = [percent(share, low, high) for share in found.drop("warned")]
    return [*held, percent(found["warned"], 0, 1)]


def task_lines(worlds: int) -> Iterator[str]:
    """Give the table of each task; kinds that hold the goal everywhere are counted below it."""
    for task, names in METRICS.items():
        kinds = [world for world in WORLDS if world.task == task]
        found = pd.DataFrame({world.name: coverage(world, worlds) for world in kinds}).T
        held = found[[*names]]
        good = (held.ge(0.92) & held.le(0.98)).all(axis=1)
        good &= 1 < good.sum() < len(good)
        # The first table says how many data sets a row of all of them has.
        times = worlds if task == "binary" else 0
        rows = [[name, *cells(row)] for name, row in found[~good].iterrows()]
        yield from (*table([task, *found], rows, times=times), "")
        if good.any():
            count = f"The table leaves out {good.sum()} of {len(good)} kinds of data"
            yield from (f"{count}, which meet the goal in every metric.", "")


def extremes(worlds: int) -> Iterator[list[str]]:
    """Give the lowest and the highest shares of all kinds of data near 1."""
    found = pd.DataFrame([coverage(world, worlds, names=SHARES) for world in NEAR_ONE])
    for what, row in (("lowest", found.min()), ("highest", found.max())):
        yield [what, *cells(row, most=1)]


NEAR = (f"{len(NEAR_ONE)} kinds of data", *SHARES, "warned")
PARTS = {
    "shares": lambda times: table(NEAR, extremes(times), times=times),
    "coverage": lambda times: [*task_lines(times)][:-1],
}

if __name__ == "__main__":
    main(__doc__, 1_000, PARTS)
