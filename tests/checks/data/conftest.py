"""Prepared rows and an evaluation without a fault, to plant one in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.checks.conftest import TinyProject

from crivo.core import artifacts
from crivo.core.schema import Column, Schema, Task

ROLES = {"key": "id", "day": "time", "patient": "group"}
SIDES = {"train": 600, "valid": 300, "test": 300}


class Tables:
    """The rows of all sides in one table, written apart; a test changes `rows` first."""

    def __init__(self, project: TinyProject, task: Task = "binary") -> None:
        self.project = project
        self.task = task
        self.rows = good_rows(task)

    def write(self) -> None:
        """Write what `prepare` writes."""
        folder = self.project.root / artifacts.PREPARED
        folder.mkdir(parents=True, exist_ok=True)
        for side in SIDES:
            rows = self.rows[self.rows["side"] == side].drop(columns="side")
            rows.to_parquet(folder / f"{side}.parquet")
        artifacts.write_schema(self.schema, self.project.root / artifacts.SCHEMA)

    @property
    def schema(self) -> Schema:
        columns = [
            Column(
                name=name,
                role="target" if name == "y" else ROLES.get(name, "feature"),
                type="number",
            )
            for name in self.rows
            if name != "side"
        ]
        classes = () if self.task == "regression" else tuple(sorted(self.rows["y"].unique()))
        positive = classes[-1] if self.task == "binary" else None
        return Schema(task=self.task, columns=tuple(columns), classes=classes, positive=positive)

    def found(self, code: str) -> list[str]:
        """Return the subjects that a check finds in these tables."""
        self.write()
        return [subject for _, subject in self.project.found(code)]

    def message(self, code: str) -> str:
        """Return the one sentence that a check finds."""
        self.write()
        (finding,) = self.project.findings(code)
        return finding.message


def good_rows(task: Task) -> pd.DataFrame:
    """Return rows in the order of time, five to a patient, with two weak features."""
    rng = np.random.default_rng(0)
    count = sum(SIDES.values())
    signal, colour = rng.normal(size=count), rng.choice(["red", "green", "blue"], size=count)
    noisy = signal + 2 * rng.normal(size=count)
    target = {
        "regression": noisy,
        "binary": noisy > 0,
        "multiclass": pd.cut(noisy, [-np.inf, -1, 1, np.inf], labels=["a", "b", "c"]).astype(str),
    }
    return pd.DataFrame(
        {
            "key": [f"k{i}" for i in range(count)],
            "day": pd.date_range("2020-01-01", periods=count),
            "patient": np.arange(count) // 5,
            "signal": signal,
            "colour": colour,
            "noise": np.where(rng.random(count) < 0.1, np.nan, rng.normal(size=count)),
            "y": target[task],
            "side": np.repeat(list(SIDES), list(SIDES.values())),
        }
    )


class Evaluated:
    """The files of a training and its evaluation."""

    def __init__(self, project: TinyProject) -> None:
        self.root = project.root

    def metrics(self, folder: Path, **values: Any) -> None:
        path = self.root / folder / "metrics.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))

    def facts(self, **values: Any) -> None:
        path = self.root / artifacts.EVALUATION / "evaluation.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))

    def table(self, name: str, table: pd.DataFrame) -> None:
        path = self.root / artifacts.EVALUATION / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".csv":
            table.to_csv(path, index=False)
        else:
            table.to_parquet(path)


@pytest.fixture
def tables(project: TinyProject) -> Tables:
    return Tables(project)


@pytest.fixture
def numbers(project: TinyProject) -> Tables:
    """Tables with a number as target."""
    return Tables(project, "regression")


@pytest.fixture
def classes(project: TinyProject) -> Tables:
    """Tables with three classes as target."""
    return Tables(project, "multiclass")


@pytest.fixture
def evaluated(project: TinyProject) -> Evaluated:
    return Evaluated(project)
