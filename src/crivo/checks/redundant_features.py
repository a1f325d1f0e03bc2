"""R013: features that carry the same information. Only `crivo check` looks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from crivo.checks.project import Findings, Project, check
from crivo.core import artifacts
from crivo.core.findings import NotApplicable
from crivo.core.schema import Schema

T = TypeVar("T")

# Enough training rows for a check, few enough for a second.
MAX_ROWS = 20_000
SAME = 0.999
# Of columns that two share, the ranks are compared on so many rows.
RANKED = 5_000
MIN_ROWS = 50
# Names of features or classes in a finding.
SHOWN = 5


def part(project: Project, reader: Callable[[Path], T], path: Path) -> T:
    """Return what a file of the results holds; NotApplicable before it is there."""
    found = project.part(reader, path)
    if found is None:
        raise NotApplicable(f"{path.as_posix()} isn't there yet; run `dvc repro`")
    return found


def about(project: Project) -> Mapping[str, Any]:
    """Return what was evaluated; NotApplicable where that is not a model on validation rows."""
    values: Mapping[str, Any] = part(
        project, artifacts.read_json, artifacts.EVALUATION / "evaluation.json"
    )
    if values.get("split") != "valid":
        raise NotApplicable("the result is on test rows, which aren't for choosing")
    if project.settings.get("model") == project.settings.get("baseline"):
        raise NotApplicable("the baseline is chosen as the model")
    return values


def schema_of(project: Project) -> Schema:
    """Return the schema of the rows."""
    return part(project, artifacts.read_schema, artifacts.SCHEMA)


def rows_and_features(project: Project, split: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a split's rows and their features; NotApplicable where they aren't the same rows."""
    rows = part(project, artifacts.read_table, artifacts.prepared(split))
    features = part(project, artifacts.read_table, artifacts.features(split))
    if len(rows) != len(features):
        raise NotApplicable(
            f"{artifacts.prepared(split).as_posix()} has {len(rows):,} rows and "
            f"{artifacts.features(split).as_posix()} has {len(features):,}; run `dvc repro`"
        )
    return rows, features


def training_sample(project: Project) -> tuple[pd.DataFrame, pd.Series]:
    """Return the features and the target of at most 20,000 training rows, always the same."""
    rows, features = rows_and_features(project, "train")
    target = rows[schema_of(project).target].set_axis(features.index)
    if len(features) > MAX_ROWS:
        features = features.sample(MAX_ROWS, random_state=0)
    return features.reset_index(drop=True), target.loc[features.index].reset_index(drop=True)


@check(
    "R013",
    "Features that duplicate each other",
    severity="note",
    sentence="{one} and {other} carry the same information ({alike}); keep only one of them, "
    "because importances and coefficients are divided between them at random.",
    example=(
        "features",
        {"one": "temp", "other": "temp_celsius", "alike": "rank correlation 1.0000"},
    ),
)
def redundant_features(project: Project) -> Findings:
    """Two columns that order the rows in the same way carry the same information. The importance is
    then divided between them at random, so each looks less important than it is, and their
    coefficients in a linear model are meaningless. The check reports numbers with a rank
    correlation of at least 0.999, and categories that determine each other. It needs at least 50
    training rows.
    """
    about(project)
    features, _ = training_sample(project)
    if len(features) < MIN_ROWS:
        raise NotApplicable(f"fewer than {MIN_ROWS} training rows")
    for one, other, alike in copies(features.iloc[:RANKED]):
        yield "features", {"one": one, "other": other, "alike": alike}


def copies(features: pd.DataFrame) -> Iterator[tuple[str, str, str]]:
    """Yield pairs of columns that say the same, and how that shows."""
    numbers = features.select_dtypes(include=["number"]).astype(float)
    numbers = numbers.loc[:, numbers.nunique() > 2]
    correlation = numbers.corr(method="spearman", min_periods=MIN_ROWS).abs().to_numpy()
    for i, j in zip(*np.nonzero(np.triu(correlation >= SAME, 1)), strict=True):
        value = f"rank correlation {correlation[i, j]:.4f}"
        yield str(numbers.columns[i]), str(numbers.columns[j]), value
    named = features.select_dtypes(include=["category"])
    codes: dict[bytes, str] = {}
    for name in named:
        if named[name].nunique() < 3:
            continue
        key = pd.factorize(named[name])[0].tobytes()
        if key in codes:
            yield codes[key], str(name), "each value corresponds to one value of the other"
        codes.setdefault(key, str(name))
