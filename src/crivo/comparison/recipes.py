"""Recipes: settings and code without the seed. A claim about a recipe needs several seeds.

An interval from one run is about that fitted model. Two seeds of one recipe can differ by more
than it allows, so a verdict about recipes averages the jackknife tables of at least five seeds
each and adds the variance over seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd

from crivo.comparison.sequences import Standing
from crivo.evaluation.tables import table_of
from crivo.records.comparability import Key, is_part, recipe_key
from crivo.records.history import History
from crivo.records.record import Record, usable
from crivo.statistics.distances import either_side
from crivo.statistics.intervals import Estimate, Interval, Verdict, difference, t_quantile, verdict
from crivo.statistics.jackknife import standard_error
from crivo.statistics.scale import Scale
from crivo.statistics.sequence import Spending, Step, levels

MIN_SEEDS = 5


@dataclass(frozen=True)
class RecipeDifference:
    """How a recipe's metric differs from another's: a row of their comparison."""

    difference: float
    se: float
    difference_low: float
    difference_high: float
    verdict: str


@dataclass(frozen=True)
class Recipe:
    """The runs of one recipe on the same rows, one for each seed."""

    name: str
    runs: tuple[Record, ...]

    @property
    def seeds(self) -> list[Any]:
        """The seeds of the runs."""
        return [record.settings.get("seed") for record in self.runs]

    def estimate(self, metric: str) -> Estimate:
        """Return the mean over seeds of a metric, also without each cluster in turn."""
        estimates = [record.estimate(metric) for record in self.runs]
        deleted = np.mean([one.deleted for one in estimates], axis=0)
        effective = self.runs[0].effective_clusters
        return Estimate(
            float(self.values(metric).mean()), deleted, effective, names=estimates[0].names
        )

    def values(self, metric: str) -> pd.Series:
        """Return a metric's value for each seed."""
        return pd.Series([record.estimate(metric).value for record in self.runs])

    def seed_variance(self, metric: str) -> float:
        """Return the variance of the mean over seeds that comes from the choice of seeds."""
        count = len(self.runs)
        return float(self.values(metric).var()) / count if count > 1 else 0.0

    @property
    def seedless(self) -> bool:
        """Whether all runs gave the same metrics, with and without each cluster."""
        first, *others = (record.jackknife for record in self.runs)
        return all(first.equals(other) for other in others)

    @cached_property
    def key(self) -> Key:
        """What makes the recipe."""
        return recipe_key(self.runs[0])


def recipes_in(history: History) -> list[Recipe]:
    """Return every recipe of the validation rows with its runs, one run a seed."""
    runs_by_recipe: dict[Key, dict[Any, Record]] = {}
    for record in history.records:
        if usable(record) and record.split != "test" and not is_part(record):
            runs = runs_by_recipe.setdefault(recipe_key(record), {})
            runs.setdefault(record.settings.get("seed"), record)
    return [
        Recipe(next(iter(runs.values())).name, tuple(runs.values()))
        for runs in runs_by_recipe.values()
    ]


def recipe_of(history: History, record: Record) -> Recipe:
    """Return the recipe of a record, with all of its runs that are known; it comes first."""
    key = recipe_key(record)
    for recipe in recipes_in(history):
        if recipe.key == key:
            other_runs = [run for run in recipe.runs if run.settings.get("seed") != _seed(record)]
            return Recipe(record.name, (record, *other_runs))
    return Recipe(record.name, (record,))


def _seed(record: Record) -> Any:
    return record.settings.get("seed")


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
    return Interval(se, *ends)


def _first_run(recipe: Recipe) -> tuple[int, str]:
    return min((run.origin.seconds, run.name) for run in recipe.runs)


class Tried:
    """The recipes that were tried on the rows of a reference, in the order of their first runs.

    `among`: the predictions of the models that the reference was chosen among, its own with them.
    """

    def __init__(
        self, other: Recipe, recipes: Sequence[Recipe], among: frozenset[str] = frozenset()
    ) -> None:
        alike = [recipe for recipe in recipes if recipe.key[:2] == other.key[:2]]
        chosen = {run.predictions for run in other.runs} | among
        self._other = other
        self._among = {one.key for one in alike if {r.predictions for r in one.runs} & chosen}
        self._ordered = sorted(alike, key=_first_run)
        # The first of those to choose among is compared with none.
        first = next((one for one in self._ordered if one.key in self._among), other)
        without = first.key if self.chosen else other.key
        self._recipes = [recipe for recipe in self._ordered if recipe.key != without]

    @property
    def chosen(self) -> bool:
        """Whether the reference was chosen among several recipes."""
        return len(self._among) > 1

    def standing(self, one: Recipe) -> Standing:
        """Return under what rule a recipe's verdict is given."""
        rule, place = self._rule(), self._place(one)
        count = max(len(self._recipes), place)
        return Standing(place, count, rule.planned, rule.level(place), rule.left(count))

    def _rule(self) -> Spending:
        first = next(iter(self._recipes), self._other).runs[0]
        return Spending((first.settings.get("compare") or {}).get("planned_trials"))

    def _place(self, one: Recipe) -> int:
        keys = {one.key, self._other.key} if self.chosen else {one.key}
        places = [place for place, recipe in enumerate(self._recipes, 1) if recipe.key in keys]
        return max(places, default=len(self._recipes) + 1)

    def critical(self, one: Recipe, metric: Scale) -> float:
        """Return how many standard errors a recipe's interval must reach."""
        place = self._place(one)
        steps = [self._step(recipe, metric) for recipe in self._recipes[:place]]
        steps += [Step(None)] * (place - len(steps))
        level = levels(steps, self._rule())[place - 1]
        return t_quantile(1 - level / 2, self._other.runs[0].clusters)

    def _step(self, recipe: Recipe, metric: Scale) -> Step:
        others = [self._other]
        if self.chosen:
            earlier = self._ordered[: self._ordered.index(recipe)]
            others = [one for one in earlier if one.key in self._among]
        others = [one for one in others if metric.name in one.runs[0].measured_metrics]
        if metric.name not in recipe.runs[0].measured_metrics or not others:
            return Step(None)
        mine = recipe.estimate(metric.name)
        found = [difference(metric, mine, one.estimate(metric.name)).deleted for one in others]
        return Step(np.column_stack(found))


def compare_recipes(one: Recipe, other: Recipe, tried: Tried) -> pd.DataFrame:
    """Return how one recipe differs from another, a row per metric, the primary one first.

    `tried`: the recipes on the same rows, which the correction counts.
    """
    known = other.runs[0].metrics
    rows = {}
    for name, metric in known.items():
        if name not in one.runs[0].measured_metrics:
            continue
        critical = tried.critical(one, metric)
        estimate = difference(metric, one.estimate(name), other.estimate(name))
        variances = [(each.seed_variance(name), len(each.runs)) for each in (one, other)]
        limits = interval_with_seeds(estimate, variances, critical)
        word = _verdict(limits, metric, one, other)
        rows[name] = RecipeDifference(estimate.value, *limits, word)
    return table_of(RecipeDifference, rows).rename_axis("metric")


def _verdict(limits: Interval, metric: Scale, one: Recipe, other: Recipe) -> Verdict | str:
    """Return the verdict; below five seeds each there is none."""
    if min(len(one.runs), len(other.runs)) < MIN_SEEDS:
        return f"needs {MIN_SEEDS} seeds each"
    return verdict(limits, metric)
