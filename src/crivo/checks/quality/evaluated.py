"""What the checks of a model's quality look at: the rows, what was evaluated, and the settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from crivo.checks.project import Project
from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.findings import NotApplicable
from crivo.core.schema import Schema
from crivo.repository.unreadable import Unreadable

T = TypeVar("T")

# Enough training rows for a check, few enough for a second.
MAX_ROWS = 20_000


def part(project: Project, reader: Callable[[Path], T], path: Path) -> T:
    """Return what a file of the results holds; NotApplicable before it is there."""
    if not (project.root / path).exists():
        raise NotApplicable(f"{path.as_posix()} isn't there yet; run `dvc repro`")
    try:
        return reader(project.root / path)
    except CrivoError as error:
        raise Unreadable(path.as_posix(), str(error)) from None


def about(project: Project) -> Mapping[str, Any]:
    """Return what was evaluated; NotApplicable where that is not a model on validation rows."""
    values: Mapping[str, Any] = part(
        project, artifacts.read_json, artifacts.EVALUATION / "evaluation.json"
    )
    if values.get("split") != "valid":
        raise NotApplicable("the result is on test rows, which choose nothing")
    if project.settings.get("model") == project.settings.get("baseline"):
        raise NotApplicable("the baseline is chosen as the model")
    return values


def schema_of(project: Project) -> Schema:
    """Return the schema of the rows."""
    return part(project, artifacts.read_schema, artifacts.SCHEMA)


def training_sample(project: Project) -> tuple[pd.DataFrame, pd.Series]:
    """Return the features and the target of at most 20,000 training rows, always the same."""
    schema = schema_of(project)
    features = part(project, artifacts.read_table, artifacts.features("train"))
    rows = part(project, artifacts.read_table, artifacts.prepared("train"))
    if len(features) > MAX_ROWS:
        features = features.sample(MAX_ROWS, random_state=0)
    return features.reset_index(drop=True), rows[schema.target].loc[features.index].reset_index(
        drop=True
    )
