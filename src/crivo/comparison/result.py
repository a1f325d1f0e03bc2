"""The dataclasses of a comparison's result, which all commands show, and their JSON.

The texts for terminals, Markdown and notebooks are in `text`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from functools import cached_property
from typing import Annotated, Literal

import pandas as pd
from pydantic import Field

from crivo.core.results import Number, result, table_of
from crivo.evaluation.report.numbers import brief
from crivo.records.looks import Look
from crivo.statistics.scale import Scale

Verdict = Literal["better", "worse", "equivalent", "identical", "undecided"]


@result
class Limits:
    """A number with the ends of its interval."""

    value: Annotated[
        Number, Field(description="The value; `low` and `high` are the ends of its interval.")
    ]
    low: Annotated[Number, Field(description="The lower end of its interval.")]
    high: Annotated[Number, Field(description="The upper end of that interval.")]


@result
class Compared(Limits):
    """A metric with its own 95 % interval, and its difference from the reference's."""

    difference: Annotated[Number, Field(description="`value` minus the reference's value.")]
    difference_low: Annotated[
        Number,
        Field(
            description="The lower end of the difference's interval; it allows for earlier trials."
        ),
    ]
    difference_high: Annotated[
        Number, Field(description="The upper end of the difference's interval.")
    ]
    minimum_detectable: Annotated[
        Number,
        Field(description="The smallest difference that would be detected four times out of five."),
    ]
    trial: Annotated[int, Field(description="The trial's number on these rows, counted from 1.")]
    spent: Annotated[
        float, Field(description="The part of the error rate of 0.05 that this verdict may spend.")
    ]
    left: Annotated[
        float,
        Field(description="The part of the error rate of 0.05 that is left for later trials."),
    ]


@result
class Rule:
    """The rule under which a verdict was given."""

    trial: int
    """The trial's number, counted from 1."""
    trials: int
    """The number of trials on these rows."""
    planned: int | None
    """The number of planned trials; null if there is no plan."""
    spent: float
    """The part of the error rate of 0.05 that this verdict may spend."""
    left: float
    """The part of the error rate of 0.05 that is left for all further trials."""

    def __str__(self) -> str:
        plan = "" if self.planned is None else f", {self.planned} planned"
        return f"interval corrected for multiple trials (trial {self.trial} of {self.trials}{plan})"


@result
class MetricVerdict(Compared):
    """One metric of an experiment, compared with its reference."""

    metric: str
    """The metric's name."""
    se: Number
    """The standard error of the difference."""
    critical: Number
    """How many standard errors the difference's interval reaches to each side, before it is
    widened, for example for skewness or similar neighbours."""
    verdict: Verdict
    """The verdict that follows from the interval; experiments.md lists the verdicts."""
    not_worse: bool
    """Whether the metric is shown not to be worse by more than its margin."""
    clusters: Number
    """How many equal clusters would carry as much information as those of the evaluated rows."""
    clusters_needed: Number
    """How many equal clusters would decide an undecided difference; null if it is decided, or if a
    hundred times as many clusters wouldn't be enough."""
    units: Annotated[float, Field(exclude=True)]
    """How many clusters there are, or rows if these form random clusters; for Python alone."""
    unit: Annotated[str, Field(exclude=True)]
    """Which of the two: `clusters` or `rows`; for Python alone."""

    def amount(self, clusters: float) -> str:
        """Return how many of the present clusters, or rows, carry as much as these equal ones."""
        alike = round(self.clusters) == self.units
        units = clusters if alike else clusters * self.units / self.clusters
        return f"about {float(f'{units:.2g}'):,.0f}" if self.unit == "rows" else f"{units:,.0f}"

    @property
    def present(self) -> str:
        """The clusters or rows at hand, and how many equal clusters they count as."""
        fewer = self.unit == "clusters" and round(self.clusters) != self.units
        equal = f", which count as {brief(self.clusters)} equal ones" if fewer else ""
        return f"{self.units:,.0f} {self.unit}{equal}"


@result
class SliceValue(Limits):
    """The primary metric on a slice of the rows."""

    slice: str
    """The slice."""


@result
class ExperimentVerdict(Compared):
    """An experiment in a comparison, with the numbers of the primary metric."""

    name: str
    """The name of the experiment, branch or tag, or a short hash."""
    changed: str
    """The settings and files that differ from the reference's."""
    verdict: Verdict | Literal["reference"]
    """The verdict that follows from the interval; experiments.md lists the verdicts."""
    worse: str
    """The other metrics whose verdict is worse; empty if there are none."""
    not_worse: str
    """The other metrics that are shown not to be worse by more than their margins."""
    author: str
    """The experiment's author."""
    when: datetime
    """When the experiment was recorded, in UTC."""
    message: str
    """The hypothesis; empty if none was given."""
    revision: str
    """The commit that records the experiment."""
    model_bytes: int | None
    """The size of the model file in bytes."""
    starred: bool
    """Whether somebody starred the experiment with `crivo note --star`."""
    notes: tuple[str, ...]
    """The notes on the experiment, with their authors and dates."""
    search: str
    """The search that made the experiment; empty if no search did."""
    metrics: tuple[MetricVerdict, ...]
    """All metrics, the primary one first."""
    worse_slices: tuple[SliceValue, ...]
    """The slices that are worse than the experiment's other rows."""


@result
class RefusedExperiment:
    """An experiment that can't be compared."""

    name: str
    """The experiment's name."""
    reason: str
    """Why it can't be compared."""
    advice: str
    """What to do."""


@result
class AfterSelection(Limits):
    """A model that is the best of several, and its estimate after this selection."""

    name: str
    """The model's name."""
    among: int
    """How many models it was chosen from, including itself."""
    known: int
    """For how many of these models the results are known."""
    metric: str
    """The primary metric."""


@result
class ComparisonResult:
    """The answer, the experiments, and what couldn't be compared."""

    answer: str
    """The first line of the text output."""
    reference: str
    """What the experiments are compared with."""
    primary: str
    """The metric that decides; empty if nothing was compared."""
    split: str
    """The split of the rows, `valid` or `test`; empty if nothing was compared."""
    trials: int
    """The number of trials on these rows."""
    planned_trials: int | None
    """The number of planned trials; null if there is no plan."""
    experiments: tuple[ExperimentVerdict, ...]
    """The experiments, the best first."""
    after_selection: tuple[AfterSelection, ...]
    """Models that were chosen as the best of several, with the estimates after this selection."""
    refused: tuple[RefusedExperiment, ...]
    """The experiments that can't be compared."""
    test_looks: tuple[Look, ...]
    """All known looks at the test rows."""
    notes: tuple[str, ...]
    """Further notes for the reader."""
    unlisted: int
    """How many more experiments there are than the list shows."""
    scales: Annotated[Mapping[str, Scale], Field(exclude=True)] = field(default_factory=dict)
    """Of each metric which value is better; for Python alone."""

    @property
    def candidates(self) -> tuple[ExperimentVerdict, ...]:
        """The experiments but the reference itself."""
        return tuple(one for one in self.experiments if one.verdict != "reference")

    def rule(self, one: ExperimentVerdict | MetricVerdict) -> Rule:
        """Return under what rule a verdict is given, and what is left for other trials."""
        trials = max(self.trials, one.trial)
        return Rule(one.trial, trials, self.planned_trials, one.spent, one.left)

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per experiment (index `name`): what it changed, its primary metric, its verdict."""
        rows = table_of(ExperimentVerdict, self.experiments).set_index("name")
        return rows.drop(columns=["metrics", "worse_slices"])

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """The same for every metric (index `name`, `metric`)."""
        rows = [(one.name, metric) for one in self.experiments for metric in one.metrics]
        table = table_of(MetricVerdict, [metric for _, metric in rows])
        names = pd.Index([name for name, _ in rows], name="name", dtype=object)
        return table.drop(columns=["units", "unit"]).set_index([names, "metric"])

    def _repr_html_(self) -> str:
        """Show the answer and the verdicts in a notebook."""
        from crivo.comparison.text import as_html

        return as_html(self)
