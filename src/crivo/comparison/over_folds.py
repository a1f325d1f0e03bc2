"""Folds, and a recipe over them: the mean of the folds' metrics, and how sure that is.

Two things vary: the evaluated rows, which the jackknife within each fold shows, and the training
rows, which folds share, so that the spread over folds shows too little of it. Nadeau & Bengio
(2003) add the variance over folds times the evaluated rows per training row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from crivo.comparison.families import goodness
from crivo.comparison.recipes import RecipeDifference, interval_with_seeds
from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.folds import TEACHES
from crivo.evaluation.tables import table_of
from crivo.records.cached import Store, evaluate_again
from crivo.records.record import Record
from crivo.records.settings import chosen_block
from crivo.statistics.intervals import Estimate, Interval, difference, t_quantile, verdict
from crivo.statistics.scale import Scale


class Fold(NamedTuple):
    """One fold: the settings that make it, and which rows it is evaluated on, in words."""

    settings: tuple[str, ...]
    title: str


def plan_folds(record: Record, count: int, store: Store) -> list[Fold]:
    """Return the folds of a record's split; CrivoError when it can't be split so often."""
    if count < 2:
        raise CrivoError(f"--folds is {count}; expected 2 or more.")
    splitter, name = chosen_block("splitter", record.settings), record.settings["splitter"]
    folds = splitter.folds(count, lambda: _first(record, store))
    if not folds:
        raise CrivoError(
            f"Splitter {name} can't make folds: it lacks the settings fold, valid and test;  "
            "repeat over seeds, or use by_time, by_group or at_random."
        )
    start = f"++splitters.{name}"
    return [
        Fold(tuple(f"{start}.{key}={value}" for key, value in changed.items()), title)
        for title, changed in folds.items()
    ]


def _first(record: Record, store: Store) -> Any:
    """Return the first moment of the training rows."""
    time = store.schema(record).time
    rows = artifacts.read_table(store.path(record, "data/prepared/train.parquet"), [str(time)])
    return rows[time].min()


@dataclass(frozen=True)
class OverFolds:
    """The runs of one recipe, one for each fold; `in_time`: each is taught by what came before."""

    name: str
    runs: tuple[Record, ...]
    in_time: bool

    @property
    def overlap(self) -> float:
        """The evaluated rows per training row, the mean over folds.

        In time, the first third of it teaches only: half as much as there is in all folds.
        """
        known = [run.about.get("n_rows") for run in self.runs]
        rows = [count or 1 for count in known] if all(known) else [1] * len(known)
        total = sum(rows)
        before = np.cumsum([0, *rows[:-1]]) + total * TEACHES / (1 - TEACHES)
        rest = before if self.in_time else total - np.array(rows)
        return float(np.mean(rows / rest))

    def values(self, metric: str) -> np.ndarray:
        """Return a metric's value in each fold."""
        return np.array([run.estimate(metric).value for run in self.runs])

    def estimate(self, metric: str) -> Estimate:
        """Return the mean over folds of a metric, also without each cluster in turn.

        A cluster with rows in several folds is left out of all of them. Blocks are counted anew
        in each fold, and are others there. Each fold costs a degree of freedom.
        """
        value, count = float(self.values(metric).mean()), len(self.runs)
        parts, shares = [], []
        for place, run in enumerate(self.runs):
            own = run.estimate(metric)
            size = len(own.deleted)
            change = (own.deleted - own.deleted.mean()) * sqrt((size - 1) / size) / count
            parts.append(pd.Series(change, [_cluster(run, place, name) for name in own.names]))
            shares.append(own.clusters / size)
        together = pd.concat(parts)
        change = together.groupby(together.index, sort=False).sum(min_count=1)
        clusters = len(change)
        effective = max(clusters * float(np.mean(shares)) - count + 1, 2.0)
        deleted = value + change.to_numpy() * sqrt(clusters / (clusters - 1))
        return Estimate(value, deleted, effective, names=tuple(change.index))

    def interval(self, metric: Scale) -> Interval:
        """Return the interval of a metric's mean over folds, of any training and evaluated rows."""
        estimate = self.estimate(metric.name)
        limits = self._limits(estimate, self.values(metric.name), 0.05)
        low, high = metric.bounds
        return Interval(limits.se, max(limits.low, low), min(limits.high, high))

    def _limits(self, estimate: Estimate, values: np.ndarray, level: float) -> Interval:
        variance = float(values.var(ddof=1)) * self.overlap
        critical = t_quantile(1 - level / 2, estimate.clusters)
        return interval_with_seeds(estimate, [(variance, len(values))], critical)

    def minus(self, other: OverFolds, metric: Scale, level: float) -> tuple[float, Interval]:
        """Return how a metric differs from another recipe's in the same folds, and its interval."""
        both = difference(metric, self.estimate(metric.name), other.estimate(metric.name))
        mine, theirs = (
            np.array([goodness(metric, value) for value in one.values(metric.name)])
            for one in (self, other)
        )
        return both.value, self._limits(both, mine - theirs, level)


def _cluster(run: Record, place: int, name: str) -> str:
    """Return a name for a fold's cluster that other folds have for the same cluster only."""
    block = (run.settings.get("evaluate") or {}).get("block", 1)
    return f"{place}: {name}" if block > 1 else str(name)


def require_apart(recipe: OverFolds) -> None:
    """Raise CrivoError when folds have rows in common: each row is to be evaluated once."""
    seen: set[str] = set()
    for run in recipe.runs:
        sample = set(run.about.get("sample") or ())
        if seen & sample:
            raise CrivoError(
                f"The folds of {recipe.name} share rows; repeat it again with one --folds."
            )
        seen |= sample


def alike(recipes: Sequence[OverFolds], store: Store) -> list[OverFolds]:
    """Return recipes whose metrics were all defined alike; those that weren't evaluated again."""
    first, *others = (run for recipe in recipes for run in recipe.runs)
    if all(run.about["definition"] == first.about["definition"] for run in others):
        return list(recipes)
    return [
        replace(
            recipe, runs=tuple(evaluate_again(store, run, first.settings) for run in recipe.runs)
        )
        for recipe in recipes
    ]


def in_time(folds: Sequence[Fold]) -> bool:
    """Whether each fold is taught by what came before it, and not by all other folds."""
    return any(".valid_from=" in setting for fold in folds for setting in fold.settings)


def compare_over_folds(one: OverFolds, other: OverFolds, level: float) -> pd.DataFrame:
    """Return how one recipe differs from another, a row per metric, the primary one first.

    `level`: the error that this verdict may spend.
    """
    known, rows = other.runs[0].metrics, {}
    for name, metric in known.items():
        if all(name in run.measured_metrics for recipe in (one, other) for run in recipe.runs):
            value, limits = one.minus(other, metric, level)
            rows[name] = RecipeDifference(value, *limits, verdict(limits, metric))
    return table_of(RecipeDifference, rows).rename_axis("metric")
