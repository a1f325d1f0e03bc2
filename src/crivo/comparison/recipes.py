"""The mean and the interval of a recipe over seeds or folds, for `crivo repeat`.

A recipe is settings and code without the seed. An interval from one run is about that fitted model,
and two seeds of one recipe can differ by more than it allows. So a verdict about recipes averages
the jackknife tables of at least five seeds each and adds the variance over seeds.

Over folds two things vary: the evaluated rows, which the jackknife within each fold shows, and the
training rows, which folds share, so that the spread over folds shows too little of it. Nadeau &
Bengio (2003) add the variance over folds times the evaluated rows per training row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd

from crivo.comparison.families import goodness
from crivo.core.folds import TEACHES
from crivo.core.results import Number, result
from crivo.records.comparability import is_part, recipe_key
from crivo.records.history import History
from crivo.records.record import Record, usable
from crivo.statistics.departures import times_as_wide
from crivo.statistics.intervals import (
    Estimate,
    Interval,
    beyond,
    difference,
    either_side,
    interval,
    subtract,
    t_quantile,
    verdict,
)
from crivo.statistics.jackknife import standard_error
from crivo.statistics.scale import Scale

MIN_SEEDS = 5


@result
class RecipeVerdict:
    """One metric of a recipe, compared with the reference's recipe."""

    metric: str
    """The metric's name."""
    difference: Number
    """The recipe's value minus the reference's."""
    se: Number
    """The standard error of the difference."""
    difference_low: Number
    """The lower end of the difference's interval."""
    difference_high: Number
    """The upper end of that interval."""
    verdict: str
    """The verdict that follows from the interval, or `too few seeds for a verdict`."""


@dataclass(frozen=True)
class Recipe:
    """The runs of one recipe on the same rows, one for each seed."""

    name: str
    runs: tuple[Record, ...]

    @property
    def seeds(self) -> list[Any]:
        """The seeds of the runs."""
        return [record.settings.get("seed") for record in self.runs]

    @property
    def seedless(self) -> bool:
        """Whether all runs gave the same metrics, with and without each cluster."""
        first, *others = ([*run.jackknife.metrics.values()] for run in self.runs)
        return all(np.array_equal(first, other, equal_nan=True) for other in others)

    def values(self, metric: str) -> np.ndarray:
        """Return a metric's value in each run."""
        return np.array([run.estimate(metric).value for run in self.runs])

    def estimate(self, metric: str) -> Estimate:
        """Return the mean over the runs of a metric, also without each cluster in turn."""
        estimates = [record.estimate(metric) for record in self.runs]
        deleted = np.mean([one.deleted for one in estimates], axis=0)
        return estimates[0]._replace(value=float(self.values(metric).mean()), deleted=deleted)

    def spread(self, metric: Scale, other: Recipe | None = None) -> list[tuple[float, int]]:
        """Return the variances that other runs would show, each with the number of its runs.

        Of a metric's mean, or of its difference from another recipe's.
        """
        recipes = [self] if other is None else [self, other]
        found = [one.values(metric.name) for one in recipes if len(one.runs) > 1]
        return [(_variance(values) / len(values), len(values)) for values in found]

    def interval(self, metric: Scale) -> Interval:
        """Return the 95 % interval of a metric's mean over the runs, within the metric's bounds."""
        estimate, (low, high) = self.estimate(metric.name), metric.bounds
        critical = t_quantile(0.975, estimate.clusters)
        limits = interval_with_seeds(estimate, self.spread(metric), critical)
        if not limits.se > 0:
            return interval(estimate, metric.bounds)
        return Interval(limits.se, max(limits.low, low), min(limits.high, high))

    def verdict(self, other: Recipe, metric: Scale, level: float) -> RecipeVerdict:
        """Return how a metric differs from another recipe's; `level`: the error to be spent."""
        found = difference(metric, self.estimate(metric.name), other.estimate(metric.name))
        critical = t_quantile(1 - level / 2, found.clusters)
        limits = interval_with_seeds(found, self.spread(metric, other), critical)
        word = self.needs(other) or verdict(limits, metric)
        return RecipeVerdict(metric.name, found.value, *limits, word)

    def needs(self, other: Recipe) -> str:
        """Say that there are too few runs for a verdict; empty if there are enough."""
        few = min(len(self.runs), len(other.runs)) < MIN_SEEDS
        return "too few seeds for a verdict" if few else ""


@dataclass(frozen=True)
class OverFolds(Recipe):
    """The runs of one recipe, one for each fold; `in_time`: each is taught by what came before."""

    in_time: bool

    @property
    def overlap(self) -> float:
        """The evaluated rows per training row, the mean over folds.

        In time, the first third of it teaches only: half as much as there is in all folds.
        """
        rows = [run.about.get("n_rows") or 1 for run in self.runs]
        total = sum(rows)
        before = np.cumsum([0, *rows[:-1]]) + total * TEACHES / (1 - TEACHES)
        rest = before if self.in_time else total - np.array(rows)
        return float(np.mean(rows / rest))

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
        change = together.groupby(together.index).sum(skipna=False)
        clusters = len(change)
        effective = clusters * float(np.mean(shares)) - count + 1
        deleted = value + change.to_numpy() * sqrt(clusters / (clusters - 1))
        return Estimate(value, deleted, effective, names=tuple(change.index))

    def needs(self, other: Recipe) -> str:
        """Folds have a verdict however many they are."""
        return ""

    def spread(self, metric: Scale, other: Recipe | None = None) -> list[tuple[float, int]]:
        """Return the variance of the mean over folds that comes from the training rows."""
        values = self.values(metric.name)
        if other is not None:
            mine, theirs = (
                np.array([goodness(metric, value) for value in one])
                for one in (values, other.values(metric.name))
            )
            values = subtract(mine, theirs)
        return [(_variance(values) * self.overlap, len(values))]


def _variance(values: np.ndarray) -> float:
    """Return the variance of a few numbers; 0 if rounding alone makes them differ."""
    return float(subtract(values, values[0]).var(ddof=1))


def interval_with_seeds(
    estimate: Estimate, seed_variances: Sequence[tuple[float, int]], critical: float
) -> Interval:
    """Return an interval that allows for the rows and for the seeds.

    `seed_variances`: of each recipe, the variance of its mean and the number of its seeds. The
    variances add; the degrees of freedom are those of Welch and Satterthwaite, and `critical`,
    meant for the rows alone, is carried over to them at its own level.
    """
    from scipy.special import stdtr, stdtrit

    rows = standard_error(estimate.deleted) ** 2
    if estimate.in_order:
        rows *= times_as_wide(estimate.deleted, estimate.clusters) ** 2
    parts = [(rows, estimate.clusters - 1)]
    parts += [(variance, seeds - 1) for variance, seeds in seed_variances if variance > 0]
    total = sum(variance for variance, _ in parts)
    spread = sum(variance**2 / freedom for variance, freedom in parts)
    freedom = total**2 / spread if spread > 0 else parts[0][1]
    level = stdtr(parts[0][1], critical)
    se = sqrt(total)
    reach = float(stdtrit(freedom, level)) * se
    ends = estimate.value - reach, estimate.value + reach
    if estimate.total is not None:
        whole = Estimate(*estimate.total, estimate.effective)
        other = interval_with_seeds(whole, seed_variances, critical)
        ends = either_side(ends, (other.low, other.high))
    return Interval(se, *beyond(ends, estimate, critical))


def compare_runs(one: Recipe, other: Recipe, level: float) -> tuple[RecipeVerdict, ...]:
    """Return how one recipe differs from another, metric by metric, the primary one first.

    `level`: the error that the verdict on a metric may spend.
    """
    runs = (*one.runs, *other.runs)
    return tuple(
        one.verdict(other, metric, level)
        for name, metric in other.runs[0].metrics.items()
        if all(name in run.measured_metrics for run in runs)
    )


def _cluster(run: Record, place: int, name: str) -> str:
    """Return a name for a fold's cluster that other folds have for the same cluster only."""
    block = (run.settings.get("evaluate") or {}).get("block", 1)
    return f"{place}: {name}" if block > 1 else str(name)


def recipe_of(history: History, record: Record) -> Recipe:
    """Return the recipe of a record with all of its runs that are known, the record's first."""
    runs = {record.settings.get("seed"): record}
    for one in history.records:
        whole = usable(one) and one.split != "test" and not is_part(one)
        if whole and recipe_key(one) == recipe_key(record):
            runs.setdefault(one.settings.get("seed"), one)
    return Recipe(record.name, tuple(runs.values()))
