"""Records whose predictions lie in a folder, as if DVC had cached them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context
from crivo.core.schema import Column, Schema
from crivo.records.cached import Store, evaluated
from crivo.records.record import PREDICTIONS, Record
from crivo.repository.commits import Origin
from crivo.repository.git import Blob, Repository
from tests.crivo.experiments.repository import SETTINGS, evaluation_files, spread

SCHEMA = Schema(
    task="binary",
    classes=(False, True),
    positive=True,
    columns=(
        Column(name="key", role="id", type="text"),
        Column(name="late", role="target", type="boolean"),
        Column(name="day", role="time", type="date"),
        Column(name="carrier", role="feature", type="category"),
    ),
)


def table(score: Any, target: Any, *, clusters: int = 10, first: int = 0) -> pd.DataFrame:
    """Return a predictions table; the ids are numbers from `first` on."""
    score, target = np.asarray(score, float), np.asarray(target, bool)
    size = len(score)
    return pd.DataFrame(
        {
            "id": [f"{first + row:05d}" for row in range(size)],
            "target": target,
            "prediction": score >= 0.5,
            "score": score,
            "cluster": np.arange(size) * clusters // size,
            "weight": 1.0,
        }
    )


@dataclass(frozen=True)
class FolderStore(Store):
    """A store whose files lie in a folder, one below each record's name."""

    folder: Path = field(default_factory=Path)

    def path(self, record: Record, name: str) -> Path:
        place = self.folder / record.name / name
        if not place.exists():
            raise CrivoError(f"{name} of {record.name} is not in this clone's DVC cache")
        return place


def store(folder: Path) -> FolderStore:
    return FolderStore(Repository(folder), folder)


def keep(
    where: FolderStore, name: str, predictions: pd.DataFrame, settings: dict[str, Any] | None = None
) -> Record:
    """Store a predictions table and return its record, evaluated by today's code."""
    settings = settings or SETTINGS
    place = where.folder / name
    for path in (PREDICTIONS, "data/prepared/valid.parquet"):
        (place / path).parent.mkdir(parents=True, exist_ok=True)
    predictions.to_parquet(place / PREDICTIONS)
    raw = predictions[["id", "target"]].set_axis(["key", "late"], axis="columns")
    raw.assign(carrier="AA").to_parquet(place / "data/prepared/valid.parquet")
    artifacts.write_schema(SCHEMA, place / artifacts.SCHEMA)
    files = evaluation_files({"roc_auc": spread(0.5)}, settings=settings, predictions=name)
    blobs = {path: Blob(name, text.encode()) for path, text in files.items()}
    record = Record(Origin(name, name, None, "Ana", 0, ""), blobs)
    return evaluated(record, predictions, Context.of(SCHEMA), settings)


def redefined(record: Record, definition: str) -> Record:
    """Return the record as if its metrics had been defined otherwise."""
    about = json.dumps(record.about | {"definition": definition})
    path = "metrics/evaluation/evaluation.json"
    return Record(record.origin, {**record.files, path: Blob("", about.encode())})
