"""The files of a training and its evaluation, to check."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.crivo.checks.conftest import TinyProject

from crivo.core import artifacts


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
def evaluated(project: TinyProject) -> Evaluated:
    return Evaluated(project)
