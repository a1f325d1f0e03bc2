"""From a file to results in two commands: `crivo init FILE --target COLUMN`, then `dvc repro`."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine

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
    empty.commit("Take my own table")
    empty.dvc("exp", "run", "--temp", "--quiet", "--name", "linear", "-S", "model=linear")
    assert "linear" in empty.dvc("exp", "list")
    assert empty.status() == ""


def test_three_classes_go_all_the_way_and_what_gives_them_away_is_said(
    empty: Project, tmp_path: Path
) -> None:
    """In the log and in the report."""
    file = tmp_path / "wine.csv"
    table = load_wine(as_frame=True).frame
    table.assign(grape=table["target"].map({0: "red", 1: "white", 2: "rosé"})).to_csv(file)
    init(empty, file, "--target", "target")
    said = empty.dvc("repro")
    assert "L006 error: grape: gives `target` exactly wherever known" in said
    assert "L006,error,grape," in empty.read("metrics/features/findings.csv")
    report = empty.read("metrics/evaluation/report.md")
    assert "> L006, grape: gives `target` exactly wherever known" in report
    assert "| L006 | error | grape |" in report
    found = metrics(empty)
    assert found["accuracy"] > 0.9
    assert found["balanced_accuracy"] > found["baseline_balanced_accuracy"] == pytest.approx(1 / 3)


def test_a_quantity_split_by_time_goes_all_the_way_and_rows_known_by_heart_are_said(
    empty: Project, tmp_path: Path
) -> None:
    """In the log and in the report: of a tree without a limit, not of the model from init."""
    file = tmp_path / "diabetes.parquet"
    rows = load_diabetes(as_frame=True).frame.sample(frac=1, random_state=0)
    rows["visit"] = pd.date_range("2013-01-01", periods=len(rows))
    rows["s1"] = rows["s1"].where(np.arange(len(rows)) % 3 > 0)
    rows.to_parquet(file, index=False)
    init(empty, file, "--target", "target", "--time", "visit")
    assert "R003" not in empty.dvc("repro")
    found = metrics(empty)
    assert found["r2"] > 0.25
    assert found["rmse"] < found["baseline_rmse"]
    empty.replace("params.yaml", "model: boosting", "model: sklearn")
    empty.replace("params.yaml", "DecisionTreeClassifier", "DecisionTreeRegressor")
    empty.replace("params.yaml", "max_depth: 8", "max_depth: 80")
    assert "R003 warning: train_loss: training rows take 100 %" in empty.dvc("repro")
    assert "> R003, train_loss: training rows take" in empty.read("metrics/evaluation/report.md")
