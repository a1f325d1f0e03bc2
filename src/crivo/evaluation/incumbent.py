"""Reads `metrics/incumbent.json`, the experiment that a new model must beat, and compares with it.

The file holds its metrics and its jackknife table; `{}` means that there is none. A difference
is shown when both were evaluated on the same rows by the same definition. It allows for the models
that the incumbent was chosen among; `crivo compare` corrects for all trials. `crivo incumbent`
writes the file (`crivo.comparison.incumbent`).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    model_validator,
)

from crivo.core import artifacts
from crivo.core.blocks import Evaluation
from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, validated
from crivo.core.schema import Task
from crivo.evaluation.allowances import judged, loss_values, losses_between
from crivo.evaluation.metrics import metrics_of
from crivo.statistics.intervals import LEVEL, Estimate, difference
from crivo.statistics.scale import Direction

FILE = Path("metrics/incumbent.json")

Number = Annotated[float, BeforeValidator(lambda given: nan if given is None else given)]


class RecordedMetric(BaseModel):
    """What is read of a metric in an `evaluation.json`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    direction: Direction
    bounds: Annotated[list[FiniteFloat | None], Field(min_length=2, max_length=2)]
    best: FiniteFloat | None
    interval: bool
    definition: str
    description: str


def _losses(text: str) -> str:
    """Return a text of numbers; ValueError when it holds something else."""
    loss_values(text)
    return text


class About(BaseModel):
    """What is read of an `evaluation.json`; other facts are kept as they are."""

    model_config = ConfigDict(extra="allow", strict=True)

    rows: str
    definition: str
    task: Task
    split: Literal["valid", "test"]
    primary: str
    metrics: dict[str, RecordedMetric] = Field(default_factory=dict)
    effective_clusters: Annotated[FiniteFloat, Field(gt=0)] | None = None
    clusters_in_order: bool | None = None
    advised_block: Annotated[int, Field(gt=0)] | None = None
    n_rows: Annotated[int, Field(ge=0)] | None = None
    n_clusters: Annotated[int, Field(ge=0)] | None = None
    model_mb: FiniteFloat | None = None
    python: str | None = None
    environment: str | None = None
    sample: list[str] = Field(default_factory=list)
    losses: Annotated[str, AfterValidator(_losses)] = ""


class Shown(BaseModel):
    """A metric's value and interval; an end that isn't defined is missing."""

    model_config = ConfigDict(strict=True)

    value: Number
    se: Number = nan
    low: Number = nan
    high: Number = nan


class Deleted(BaseModel):
    """Metrics without each of some clusters."""

    cluster: list[str]
    metrics: dict[str, list[Number]]

    @model_validator(mode="after")
    def _has_a_number_for_each(self) -> Self:
        if any(len(values) != len(self.cluster) for values in self.metrics.values()):
            raise ValueError("each metric needs a number for each cluster")
        return self


class Incumbent(BaseModel):
    """An experiment to beat: what it is, its metrics, and these without each cluster.

    `about` is its `evaluation.json`, `settings` its `params.yaml`, `hashes` those of its
    predictions and its model. `chosen_among`: the predictions (hashes) of the models that it was
    chosen among by its result, its own with them.
    """

    name: str
    revision: str
    about: About
    intervals: dict[str, Shown]
    jackknife: Deleted
    settings: dict[str, Any]
    hashes: dict[str, str]
    chosen_among: Annotated[list[str], Field(min_length=1)]

    @property
    def how_chosen(self) -> str:
        """How it was chosen, in words."""
        if (count := len(self.chosen_among)) > 1:
            return f"chosen from {count} models on these rows"
        return "chosen before other models were tried"

    def verdict(self, evaluation: Evaluation, about: Mapping[str, Any]) -> dict[str, Any]:
        """Return the verdict for `metrics.json`; empty if the two can't be compared.

        `about`: the evaluation's `evaluation.json`. The best of many equal models was lucky, so a
        new equal model looks worse. The interval is therefore as wide as if the experiment were
        compared with each of the models that the incumbent was chosen from. The level is Šidák's
        (1967) for that many comparisons; it isn't too low, because all of them share the new
        experiment.
        """
        if self.caution(evaluation, about["rows"]):
            return {}
        name, task, among = evaluation.primary, self.about.task, len(self.chosen_among)
        metric, known = metrics_of(task)[name], self.intervals[name]
        deleted, exact = np.array(self.jackknife.metrics[name]), (known.low, known.high)
        names, effective = tuple(self.jackknife.cluster), self.about.effective_clusters
        other = Estimate(known.value, deleted, effective, names=names, exact=exact)
        found = difference(metric, _rounded(evaluation), other)
        mine, theirs = (loss_values(one) for one in (about["losses"], self.about.losses))
        if len(mine) and not found.value and np.array_equal(mine, theirs):
            found = found._replace(beyond=(0.0, 0.0))  # equal predictions have no two errors
        limits, word = judged(
            metric,
            found,
            in_order=about["clusters_in_order"],
            losses=losses_between(mine, theirs, metric, task),
            rows=about["n_rows"],
            margin=evaluation.margin,
            level=LEVEL ** (1 / among),
        )
        return {
            "vs_incumbent": found.value,
            "vs_incumbent_low": limits.low,
            "vs_incumbent_high": limits.high,
            "verdict": word,
            "verdict_against": self.name,
            "incumbent_chosen_among": among,
        }

    def caution(self, evaluation: Evaluation, rows: str) -> str:
        """Say why there is no verdict on an evaluation of these rows; empty if there is one."""
        name = evaluation.primary
        if self.about.rows != rows:
            why = "it was evaluated on other rows"
        elif self.about.definition != evaluation.definition:
            why = (
                "its metrics were defined differently. Run it again and keep the new result with "
                "`crivo incumbent REV`"
            )
        elif name not in self.jackknife.metrics or name not in self.intervals:
            why = f"it has no {name}"
        else:
            return ""
        return f"There is no comparison with the incumbent, {self.name}: {why}."


def _rounded(evaluation: Evaluation) -> Estimate:
    """Return the primary metric with as many digits as files have, so that equals are equal."""
    name, deleted = evaluation.primary, evaluation.jackknife[evaluation.primary]
    both = np.array(artifacts.rounded([evaluation.metrics["value"][name], *deleted]), dtype=float)
    names, effective = tuple(deleted.index.astype("str")), evaluation.effective_clusters
    exact = float(evaluation.metrics["low"][name]), float(evaluation.metrics["high"][name])
    return Estimate(float(both[0]), both[1:], effective, names=names, exact=exact)


def read_incumbent(path: Path = FILE) -> Incumbent | None:
    """Return the incumbent in a file, or None; CrivoError if something is missing."""
    values = artifacts.read_json(path)
    if not values:
        return None
    try:
        return validated(Incumbent, values)
    except ParseError as error:
        raise CrivoError(
            f"{path} {error}; write it again with `crivo incumbent REV`, or empty it with "
            "`crivo incumbent --clear`."
        ) from None
