"""How often a 95 % interval holds the truth, in simulated worlds where the truth is known.

A world is one evaluation: rows, in most worlds of days that share an effect the model doesn't
know. The truth is the metric on four million independent rows of such days.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from simulated import autoregression, main, percent, table, worlds_of

from crivo.core.blocks import Context
from crivo.core.schema import Task
from crivo.evaluation.assess import interval_table
from crivo.evaluation.caveats import block_advice, caveats
from crivo.evaluation.jackknife import measure_without_each
from crivo.evaluation.metrics import Metric, find_metrics
from crivo.evaluation.tasks import Evaluated
from crivo.project.clusters import MIN_BLOCKS, independent_block

TRUTH_ROWS = 4_000_000

CONTEXTS: dict[Task, Context] = {
    "binary": Context("binary", (False, True), True),
    "regression": Context("regression"),
    "multiclass": Context("multiclass", (0, 1, 2)),
}
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
    `digits`, and tie. `daily`: where several models are compared, the standard deviation of what
    each gets wrong about a whole day.
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
    daily: float = 0.0
    task: Task = "binary"

    @cached_property
    def day(self) -> np.ndarray:
        """Each row's day."""
        sizes = np.full(self.days, self.rows)
        if self.unequal:
            shares = 30 ** np.linspace(0, 1, self.days)
            sizes = np.rint(shares * self.rows / shares.mean()).astype(int)
        return np.repeat(np.arange(self.days), sizes)

    def groups(self, by_row: bool = False) -> pd.Categorical:
        """Return the cluster of each row; `by_row` deals the rows to as many whatever their day."""
        blocks = self.days // self.block
        day = np.arange(len(self.day)) if by_row else self.day * blocks // self.days
        labels = [str(block) for block in range(blocks)]
        return pd.Categorical.from_codes(day % blocks, labels, ordered=self.effect > 0)


WORLDS = [replace(one, task=task) for task in METRICS for one in worlds_of(task, World)]
# Near 1 the jackknife often has no width.
SHARES = ("precision_at_share", "accuracy", "precision", "recall", "roc_auc")
NEAR_ONE = worlds_of("near one", World)


def day_effects(world: World, days: int, random: np.random.Generator) -> np.ndarray:
    """Return each day's effect, correlated from day to day."""
    noise = random.standard_t(3, days) if world.tails else random.standard_normal(days)
    return world.effect * autoregression(noise, world.serial)


def draw(world: World, effects: np.ndarray, random: np.random.Generator) -> pd.DataFrame:
    """Return predictions of rows that have their day's effect; the model knows all but that."""
    known = random.standard_normal(len(effects))
    weight = np.ones(len(effects))
    if world.weights:
        weight = np.exp(world.weights * random.standard_normal(len(effects)))
    if world.task == "regression":
        noise = random.standard_normal(len(effects)) * np.exp(known / 4)
        if world.errors:
            noise = random.standard_t(world.errors, len(effects))
        columns = {"target": known + effects + noise, "prediction": known}
    elif world.task == "multiclass":
        rest = (1 - world.rare) / 2
        odds = np.log([rest, rest, world.rare]) + 1.5 * random.standard_normal((len(known), 3))
        scores = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
        target = (scores.cumsum(axis=1) < random.random((len(known), 1))).sum(axis=1)
        columns = {"target": target, "prediction": scores.argmax(axis=1)}
        columns |= {f"score_{place}": scores[:, place] for place in range(3)}
    else:
        chance = 1 / (1 + np.exp(-(world.offset + world.signal * known + effects)))
        score = (1 / (1 + np.exp(-(world.offset + world.signal * known)))).round(world.digits)
        happened = random.random(len(effects)) < chance
        columns = {"target": happened, "prediction": score > 0.5, "score": score}
    return pd.DataFrame(columns).assign(id=np.arange(len(effects)), weight=weight)


def truth(world: World, metrics: Sequence[Metric]) -> np.ndarray:
    """Return the metrics' true values: those of very many rows, each of its own day."""
    random = np.random.default_rng(1)
    effects = day_effects(replace(world, serial=0), TRUTH_ROWS, random)
    rows = Evaluated(draw(world, effects, random), CONTEXTS[world.task]).rows
    return np.array([metric(rows) for metric in metrics])


def coverage(
    asked: World, worlds: int, by_row: bool = False, names: Sequence[str] = ()
) -> pd.Series:
    """Return shares of worlds: whose interval holds the truth, by metric, and that are `warned`.

    `by_row`: clusters ignore the days, as if these didn't matter.
    """
    world, metrics = asked, find_metrics(names or METRICS[asked.task], asked.task)
    true = truth(world, metrics)
    day = world.day
    found = []
    for number in range(worlds):
        random = np.random.default_rng([0, number])
        if not asked.block:
            world = replace(asked, block=chosen_block(asked, np.random.default_rng([3, number])))
        rows = draw(world, day_effects(world, world.days, random)[day], random)
        groups = world.groups(by_row)
        evaluated = Evaluated(rows.assign(cluster=groups), CONTEXTS[world.task])
        units = day if world.effect else np.arange(len(day))
        result = measure_without_each(evaluated.rows, groups, metrics, units)
        table = interval_table(result, metrics)
        held = (table["low"] <= true) & (true <= table["high"])
        warned = caveats(result, metrics) or evaluated.caveats(metrics)
        if world.block > 1:
            warned = warned or block_advice(evaluated, metrics, pd.Series(day), world.block)[1]
        found.append(held.to_dict() | {"warned": bool(warned)})
    return pd.DataFrame(found).mean()


def chosen_block(world: World, random: np.random.Generator) -> int:
    """Return how many days `crivo start` makes a block of, by training days before these."""
    days = 4 * world.days
    rows = draw(world, np.repeat(day_effects(world, days, random), world.rows), random)
    target = rows["target"].to_numpy(float).reshape(days, world.rows)
    return independent_block(pd.Series(target.mean(axis=1)), 1, world.days // MIN_BLOCKS)


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
    yield ["lowest", *cells(found.min(), most=1)]
    yield ["highest", *cells(found.max(), most=1)]


NEAR = (f"{len(NEAR_ONE)} kinds of data", *SHARES, "warned")
PARTS = {
    "shares": lambda times: table(NEAR, extremes(times), times=times),
    "coverage": lambda times: [*task_lines(times)][:-1],
}

if __name__ == "__main__":
    main(__doc__, 1_000, PARTS)
