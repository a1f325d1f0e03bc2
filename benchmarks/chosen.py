"""How often an interval of what was chosen by its result holds the truth, before and after.

A world is some models on the same clusters, of which the best is chosen. In most worlds a model
is a number per cluster, which is what a jackknife's deleted values hold; in the last of them
rows are scored. A threshold is chosen on the rows of a world, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import sqrt

import coverage
import numpy as np
import pandas as pd
import verdicts
from simulated import estimates, main, mean_of, percent, quick, table, worlds_of

from crivo.core.blocks import Context
from crivo.core.params import ValueSettings
from crivo.core.predictions import assign_clusters
from crivo.evaluation.jackknife import jackknife_groups
from crivo.evaluation.metrics import Metric, find_metrics, metrics_of
from crivo.evaluation.rows import Binary
from crivo.evaluation.thresholds import OperatingPoint
from crivo.statistics.intervals import Estimate, interval
from crivo.statistics.selection import after_selection

quick()
MODELS = 20

NUMBER = metrics_of("regression")["r2"]
AUC = metrics_of("binary")["roc_auc"]


@dataclass(frozen=True)
class World:
    """A kind of choice.

    Twenty models of one standard error each, on `clusters` that are `unequal` 30 to 1. All models
    share an error `common` times as large as their own; groups of five share `alike` of their own
    variance. The first is `better` by so many standard errors, or the true values of all `vary`
    by so many. The logarithms of the models' own errors have the standard deviation `noisy`.
    """

    name: str
    clusters: int
    unequal: bool = False
    common: float = 0.0
    alike: float = 0.0
    better: float = 0.0
    vary: float = 0.0
    noisy: float = 0.0


WORLDS = worlds_of("chosen models", World)

# The models' estimates, their true values, and the standard error of a model's own part.
Family = tuple[list[Estimate], np.ndarray, float]


def draw(world: World, random: np.random.Generator) -> Family:
    """Return each model's estimate, its true value, and the standard error of its own part."""
    sizes = np.geomspace(1, 30, world.clusters) if world.unequal else np.ones(world.clusters)
    part = sizes / sizes.sum()
    error = sqrt((part**2).sum())
    own = random.standard_normal((world.clusters, MODELS))
    group = random.standard_normal((world.clusters, 4))[:, np.arange(MODELS) % 4]
    own = sqrt(1 - world.alike) * own + sqrt(world.alike) * group
    own *= np.exp(world.noisy * random.standard_normal(MODELS)) if world.noisy else 1
    true = world.vary * error * random.standard_normal(MODELS)
    true[0] += world.better * error
    numbers = true + own + world.common * random.standard_normal((world.clusters, 1))
    values = part @ numbers
    deleted = (values - part[:, None] * numbers) / (1 - part)[:, None]
    effective = 1 / float((part**2).sum())
    found = [Estimate(*one, effective) for one in zip(values, deleted.T, strict=True)]
    return found, true, 0.0 if world.noisy else error


def scored(random: np.random.Generator) -> Family:
    """Return the ROC AUC of twenty models that score the same rows of twelve days equally well."""
    world = verdicts.World("", 12, 200, effect=0.5, daily=0.2)
    *models, _ = verdicts.draw(world, random)
    found = [estimates(rows, world.groups(), [AUC])[AUC.name] for rows in models]
    return found, np.full(len(found), true_auc()), 0.0


@cache
def true_auc(rows: int = 400_000) -> float:
    """Return the ROC AUC of those models on very many rows, each of its own day."""
    world = verdicts.World("", rows, 1, effect=0.5, daily=0.2)
    return AUC(next(verdicts.draw(world, np.random.default_rng(1))))


def judge(
    random: np.random.Generator, draw_one: Callable[[np.random.Generator], Family], metric: Metric
) -> tuple[float, ...]:
    """Return whether the best model's own interval, and that after selection, hold its true value.

    And both errors, in standard errors of a model's own part, and how much wider the second is.
    """
    family, true, error = draw_one(random)
    best = int(np.argmax([one.value for one in family]))
    chosen, truth = family[best], true[best]
    others = [one for place, one in enumerate(family) if place != best]
    own = interval(chosen, metric.bounds)
    after = after_selection(metric, chosen, others, decided=True)
    unit = error or own.se
    return (
        own.low <= truth <= own.high,
        after.low <= truth <= after.high,
        (chosen.value - truth) / unit,
        (after.value - truth) / unit,
        (after.high - after.low) / (own.high - own.low),
    )


GAINS = ValueSettings(true_positive=2, false_positive=-1)
DECISIONS = ("f1", "precision", "recall")
CONTEXT = Context("binary", (False, True), True)


def scores(rows: int, signal: float, random: np.random.Generator) -> pd.DataFrame:
    """Return a predictions table with a fifth of positive rows or so."""
    world = coverage.World("", rows, 1, offset=-1.6, signal=signal)
    table = coverage.draw(world, np.zeros(rows), random)
    table["id"] = [f"{row:06d}" for row in range(rows)]
    return table.assign(cluster=assign_clusters(table, "id"))


def sought(
    table: pd.DataFrame, new: pd.DataFrame, metrics: Sequence[Metric]
) -> list[tuple[float, ...]]:
    """Return of each metric the same of what a threshold sought on a table makes of new rows.

    Missing where it makes nothing of them, or where a side has no interval.
    """
    point = OperatingPoint.choose((table, table), CONTEXT, GAINS, here=True)
    groups = jackknife_groups(table)
    kept = replace(point, here=False)
    decided = Binary.of(kept.apply((new, new.iloc[:9]), CONTEXT)[0], CONTEXT)
    if not decided.sum(decided.predicted) > 0:
        return [(np.nan,) * 5] * len(metrics)
    sides = [one.apply((table, table), CONTEXT)[0] for one in (kept, point)]
    results = [estimates(Binary.of(one, CONTEXT), groups, metrics) for one in sides]
    found = []
    for metric in metrics:
        truth, values = metric(decided), [one[metric.name] for one in results]
        limits = [interval(one, metric.bounds) for one in values]
        held = [one.low <= truth <= one.high for one in limits]
        before, now = (one.high - one.low for one in limits)
        wider = now / before if min(before, now) > 0 else np.nan
        found.append((*held, *(one.value - truth for one in values), wider))
    return found


SOUGHT = {"300 rows": (300, 1.0), "300 rows, weak signal": (300, 0.5)}
HEAD = ("covered before", "now", "error before", "now", "times as wide")


def cells(found: np.ndarray, digits: int) -> list[str]:
    """Return means over worlds as the cells of a table."""
    shares = [percent(share, 0.92, 0.98) for share in found[:2]]
    return [*shares, *(f"{error:+.{digits}f}" for error in found[2:4]), f"{found[4]:.2f}"]


def model_rows(worlds: int) -> Iterator[list[str]]:
    """Give a row for each kind of choice."""
    kinds = [(world.name, partial(draw, world), NUMBER) for world in WORLDS]
    kinds.append((f"ROC AUC of {MODELS} equal models on 12 days of 200 rows", scored, AUC))
    for name, draw_one, metric in kinds:
        yield [name, *cells(mean_of(worlds, judge, draw_one, metric), 2)]


def threshold_rows(worlds: int) -> Iterator[list[str]]:
    """Give a row for each metric on rows of each kind."""
    metrics = find_metrics(DECISIONS, "binary")
    for name, (rows, signal) in SOUGHT.items():
        new = scores(100_000, signal, np.random.default_rng(1))
        tables = (
            scores(rows, signal, np.random.default_rng([2, number])) for number in range(worlds)
        )
        found = np.array([sought(table, new, metrics) for table in tables], dtype=float)
        for place, metric in enumerate(DECISIONS):
            known = found[np.isfinite(found[:, place]).all(axis=1), place]
            yield [name, metric, *cells(known.mean(axis=0), 3)]


PARTS = {
    "chosen models": lambda times: table(("data", *HEAD), model_rows(times), times=times),
    "thresholds": lambda times: table(("rows", "metric", *HEAD), threshold_rows(times), (0, 1)),
}

if __name__ == "__main__":
    main(__doc__, 500, PARTS)
