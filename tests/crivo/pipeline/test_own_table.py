"""From a file to results in two commands: `crivo init FILE --target COLUMN`, then `dvc repro`."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.crivo.pipeline.project import Project, copy_project


@pytest.fixture
def empty(tmp_path: Path) -> Project:
    """Give a copy of the project without the flights."""
    return copy_project(tmp_path / "project")


def init(project: Project, file: Path, *options: str) -> str:
    return project.run("python", "-m", "crivo.cli", "init", str(file), *options, PYTHONPATH="src")


def metrics(project: Project) -> dict[str, float]:
    found: dict[str, float] = json.loads(project.read("metrics/evaluation/metrics.json"))
    return found


def nasty(rows: int = 400) -> str:
    """Return a file with everything at once: 6 % positives, gaps, dates, text, odd names."""
    rng = np.random.default_rng(0)
    number = rng.normal(size=rows)
    words = rng.choice(["good", "bad", "late", "early", "fine", "broken"], (rows, 6))
    days = pd.date_range("2013-01-01", periods=rows, freq="h").strftime("%d/%m/%Y %H:%M")
    table = pd.DataFrame(
        {
            "": range(rows),
            "price [€]": [f"{value:.2f}".replace(".", ",") for value in number * 100],
            "work class": np.where(rng.random(rows) < 0.2, " ?", " cook"),
            "shop-code": [f"S{i % 150:03}" for i in range(rows)],
            "remark": [" ".join(line) for line in words],
            "day": days,
            "empty": "",
            "same": "x",
            "open": np.where(rng.random(rows) < 0.5, "yes", "NO"),
            "fraud": np.where(number > np.quantile(number, 0.94), "yes", "no"),
        }
    )
    table.loc[5, "fraud"] = ""
    repeated = pd.concat([table, table.iloc[[7]]])
    return "\ufeff" + repeated.to_csv(index=False, sep=";")


def test_a_nasty_file_goes_all_the_way(empty: Project, tmp_path: Path) -> None:
    file = tmp_path / "my file.csv"
    file.write_text(nasty(), encoding="utf-8")
    assert "fraud: binary" in init(empty, file, "--target", "fraud")
    empty.dvc("repro")
    found = metrics(empty)
    assert found["roc_auc"] > 0.9
    assert found["baseline_roc_auc"] == 0.5
    assert json.loads(empty.read("metrics/data/metrics.json"))["rows_quarantined"] == 1
    assert "up to date" in empty.dvc("repro")
