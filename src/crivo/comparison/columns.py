"""The columns of `crivo compare`: each is one entry of `COLUMNS`, which the tables follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import pandas as pd

from crivo.comparison.families import Difference
from crivo.comparison.margins import shown_not_worse
from crivo.comparison.pairing import Pair
from crivo.comparison.sequences import Standing
from crivo.records.noted import NOTHING, Noted
from crivo.records.settings import in_words
from crivo.statistics.planning import clusters_needed
from crivo.statistics.scale import Scale


@dataclass(frozen=True)
class ComparedMetric:
    """One metric of an experiment beside its reference's.

    `critical`: how many standard errors the difference's interval reaches; `margin`: the greatest
    difference that doesn't matter; `standing`: which trial it is, and what it spends.
    """

    pair: Pair
    metric: Scale
    difference: Difference
    critical: float
    margin: float
    standing: Standing

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.metric.name

    @property
    def own(self) -> Mapping[str, float]:
        """The experiment's own `value`, with its interval's `low` and `high`."""
        return self.pair.record.interval(self.name)

    @property
    def not_worse(self) -> bool:
        """Whether it is shown not to be worse by more than the margin."""
        return shown_not_worse(self.difference.interval, self.metric, self.margin)

    @property
    def clusters_needed(self) -> float:
        """With how many clusters it would be decided; missing where the verdict isn't undecided."""
        value, interval, _, verdict = self.difference
        if verdict != "undecided":
            return nan
        clusters = self.pair.record.clusters
        return clusters_needed(value, interval.se, self.critical, clusters, self.margin)


@dataclass(frozen=True)
class ComparedExperiment:
    """An experiment beside its reference: its metrics by name, the primary one first.

    `said`: the star and the notes that people gave it; `decided`: the metric that decided when it
    was recorded.
    """

    pair: Pair
    metrics: Mapping[str, ComparedMetric]
    said: Noted = NOTHING
    decided: str = ""

    @property
    def primary(self) -> ComparedMetric:
        """The metric that decides."""
        return next(iter(self.metrics.values()))

    @property
    def worse(self) -> str:
        """The other metrics that got worse."""
        _, *others = self.metrics.values()
        return ", ".join(one.name for one in others if one.difference.verdict == "worse")

    @property
    def not_worse(self) -> str:
        """The other metrics that are shown not to be worse by more than their margin."""
        _, *others = self.metrics.values()
        return ", ".join(one.name for one in others if one.not_worse)


@dataclass(frozen=True)
class Column:
    """A column: what it holds for a metric, and for an experiment.

    A column of metrics holds the primary one's for an experiment. `metrics_only`: experiments
    have no such column.
    """

    name: str
    of_metric: Callable[[ComparedMetric], Any] | None = None
    of_experiment: Callable[[ComparedExperiment], Any] | None = None
    metrics_only: bool = False

    def experiment_value(self, one: ComparedExperiment) -> Any:
        """Return what an experiment's row holds."""
        if self.of_experiment is not None:
            return self.of_experiment(one)
        return self.of_metric(one.primary) if self.of_metric is not None else None


COLUMNS = (
    Column("changed", of_experiment=lambda one: _changed(one.pair)),
    Column("value", lambda one: one.own["value"]),
    Column("low", lambda one: one.own["low"]),
    Column("high", lambda one: one.own["high"]),
    Column("difference", lambda one: one.difference.value),
    Column("se", lambda one: one.difference.interval.se, metrics_only=True),
    Column("difference_low", lambda one: one.difference.interval.low),
    Column("difference_high", lambda one: one.difference.interval.high),
    Column("minimum_detectable", lambda one: one.difference.minimum_detectable),
    Column("critical", lambda one: one.critical, metrics_only=True),
    Column("verdict", lambda one: one.difference.verdict, lambda one: _verdict(one)),
    Column("worse", of_experiment=lambda one: one.worse),
    Column("not_worse", lambda one: one.not_worse, lambda one: one.not_worse),
    Column("clusters", lambda one: one.pair.record.clusters, metrics_only=True),
    Column("clusters_needed", lambda one: one.clusters_needed, metrics_only=True),
    Column("trial", lambda one: one.standing.trial),
    Column("spent", lambda one: one.standing.spent),
    Column("left", lambda one: one.standing.left),
    Column("author", of_experiment=lambda one: one.pair.record.origin.author),
    Column("when", of_experiment=lambda one: one.pair.record.origin.when),
    Column("message", of_experiment=lambda one: _message(one.pair)),
    Column("revision", of_experiment=lambda one: one.pair.record.origin.revision),
    Column("model_bytes", of_experiment=lambda one: one.pair.record.model_bytes),
    Column("starred", of_experiment=lambda one: one.said.starred),
    Column("notes", of_experiment=lambda one: [str(note) for note in one.said.notes]),
)


def _changed(pair: Pair) -> str:
    return in_words(pair.record.settings, pair.reference.settings)


def _verdict(one: ComparedExperiment) -> str:
    return "reference" if one.pair.itself else one.primary.difference.verdict


def _message(pair: Pair) -> str:
    return pair.record.origin.hypothesis if pair.record.origin.trial else ""


def metric_table(experiments: Mapping[str, ComparedExperiment]) -> pd.DataFrame:
    """Return experiments' metrics as a table, a row each (index `name`, `metric`)."""
    columns = {one.name: one.of_metric for one in COLUMNS if one.of_metric is not None}
    rows = [
        [of(one) for of in columns.values()]
        for experiment in experiments.values()
        for one in experiment.metrics.values()
    ]
    names = [(name, metric) for name, one in experiments.items() for metric in one.metrics]
    index = pd.MultiIndex.from_arrays([*zip(*names, strict=True)] or [[], []])
    return pd.DataFrame(rows, index.set_names(["name", "metric"]), list(columns))


def experiment_table(experiments: Mapping[str, ComparedExperiment]) -> pd.DataFrame:
    """Return experiments as a table, a row each (index `name`)."""
    columns = {one.name: one.experiment_value for one in COLUMNS if not one.metrics_only}
    rows = {name: [of(one) for of in columns.values()] for name, one in experiments.items()}
    table = pd.DataFrame.from_dict(rows, orient="index", columns=list(columns))
    return table.rename_axis("name")
