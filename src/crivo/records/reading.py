"""Parses and validates the files of one record; whatever is wrong with one raises `Unusable`.

Experiments come from other people and other times. A file of one may have any shape; that
must not disturb the others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field, FiniteFloat

from crivo.core.errors import CrivoError
from crivo.core.parsing import (
    ParseError,
    Rows,
    parse_csv,
    parse_json,
    parse_yaml,
    repeated,
    validated,
)
from crivo.core.tasks import Task
from crivo.evaluation.incumbent import About
from crivo.evaluation.metrics import metrics_of
from crivo.repository.lock import Recorded

# The square of a greater one isn't a number any more.
GREATEST = 1e150

INTERVAL = ["value", "se", "low", "high"]


class Slice(NamedTuple):
    """A slice, its verdict against the rest of the rows, and a metric with its interval."""

    name: str
    verdict: str
    value: float
    low: float
    high: float


class Jackknife(NamedTuple):
    """The names of the clusters, and each metric without each of them in turn."""

    clusters: tuple[str, ...]
    metrics: dict[str, np.ndarray]

    @classmethod
    def of(cls, clusters: Iterable[Any], metrics: Iterable[str], values: np.ndarray) -> Jackknife:
        """Return the values of a table that has a row for each cluster."""
        by_metric = np.ascontiguousarray(values.T)
        return cls(tuple(map(str, clusters)), dict(zip(metrics, by_metric, strict=True)))


class Unusable(CrivoError):
    """A record that can't be compared; the message says what is missing or broken."""


class EvaluateSection(Recorded):
    """What is read of the settings of `evaluate`."""

    split: str = "valid"
    block: Annotated[int, Field(gt=0)] = 1
    refit: bool = False


class CompareSection(Recorded):
    """What is read of the settings of `compare`."""

    planned_trials: Annotated[int, Field(gt=0)] | None = None
    planned_looks: Annotated[int, Field(gt=0)] | None = None


class EvaluatorSection(Recorded):
    """What is read of an evaluator's settings."""

    margin: Annotated[FiniteFloat, Field(ge=0)] | None = None
    margins: dict[str, Annotated[FiniteFloat, Field(ge=0)]] | None = None


Sections = dict[str, dict[str, Any] | None] | None


class Settings(Recorded):
    """What is read of a recorded `params.yaml`."""

    seed: int | None = None
    splitter: str | None = None
    evaluator: str | None = None
    evaluate: EvaluateSection | None = None
    compare: CompareSection | None = None
    datasets: Sections = None
    splitters: Sections = None
    featurizers: Sections = None
    models: Sections = None
    evaluators: dict[str, EvaluatorSection | None] | None = None


def parse_settings(content: bytes | str) -> dict[str, Any]:
    """Return the settings of a `params.yaml`, all keys text."""
    values = parse_yaml(content)
    if not isinstance(values, dict):
        raise ParseError("holds no settings")
    try:
        settings: dict[str, Any] = json.loads(json.dumps(values))
    except TypeError as error:
        raise ParseError(f"holds what DVC can't record ({error})") from None
    validated(Settings, settings)
    return settings


def parse_about(content: bytes | str) -> dict[str, Any]:
    """Return what was evaluated and how."""
    values = parse_json(content)
    validated(About, values)
    return with_metrics(values)


def with_metrics(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an evaluation says, with its metrics: one from before it said so has today's."""
    return {"metrics": _metrics_of_today(about["task"])} | dict(about)


@cache
def _metrics_of_today(task: Task) -> dict[str, Any]:
    return {name: metric.to_json() for name, metric in metrics_of(task).items()}


def parse_intervals(content: bytes | str) -> dict[str, dict[str, float]]:
    """Return `value`, `se`, `low` and `high` of each of the model's metrics."""
    table = _table(content, ("metric", "of", *INTERVAL))
    metric, of, *places = map(table.columns.index, ("metric", "of", *INTERVAL))
    own = [row for row in table.rows if row[of] == "model"]
    metrics = _each_once([row[metric] for row in own], "metric")
    values = _numbers([[row[i] for i in places] for row in own], len(INTERVAL)).tolist()
    return {metrics[i]: dict(zip(INTERVAL, row, strict=True)) for i, row in enumerate(values)}


def parse_jackknife(content: bytes | str) -> Jackknife:
    """Return the metrics without each cluster in turn."""
    table = _table(content, ("cluster",))
    if not table.rows:
        raise ParseError("has no rows")
    place = table.columns.index("cluster")
    clusters = _each_once([row.pop(place) for row in table.rows], "cluster")
    names = [name for name in table.columns if name != "cluster"]
    return Jackknife.of(clusters, names, _numbers(table.rows, len(names)))


def parse_slices(content: bytes | str, metric: str) -> list[Slice]:
    """Return the slices with a metric; none where the file, from another version, lacks it."""
    table = parse_csv(content)
    names = ("kind", "slice", "verdict", metric, f"{metric}_low", f"{metric}_high")
    if {*names} - {*table.columns}:
        return []
    places = [*map(table.columns.index, names)]
    kept = [[row[i] for i in places] for row in table.rows if row[places[0]] != "all"]
    values = _numbers([row[3:] for row in kept], 3).tolist()
    return [Slice(row[1], row[2], *ends) for row, ends in zip(kept, values, strict=True)]


def _table(content: bytes | str, columns: tuple[str, ...]) -> Rows:
    table = parse_csv(content)
    missing = [name for name in columns if name not in table.columns]
    if missing:
        raise ParseError(f"lacks columns: {', '.join(missing)}")
    return table


def _each_once(names: list[str], what: str) -> list[str]:
    if twice := repeated(names):
        raise ParseError(f"has the {what} {twice[0]!r} twice")
    return names


def _numbers(rows: list[list[str]], width: int) -> np.ndarray:
    """Return cells as numbers, a row each; an empty cell is a missing one."""
    try:
        cells = np.array([[cell or "nan" for cell in row] for row in rows], dtype=float)
    except ValueError as error:
        raise ParseError(f"holds what isn't a number ({str(error)[:60]})") from None
    values = cells.reshape(len(rows), width)
    if (beyond := values[np.abs(values) > GREATEST]).size:
        raise ParseError(f"holds {beyond[0]:g}, which isn't a result")
    return values
