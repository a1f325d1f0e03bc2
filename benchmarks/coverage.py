"""How often a 95 % interval holds the truth, in simulated worlds where the truth is known.

    python benchmarks/coverage.py                     # 2,000 worlds of each kind: minutes
    python benchmarks/coverage.py --worlds 200
    python benchmarks/coverage.py --output docs/coverage.md

A world is one evaluation: rows, in most worlds of days that share an effect the model doesn't
know. The truth is the metric on four million independent rows of such days.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from crivo.core.schema import Task
from crivo.evaluation.intervals import looks_serial
from crivo.evaluation.jackknife import leave_out
from crivo.evaluation.metrics import Metric, find_metrics
from crivo.evaluation.rows import Binary, Regression
from crivo.evaluation.tables import interval_table

METRICS: dict[Task, tuple[str, ...]] = {
    "binary": ("roc_auc", "average_precision", "log_loss", "brier", "precision_at_share"),
    "regression": ("rmse", "mae", "r2", "median_absolute_error", "absolute_error_p90"),
}

TRUTH_ROWS = 4_000_000


@dataclass(frozen=True)
class World:
    """A kind of evaluation.

    `effect` is the size of the days' effect, normal or, with heavy `tails`, t with 3 degrees
    of freedom; `serial` is its correlation from one day to the next, `offset` moves the
    positives' share, and `block` joins days to a cluster. `rows` are those of a day, or the
    mean when days are `unequal`: the largest then has thirty times those of the smallest.
    Without `effect` the rows are independent and the days are groups made by a hash.
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
    task: Task = "binary"


WORLDS = (
    World("150 independent rows, 50 groups", 50, 3),
    World("5,000 independent rows, 50 groups", 50, 100),
    World("5,000 independent rows, 2 % positive", 50, 100, offset=-4.3),
    World("12 days of 100 rows with an effect", 12, 100, effect=0.5),
    World("61 days of 100 rows with an effect", 61, 100, effect=0.5),
    World("61 days of 100 rows, 2 % positive", 61, 100, effect=0.5, offset=-4.4),
    World("61 unequal days with an effect", 61, 100, effect=0.5, unequal=True),
    World("61 days, 2 % positive, heavy tails", 61, 100, effect=0.5, offset=-4.5, tails=True),
    World("61 days, serial correlation 0.4", 61, 100, effect=0.5, serial=0.4),
    World("the same in blocks of 5 days", 61, 100, effect=0.5, serial=0.4, block=5),
    World("150 independent rows, 50 groups", 50, 3, task="regression"),
    World("61 days of 100 rows with an effect", 61, 100, effect=0.5, task="regression"),
)


def day_effects(world: World, days: int, random: np.random.Generator) -> np.ndarray:
    """Return each day's effect, correlated from day to day."""
    noise = random.standard_t(3, days) if world.tails else random.standard_normal(days)
    for day in range(1, days if world.serial else 0):
        noise[day] = world.serial * noise[day - 1] + sqrt(1 - world.serial**2) * noise[day]
    return world.effect * noise


def day_of_rows(world: World) -> np.ndarray:
    """Return each row's day."""
    sizes = np.full(world.days, world.rows)
    if world.unequal:
        shares = 30 ** np.linspace(0, 1, world.days)
        sizes = np.rint(shares * world.rows / shares.mean()).astype(int)
    return np.repeat(np.arange(world.days), sizes)


def draw(world: World, effects: np.ndarray, random: np.random.Generator) -> Binary | Regression:
    """Return rows of which each has its day's effect; the model knows all but that."""
    known = random.standard_normal(len(effects))
    weight = np.ones(len(effects))
    if world.task == "regression":
        noise = random.standard_normal(len(effects)) * np.exp(known / 4)
        return Regression(known + effects + noise, known, weight)
    chance = 1 / (1 + np.exp(-(world.offset + known + effects)))
    score = 1 / (1 + np.exp(-(world.offset + known)))
    return Binary(random.random(len(effects)) < chance, score > 0.5, score, weight)


def truth(world: World, metrics: Sequence[Metric]) -> np.ndarray:
    """Return the metrics' true values: those of very many rows, each of its own day."""
    random = np.random.default_rng(1)
    effects = day_effects(replace(world, serial=0), TRUTH_ROWS, random)
    rows = draw(world, effects, random)
    return np.array([metric(rows) for metric in metrics])


def coverage(world: World, worlds: int, seed: int = 0, by_row: bool = False) -> dict[str, float]:
    """Return the share of worlds whose interval holds the truth, by metric.

    `warned` is the share of worlds where any metric's serial dependence was noticed;
    `by_row` deals the rows to as many groups whatever their day, as if days didn't matter.
    """
    metrics = find_metrics(METRICS[world.task], world.task)
    functions = {metric.name: metric for metric in metrics}
    true = truth(world, metrics)
    day = day_of_rows(world)
    blocks = world.days // world.block
    labels = [str(block) for block in range(blocks)]
    codes = np.arange(len(day)) % blocks if by_row else day * blocks // world.days
    groups = pd.Categorical.from_codes(codes, labels, ordered=True)
    held, warned = np.zeros(len(metrics)), 0
    for number in range(worlds):
        random = np.random.default_rng([seed, number])
        rows = draw(world, day_effects(world, world.days, random)[day], random)
        result = leave_out(rows, groups, functions, list(functions))
        table = interval_table(result, metrics)
        held += (table["low"].to_numpy() <= true) & (true <= table["high"].to_numpy())
        warned += any(looks_serial(column) for _, column in result.deleted.items())
    return dict(zip(functions, held / worlds, strict=True)) | {"warned": warned / worlds}


def report(results: dict[World, dict[str, float]], worlds: int) -> str:
    """Return the results as Markdown, a table for each task."""
    error = 100 * sqrt(0.95 * 0.05 / worlds)
    lines = [
        "# How often a 95 % interval contains the true value",
        "",
        f"Written by `benchmarks/coverage.py`: {worlds:,} simulated worlds in each row,",
        f"Monte-Carlo error {error:.1f} points. The goal is 92 to 98 %; what misses it is bold.",
        "*Warned* is the share of worlds where a warning reported serial dependence in some",
        "metric; in worlds without it, this is a false alarm.",
        "",
        "Some rows are here to show what goes wrong. When days depend on each other, intervals by",
        "single days are too short. Blocks of days correct this (`evaluate.block`), and the",
        "warning recommends them. The jackknife of a quantile needs clusters larger than the",
        "square root of the number of rows (Shao & Wu 1989); clusters of three rows are too",
        "small, and a warning says so. With heavy tails, a few extreme days decide the true",
        "value. Two months without such days can't show it, and nothing warns; only more days",
        "help.",
    ]
    for task in METRICS:
        names = [*METRICS[task], "warned"]
        lines += ["", f"| {task} | {' | '.join(names)} |", "| --- |" + " ---: |" * len(names)]
        lines += [
            f"| {world.name} | {' | '.join(cell(name, found[name]) for name in names)} |"
            for world, found in results.items()
            if world.task == task
        ]
    return "\n".join(lines) + "\n"


def cell(name: str, share: float) -> str:
    """Return a share in percent, bold where an interval holds less or more than it should."""
    text = f"{100 * share:.1f}"
    return text if name == "warned" or 0.92 <= share <= 0.98 else f"**{text}**"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=2_000)
    parser.add_argument("--output", type=Path, help="where to write the tables")
    options = parser.parse_args()
    results = {}
    for world in WORLDS:
        results[world] = coverage(world, options.worlds)
        shares = "  ".join(f"{name} {100 * share:.1f}" for name, share in results[world].items())
        print(f"{world.name}: {shares}", flush=True)
        if options.output:  # after each world: a run that is stopped leaves what it found
            options.output.write_text(report(results, options.worlds), encoding="utf-8")


if __name__ == "__main__":
    main()
