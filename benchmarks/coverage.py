"""How often a 95 % interval holds the truth, in simulated worlds where the truth is known.

    python benchmarks/coverage.py                     # 1,000 worlds of each kind: half an hour
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
sys.path.insert(0, str(Path(__file__).resolve().parent))

from coverage_worlds import METRICS, WORLDS, Rows, World, day_effects, day_of_rows, draw
from pages import renew

from crivo.evaluation.caveats import caveats
from crivo.evaluation.clusters import effective_clusters
from crivo.evaluation.intervals import looks_serial, standard_error, t_quantile
from crivo.evaluation.jackknife import Jackknife, leave_out
from crivo.evaluation.metrics import Metric, find_metrics
from crivo.evaluation.row_caveats import heavy_tails, rare_classes
from crivo.evaluation.rows import Regression
from crivo.evaluation.serial import block_warning, longer_blocks
from crivo.evaluation.slices import Slice, fewer, groups_for
from crivo.evaluation.tables import interval_table

TRUTH_ROWS = 4_000_000


def truth(world: World, metrics: Sequence[Metric]) -> np.ndarray:
    """Return the metrics' true values: those of very many rows, each of its own day."""
    random = np.random.default_rng(1)
    effects = day_effects(replace(world, serial=0), TRUTH_ROWS, random)
    rows = draw(world, effects, random)
    return np.array([metric(rows) for metric in metrics])


@dataclass(frozen=True)
class Coverage:
    """Shares of worlds: whose interval holds the truth, by metric, and which have a warning.

    `before`: of intervals with a degree of freedom for each cluster, and no log odds.
    """

    held: dict[str, float]
    before: dict[str, float]
    warned: float


def coverage(world: World, worlds: int, seed: int = 0, by_row: bool = False) -> Coverage:
    """Return how often intervals hold the truth.

    `by_row` deals the rows to as many groups whatever their day, as if days didn't matter.
    """
    metrics = find_metrics(METRICS[world.task], world.task)
    true = truth(world, metrics)
    day = day_of_rows(world)
    held, before, warned = np.zeros(len(metrics)), np.zeros(len(metrics)), 0
    for number in range(worlds):
        random = np.random.default_rng([seed, number])
        effects = day_effects(world, world.days, random)
        seen = day >= world.days - (world.late or world.days)
        rows = draw(world, effects[day[seen]], random)
        groups = _groups(world, day, by_row)
        left, effective = groups_for(Slice("late", "late", seen), groups, _spread(rows, seen))
        if not world.late:
            left = groups
            effective = effective_clusters(groups, _spread(rows, seen))
        result = _leave_out(rows, left[seen], metrics)
        table = interval_table(result, metrics, effective)
        held += (table["low"].to_numpy() <= true) & (true <= table["high"].to_numpy())
        merged = fewer(groups)[seen] if world.late else left
        older = result if merged is left else _leave_out(rows, merged, metrics)
        before += _as_before(older, metrics, true)
        warned += _warns(world, rows, result, metrics, effective, day)
    names = [metric.name for metric in metrics]
    return Coverage(
        dict(zip(names, held / worlds, strict=True)),
        dict(zip(names, before / worlds, strict=True)),
        warned / worlds,
    )


def _groups(world: World, day: np.ndarray, by_row: bool) -> pd.Categorical:
    blocks = world.days // world.block
    codes = np.arange(len(day)) % blocks if by_row else day * blocks // world.days
    labels = [str(block) for block in range(blocks)]
    return pd.Categorical.from_codes(codes, labels, ordered=world.effect > 0)


def _spread(rows: Rows, seen: np.ndarray) -> np.ndarray:
    """Return the weights of the rows that are seen in their places among all."""
    weight = np.zeros(len(seen))
    weight[seen] = rows.weight[rows.places]
    return weight


def _leave_out(rows: Rows, groups: pd.Categorical, metrics: Sequence[Metric]) -> Jackknife:
    functions = {metric.name: metric for metric in metrics}
    return leave_out(rows, groups, functions, list(functions))


def _as_before(result: Jackknife, metrics: Sequence[Metric], true: np.ndarray) -> np.ndarray:
    """Return whether the intervals of the older method hold the truth."""
    reach = t_quantile(0.975, len(result.deleted))
    errors = np.array([standard_error(result.deleted[metric.name]) for metric in metrics])
    return np.abs(result.values.to_numpy() - true) <= reach * errors


def _warns(
    world: World,
    rows: Rows,
    result: Jackknife,
    metrics: Sequence[Metric],
    effective: float,
    day: np.ndarray,
) -> bool:
    """Return whether an evaluation of this world would show a warning about its intervals."""
    if world.late:
        return False  # a slice has no warnings of its own
    if caveats(result, metrics, effective):
        return True
    if isinstance(rows, Regression):
        return bool(heavy_tails(rows.squared_errors, rows.weight, metrics))
    counts = np.unique(rows.target, return_counts=True)
    if rare_classes({str(name): int(count) for name, count in zip(*counts, strict=True)}):
        return True
    if world.block == 1:
        return False
    single = _leave_out(rows, _groups(replace(world, block=1), day, False), metrics)
    days = [column for _, column in single.deleted.items() if looks_serial(column)]
    return any(block_warning(longer_blocks(column), "", world.block) for column in days)


def report(results: dict[World, Coverage], worlds: int) -> str:
    """Return the results as Markdown, a table for each task."""
    error = 100 * sqrt(0.95 * 0.05 / worlds)
    lines = [
        "# How often a 95 % interval contains the true value",
        "",
        f"Written by `benchmarks/coverage.py`. Each row is the result of {worlds:,} simulated",
        f"data sets, with a Monte-Carlo error of {error:.1f} points. The goal is that 92 to 98 %",
        "of the intervals contain the true value, or that at least 80 % of the data sets get a",
        "warning. Values that miss both are bold. In parentheses is the result of intervals",
        "without log odds and with one degree of freedom per cluster, where it differs. *Warned*",
        "is the share of data sets for which a warning says that some interval is rough or too",
        "short. If nothing is wrong with the data, such a warning is a false alarm.",
        "",
        "Some rows show what goes wrong. If days depend on each other, intervals by single days",
        "are too short. Blocks of days correct this (`evaluate.block`), and the warning",
        "recommends them. The jackknife of a quantile needs clusters that are larger than the",
        "square root of the number of rows (Shao & Wu 1989). Clusters of three rows are too",
        "small, and a warning says so. With heavy tails, a few extreme rows or days determine",
        "the true value. A warning notices such rows, but there are too few days to notice such",
        "days: in the data with heavy tails and 2 % positives, most samples look harmless, and",
        "only more days help.",
    ]
    for task in METRICS:
        names = [*METRICS[task], "warned"]
        lines += ["", f"| {task} | {' | '.join(names)} |", "| --- |" + " ---: |" * len(names)]
        lines += [
            f"| {world.name} | {' | '.join(cells(found))} |"
            for world, found in results.items()
            if world.task == task
        ]
    return "\n".join(lines) + "\n"


def cells(found: Coverage) -> list[str]:
    """Return shares in percent, bold where an interval misses the goal without a warning."""
    texts = []
    for name, share in found.held.items():
        missed = not 0.92 <= share <= 0.98 and found.warned < 0.8
        text = f"**{100 * share:.1f}**" if missed else f"{100 * share:.1f}"
        before = f"{100 * found.before[name]:.1f}"
        texts.append(text if before == f"{100 * share:.1f}" else f"{text} ({before})")
    return [*texts, f"{100 * found.warned:.1f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=1_000)
    parser.add_argument("--output", type=Path, help="where to write the tables")
    options = parser.parse_args()
    results = {}
    for world in WORLDS:
        results[world] = coverage(world, options.worlds)
        print(f"{world.task}, {world.name}: {' '.join(cells(results[world]))}", flush=True)
        if options.output:  # after each world: a run that is stopped leaves what it found
            renew(options.output, report(results, options.worlds))


if __name__ == "__main__":
    main()
