"""How often equal recipes are called different over folds, and how often a better one is found.

A world is rows and two recipes that fit the same kind of model on features of their own, so that
they are equally good over all training rows and never on those of one world.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from types import SimpleNamespace

import numpy as np
import pandas as pd
from scipy.stats import t
from simulated import GOAL, estimates, main, percent, table, worlds_of
from sklearn.linear_model import Ridge

from crivo.comparison.recipes import OverFolds
from crivo.evaluation.metrics import find_metrics
from crivo.evaluation.rows import Binary
from crivo.statistics.intervals import Estimate, difference, interval

METRICS = find_metrics(("roc_auc", "brier"), "binary")


@dataclass(frozen=True)
class World:
    """A kind of comparison over folds.

    `noise`: how many features say nothing. Rows come from `days`, whose effect is `effect`; they
    are dealt to folds at random, by whole days (`by_day`), or in time (`in_time`). `better`: by
    how much less the first recipe's features are blurred.
    """

    name: str
    rows: int
    folds: int
    noise: int = 20
    days: int = 60
    effect: float = 0.0
    by_day: bool = False
    in_time: bool = False
    better: float = 0.0


WORLDS = worlds_of("folds", World)


def draw(
    world: World, random: np.random.Generator
) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
    """Return what happened, the features of both recipes, and each row's day."""
    day = np.arange(world.rows) * world.days // world.rows
    known = random.standard_normal((world.rows, 5))
    effects = world.effect * random.standard_normal(world.days)[day]
    happened = random.random(world.rows) < 1 / (1 + np.exp(1 - known.sum(axis=1) / 2 - effects))
    features = []
    for blur in (1 - world.better, 1.0):
        blurred = known + blur * random.standard_normal(known.shape)
        blurred[:, :2] += world.effect * random.standard_normal((world.days, 2))[day]
        features.append(np.c_[blurred, random.standard_normal((world.rows, world.noise))])
    return happened, features, day


def folds_of(world: World, day: np.ndarray, random: np.random.Generator) -> list[np.ndarray]:
    """Return the training rows and the evaluated rows of each fold, as marks: 1 and 2."""
    if world.in_time:
        parts = np.arange(world.folds + 1) / world.folds
        edges = np.round(world.days * (1 / 3 + 2 / 3 * parts))
        return [(day < a) * 1 + ((day >= a) & (day < b)) * 2 for a, b in pairwise(edges)]
    dealt = random.permutation(world.rows) % world.folds
    if world.by_day:
        dealt = (random.permutation(world.days) % world.folds)[day]
    return [np.where(dealt == fold, 2, 1) for fold in range(world.folds)]


def fitted(features: np.ndarray, happened: np.ndarray, mark: np.ndarray) -> np.ndarray:
    """Return the scores of the evaluated rows by a model of the training rows."""
    taught, target = features[mark == 1], happened[mark == 1].astype(float)
    model = Ridge(fit_intercept=False).fit(taught, target - target.mean())
    return np.clip(target.mean() + model.predict(features[mark == 2]), 0.001, 0.999)


def judged(happened: np.ndarray, score: np.ndarray, cluster: np.ndarray) -> dict[str, Estimate]:
    """Return the metrics of some rows, with and without each cluster."""
    rows = Binary(happened, score > 0.5, score, np.ones(len(score)))
    groups = pd.Categorical(cluster.astype(str))
    return estimates(rows, groups, METRICS)


def compare(random: np.random.Generator, world: World) -> Iterator[dict[str, float]]:
    """Give, by metric, whether each way calls the recipes different, and the first's value."""
    happened, features, day = draw(world, random)
    cluster = day // 3 if world.in_time else day
    marks = folds_of(world, day, random)
    recipes, pooled = [], []
    for own in features:
        runs, scores = [], np.full(world.rows, np.nan)
        for mark in marks:
            inside = mark == 2
            scores[inside] = fitted(own, happened, mark)
            found = judged(happened[inside], scores[inside], cluster[inside])
            about = {"n_rows": int(inside.sum())}
            runs.append(SimpleNamespace(estimate=found.get, about=about, settings={}))
        recipes.append(OverFolds("", tuple(runs), world.in_time))
        seen = ~np.isnan(scores)
        pooled.append(judged(happened[seen], scores[seen], cluster[seen]))
    for metric in METRICS:
        name = metric.name
        together = interval(difference(metric, *(one[name] for one in pooled)))
        change = recipes[0].values(name) - recipes[1].values(name)
        count, spread = len(change), change.var(ddof=1)
        corrected = sqrt(spread * (1 / count + recipes[0].overlap)) * t.ppf(0.975, count - 1)
        now = recipes[0].verdict(recipes[1], metric, 0.05)
        own = recipes[0].interval(metric)
        yield {
            "pooled": together.low > 0 or together.high < 0,
            "corrected": abs(change.mean()) > corrected,
            "now": now.difference_low > 0 or now.difference_high < 0,
            "value": recipes[0].values(name).mean(),
            "low": own.low,
            "high": own.high,
        }


HEAD = ("data", "pooled", "corrected", "now")


def rows_of(worlds: int) -> Iterator[list[str]]:
    """Give a row for each kind of comparison; each cell has the shares of both metrics.

    It also prints how often a recipe's interval holds what it is worth: its mean over all worlds.
    """
    for world in WORLDS:
        most = 1.0 if world.better else GOAL
        found = [list(compare(np.random.default_rng(number), world)) for number in range(worlds)]
        shares = []
        for one in zip(*found, strict=True):
            of_metric = pd.DataFrame(one).astype(float)
            mean = of_metric.mean()
            held = of_metric["low"].le(mean["value"]) & of_metric["high"].ge(mean["value"])
            print(f"{world.name}: covered {held.mean():.3f}", flush=True)
            shares.append([percent(mean[way], 0, most) for way in HEAD[1:]])
        yield [world.name, *map(" / ".join, zip(*shares, strict=True))]


if __name__ == "__main__":
    main(__doc__, 400, {"folds": lambda times: table(HEAD, rows_of(times), times=times)})
