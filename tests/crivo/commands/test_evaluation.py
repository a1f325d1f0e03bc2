"""`crivo evaluate`: what it prints, writes, and exits with."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from crivo.commands.prediction import evaluate
from crivo.testing.examples import example_predictions


def crivo(*arguments: str) -> Result:
    app = typer.Typer()
    app.callback()(lambda: None)  # a command alone would have no name
    app.command()(evaluate)
    return CliRunner().invoke(app, arguments)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_is_evaluated_and_all_files_of_the_result_are_written(here: Path) -> None:
    example_predictions("regression").to_csv("theirs.csv", index=False)
    result = crivo("evaluate", "--predictions", "theirs.csv", "-o", "result")
    assert result.exit_code == 0, result.output
    assert "rmse" in result.output
    assert "open result/report.html" in result.output
    assert json.loads((here / "result/metrics.json").read_text())["rmse"] > 0
    assert (here / "result/errors/worst.csv").exists()


def test_columns_and_task_can_be_named() -> None:
    table = example_predictions("binary").rename(columns={"id": "order", "score": "p"})
    table.to_csv("theirs.csv", index=False)
    named = ["--id", "order", "--score", "p", "--task", "binary", "--positive", "True"]
    assert "roc_auc" in crivo("evaluate", "--predictions", "theirs.csv", *named).output
