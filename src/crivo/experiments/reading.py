"""Reads the files of one record: each is what it should be, or the record is unusable.

Experiments come from other people and other times. A file of one may have any shape; that
must not disturb the others, so there is one way in which reading fails: `Unusable`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from math import nan
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import BeforeValidator, Field, FiniteFloat

from crivo.core.errors import CrivoError
from crivo.core.formernames import with_current_settings
from crivo.core.parsing import ParseError, parse_csv, parse_json, parse_yaml, repeated
from crivo.evaluation.incumbent import About
from crivo.repository.lock import Recorded, validated

# The square of a greater one is no number any more.
GREATEST = 1e150

INTERVAL = ["value", "se", "low", "high"]
SLICE = ["rows", "value", "low", "high", "verdict"]
NO_SLICES = pd.DataFrame(columns=SLICE, index=pd.Index([], name="slice", dtype="str"))


class Unusable(CrivoError):
    """A record that can't be compared; the message says what is missing or broken."""


class RecordedAbout(About):
    """What is read of a recorded `evaluation.json`."""

    split: Literal["valid", "test"]
    primary: str
    n_rows: Annotated[int, Field(ge=0)] | None = None
    model_mb: FiniteFloat | None = None
    python: str | None = None
    environment: str | None = None
    sample: list[str] = Field(default_factory=list)


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


Sections = Annotated[dict[str, dict[str, Any]], BeforeValidator(lambda given: _filled(given))]


def _filled(sections: Any) -> Any:
    if not isinstance(sections, Mapping):
        return {} if sections is None else sections
    return {name: {} if section is None else section for name, section in sections.items()}


class Settings(Recorded):
    """What is read of a recorded `params.yaml`."""

    seed: int | None = None
    splitter: str | None = None
    evaluator: str | None = None
    evaluate: EvaluateSection | None = None
    compare: CompareSection | None = None
    datasets: Sections = Field(default_factory=dict)
    splitters: Sections = Field(default_factory=dict)
    featurizers: Sections = Field(default_factory=dict)
    models: Sections = Field(default_factory=dict)
    evaluators: Annotated[
        dict[str, EvaluatorSection], BeforeValidator(lambda given: _filled(given))
    ] = Field(default_factory=dict)


def parse_settings(content: bytes | str) -> dict[str, Any]:
    """Return the settings of a `params.yaml`, all keys text, under today's names."""
    values = parse_yaml(content)
    if not isinstance(values, dict):
        raise ParseError("holds no settings")
    settings: dict[str, Any] = _as_recorded(values, "")
    validated(Settings, settings)
    return with_current_settings(settings)


def _as_recorded(value: Any, key: str) -> Any:
    """Return a setting as DVC records it; ParseError for a kind of value that it can't store."""
    if isinstance(value, dict):
        return {str(name): _as_recorded(item, f"{key}.{name}") for name, item in value.items()}
    if isinstance(value, list):
        return [_as_recorded(item, key) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    kind = "a bare date" if isinstance(value, date) else f"of type {type(value).__name__}"
    raise ParseError(f"holds {key.removeprefix('.')}, which is {kind}")


def parse_about(content: bytes | str) -> dict[str, Any]:
    """Return what was evaluated and how."""
    values = parse_json(content)
    validated(RecordedAbout, values)
    return dict(values)


def parse_intervals(content: bytes | str) -> pd.DataFrame:
    """Return the model's metrics: columns `value se low high`."""
    rows = _rows(content, ("metric", "of", *INTERVAL))
    own = [row for row in rows if row["of"] == "model"]
    metrics = _each_once([row["metric"] for row in own], "metric")
    values = [[_number(row[name]) for name in INTERVAL] for row in own]
    return pd.DataFrame(values, pd.Index(metrics, name="metric", dtype="str"), INTERVAL, float)


def parse_jackknife(content: bytes | str) -> pd.DataFrame:
    """Return the metrics without each cluster in turn, a row each."""
    rows = _rows(content, ("cluster",))
    if not rows:
        raise ParseError("has no rows")
    clusters = _each_once([row.pop("cluster") for row in rows], "cluster")
    values = [[_number(text) for text in row.values()] for row in rows]
    return pd.DataFrame(
        values, pd.Index(clusters, name="cluster", dtype="str"), list(rows[0]), float
    )


def parse_slices(content: bytes | str, metric: str) -> pd.DataFrame:
    """Return slices by name: `rows`, a metric's `value low high`, `verdict`.

    Empty where the file has other columns: it is from another version.
    """
    names = ("rows", metric, f"{metric}_low", f"{metric}_high")
    if not {"slice", "kind", "verdict", *names} <= {*parse_csv(content).columns}:
        return NO_SLICES
    kept = [row for row in _rows(content, ()) if row["kind"] != "all"]
    values = [[*(_number(row[name]) for name in names), row["verdict"]] for row in kept]
    index = pd.Index([row["slice"] for row in kept], name="slice", dtype="str")
    return pd.DataFrame(values, index, SLICE)


def _rows(content: bytes | str, columns: tuple[str, ...]) -> list[dict[str, str]]:
    table = parse_csv(content)
    missing = [name for name in columns if name not in table.columns]
    if missing:
        raise ParseError(f"lacks columns: {', '.join(missing)}")
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def _each_once(names: list[str], what: str) -> list[str]:
    if twice := repeated(names):
        raise ParseError(f"has the {what} {twice[0]!r} twice")
    return names


def _number(text: str) -> float:
    try:
        value = float(text) if text else nan
    except ValueError:
        raise ParseError(f"holds {text[:40]!r} where a number must be") from None
    if abs(value) > GREATEST:
        raise ParseError(f"holds {value:g}, which isn't a result")
    return value
