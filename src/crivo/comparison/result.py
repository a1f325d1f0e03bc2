"""A comparison as its command prints it: one dataclass for the terminal, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import pandas as pd

from crivo.comparison.claims import answer
from crivo.core.results import Number, result
from crivo.records.looks import Look

if TYPE_CHECKING:
    from crivo.comparison.compare import Comparison

Verdict = Literal["better", "worse", "equivalent", "identical", "undecided"]
T = TypeVar("T")


@result
class Limits:
    """A number with the ends of its interval."""

    value: Number
    """The number."""
    low: Number
    """The lower end."""
    high: Number
    """The upper end."""


@result
class MetricVerdict:
    """One metric of an experiment, compared with its reference."""

    metric: str
    """The metric's name."""
    value: Number
    """The experiment's value."""
    low: Number
    """The lower end of the value's own 95 % interval."""
    high: Number
    """The upper end of that interval."""
    difference: Number
    """The experiment's value minus the reference's."""
    se: Number
    """The standard error of the difference."""
    difference_low: Number
    """The lower end of the difference's interval, which allows for all earlier trials."""
    difference_high: Number
    """The upper end of that interval."""
    minimum_detectable: Number
    """The smallest difference that this comparison detects in four of five cases."""
    critical: Number
    """Half the width of the difference's interval, in standard errors."""
    verdict: Verdict
    """The verdict that follows from the interval; compare.md lists the verdicts."""
    not_worse: bool
    """Whether the metric is shown not to be worse by more than its margin."""
    clusters: Number
    """The number of clusters that the evaluated rows form."""
    clusters_needed: Number
    """The number of clusters that would decide an undecided difference; null if it is decided, or
    if a hundred times as many clusters wouldn't be enough."""
    trial: int
    """The trial's number among those on these rows, counted from 1."""
    spent: float
    """The part of the error of 0.05 that this verdict may spend."""
    left: float
    """The part of 0.05 that is left for all further trials."""


@result
class SliceValue:
    """The primary metric on a slice of the rows."""

    slice: str
    """The slice."""
    value: Number
    """The metric's value."""
    low: Number
    """The lower end of its interval."""
    high: Number
    """The upper end of that interval."""


@result
class ExperimentVerdict:
    """An experiment in a comparison; its numbers are those of the primary metric."""

    name: str
    """The name of the experiment, branch or tag, or a short hash."""
    changed: str
    """The settings and files that differ from the reference's."""
    value: Number
    """The value of the primary metric."""
    low: Number
    """The lower end of its own 95 % interval."""
    high: Number
    """The upper end of that interval."""
    difference: Number
    """The experiment's value minus the reference's."""
    difference_low: Number
    """The lower end of the difference's interval, which allows for all earlier trials."""
    difference_high: Number
    """The upper end of that interval."""
    minimum_detectable: Number
    """The smallest difference that this comparison detects in four of five cases."""
    verdict: Verdict | Literal["reference"]
    """The verdict that follows from the interval; compare.md lists the verdicts."""
    worse: str
    """The other metrics whose verdict is worse; empty if there are none."""
    not_worse: str
    """The other metrics that are shown not to be worse by more than their margins."""
    trial: int
    """The trial's number among those on these rows, counted from 1."""
    spent: float
    """The part of the error of 0.05 that this verdict may spend."""
    left: float
    """The part of 0.05 that is left for all further trials."""
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
class AfterSelection:
    """A model that is the best of several, and its estimate after this selection."""

    name: str
    """The model's name."""
    among: int
    """How many models it was chosen among, including itself."""
    known: int
    """For how many of these models the results are known."""
    metric: str
    """The primary metric."""
    value: Number
    """The estimate after selection."""
    low: Number
    """The lower end of its interval."""
    high: Number
    """The upper end of that interval."""


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
    """The models that are the best of those they were chosen among; see evaluation.md."""
    refused: tuple[RefusedExperiment, ...]
    """The experiments that can't be compared."""
    test_looks: tuple[Look, ...]
    """All known looks at the test rows."""
    notes: tuple[str, ...]
    """What a reader must know in addition."""
    unlisted: int
    """How many more experiments a limit left out."""


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
    """The part of the error of 0.05 that this verdict may spend."""
    left: float
    """The part of 0.05 that is left for all further trials."""


def shown(comparison: Comparison) -> ComparisonResult:
    """Return a comparison as it is printed."""
    metrics: dict[str, list[MetricVerdict]] = {}
    for row in _records(comparison.metrics):
        metrics.setdefault(row["name"], []).append(_made(MetricVerdict, row))
    slices = comparison.slices
    worse = _records(slices[slices["verdict"] == "worse"]) if len(slices) else []
    experiments = [
        _made(
            ExperimentVerdict,
            row,
            metrics=tuple(metrics[row["name"]]),
            worse_slices=tuple(
                _made(SliceValue, one) for one in worse if one["name"] == row["name"]
            ),
            model_bytes=None if pd.isna(row["model_bytes"]) else int(row["model_bytes"]),
        )
        for row in _records(comparison.table)
    ]
    return ComparisonResult(
        answer=answer(comparison),
        reference=comparison.reference,
        primary=comparison.primary,
        split=comparison.split,
        trials=comparison.trials,
        planned_trials=comparison.planned,
        experiments=tuple(experiments),
        after_selection=tuple(
            _made(AfterSelection, row) for row in _records(comparison.after_selection)
        ),
        refused=tuple(_made(RefusedExperiment, row) for row in _records(comparison.refused)),
        test_looks=tuple(_made(Look, row) for row in _records(comparison.looks)),
        notes=tuple(comparison.notes),
        unlisted=comparison.unlisted,
    )


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {str(name): value for name, value in row.items()}
        for row in table.reset_index().astype(object).to_dict("records")
    ]


def _made(kind: Callable[..., T], row: dict[str, Any], **more: Any) -> T:
    """Return an object of the columns that it has fields for."""
    names = {one.name for one in fields(kind)} - more.keys()  # type: ignore[arg-type]
    return kind(**{name: row[name] for name in row.keys() & names}, **more)
