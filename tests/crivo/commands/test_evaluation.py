"""`crivo evaluate` and `crivo gate`: what they print, write, and exit with."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from crivo.commands import evaluation
from crivo.core.errors import CrivoError
from crivo.testing.examples import example_predictions
from tests.crivo.settings import SETTINGS


def crivo(*arguments: str) -> Result:
    app = typer.Typer()
    evaluation.register(app)
    return CliRunner().invoke(app, arguments)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def project(limits: str, **metrics: float) -> None:
    """Write the project's settings with other limits, and the files of an evaluation."""
    start, end = SETTINGS.index("\nlimits:"), SETTINGS.index("\ndatasets:")
    Path("params.yaml").write_text(f"{SETTINGS[:start]}\nlimits: {limits}\n{SETTINGS[end:]}")
    folder = Path("metrics/evaluation")
    folder.mkdir(parents=True)
    (folder / "evaluation.json").write_text('{"task": "binary"}')
    (folder / "metrics.json").write_text(json.dumps(metrics))
    (folder / "slices.csv").write_text("slice,kind,status,difference\nall rows,all,all,\n")


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


def test_limits_that_hold_are_printed() -> None:
    project("{roc_auc: {at_least: 0.7}}", roc_auc=0.75)
    result = crivo("gate")
    assert result.exit_code == 0, result.output
    assert result.output == "holds        roc_auc at least 0.7: 0.75\n"


def test_a_violated_limit_is_an_exit_status() -> None:
    project("{roc_auc: {at_least: 0.7}, brier: {at_most: 0.2}}", roc_auc=0.65, brier=0.1)
    result = crivo("gate", "--json")
    assert result.exit_code == 1
    states = {one["name"]: one["state"] for one in json.loads(result.output)["limits"]}
    assert states == {"roc_auc": "violated", "brier": "holds"}


def test_without_limits_the_gate_is_open_and_says_so() -> None:
    project("{}")
    result = crivo("gate")
    assert result.exit_code == 0
    assert "sets no limits" in result.output


def test_a_limit_for_what_is_not_measured_is_an_error() -> None:
    project("{roc_acu: {at_least: 0.7}}", roc_auc=0.65)
    assert isinstance(crivo("gate").exception, CrivoError)
