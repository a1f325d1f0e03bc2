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

import pandas as pd

from crivo.evaluation.intervals import (
    Estimate,
    Interval,
    Verdict,
    difference,
    standard_error,
    t_quantile,
    verdict,
)
from crivo.evaluation.metrics import Metric
from crivo.experiments.families import critical_of, metrics_in
from crivo.experiments.history import History
from crivo.experiments.records import Record, usable
from crivo.experiments.settings import used

MIN_SEEDS = 5

COLUMNS = ["difference", "se", "difference_low", "difference_high", "verdict"]

Key = tuple[Any, ...]


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
        deleted = pd.concat([one.deleted for one in estimates], axis="columns").mean(axis="columns")
        return Estimate(float(self.values(metric).mean()), deleted)

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


def recipe_key(record: Record) -> Key:
    """Return what two runs of one recipe have in common: rows, definition, settings, inputs."""
    settings = {key: value for key, value in used(record.settings).items() if key != "seed"}
    inputs = {
        part["path"]: str(part.get("md5", ""))
        for stage, parts in record.lock.items()
        if stage != "evaluate"
        for part in parts.get("deps", ())
        if part["path"].startswith(("src/", "data/raw/", "requirements"))
    }
    about = record.about
    return (
        about["rows"],
        about["definition"],
        tuple(sorted((key, str(value)) for key, value in settings.items())),
        tuple(sorted(inputs.items())),
    )


def recipes_in(history: History) -> list[Recipe]:
    """Return every recipe of the validation rows with its runs, one run a seed."""
    runs_by_recipe: dict[Key, dict[Any, Record]] = {}
    for record in history.records:
        if usable(record) and record.split != "test":
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
    parts = [(rows, len(estimate.deleted) - 1)]
    parts += [(variance, seeds - 1) for variance, seeds in seed_variances if variance > 0]
    total = sum(variance for variance, _ in parts)
    spread = sum(variance**2 / freedom for variance, freedom in parts)
    freedom = total**2 / spread if spread > 0 else parts[0][1]
    level = stdtr(parts[0][1], critical)
    se = sqrt(total)
    reach = float(stdtrit(freedom, level)) * se
    return Interval(se, estimate.value - reach, estimate.value + reach)


def compare_recipes(one: Recipe, other: Recipe, recipes: Sequence[Recipe]) -> pd.DataFrame:
    """Return how one recipe differs from another, a row per metric, the primary one first.

    `recipes` are all that were tried: the correction counts those on the same rows.
    """
    known = metrics_in(other.runs[0])
    rows = {}
    for name, metric in known.items():
        if name not in one.runs[0].measured_metrics:
            continue
        critical = _critical(recipes, other, metric)
        estimate = difference(metric, one.estimate(name), other.estimate(name))
        variances = [(each.seed_variance(name), len(each.runs)) for each in (one, other)]
        limits = interval_with_seeds(estimate, variances, critical)
        rows[name] = [estimate.value, *limits, _verdict(limits, metric, one, other)]

    return pd.DataFrame.from_dict(rows, orient="index", columns=COLUMNS).rename_axis("metric")


def _verdict(limits: Interval, metric: Metric, one: Recipe, other: Recipe) -> Verdict | str:
    """Return the verdict; below five seeds each there is none."""
    if min(len(one.runs), len(other.runs)) < MIN_SEEDS:
        return f"needs {MIN_SEEDS} seeds each"
    return verdict(limits, metric)


def _critical(recipes: Sequence[Recipe], other: Recipe, metric: Metric) -> float:
    columns = {}
    for place, recipe in enumerate(recipes):
        alike = recipe.key[:2] == other.key[:2] and recipe.key != other.key
        if alike and metric.name in recipe.runs[0].measured_metrics:
            estimate = difference(metric, recipe.estimate(metric.name), other.estimate(metric.name))
            columns[place] = estimate.deleted
    if not columns:
        return t_quantile(0.975, len(other.runs[0].jackknife))
    return critical_of(pd.DataFrame(columns))
