"""`crivo try`: what it prints for people and programs, and its exit status."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from crivo.commands.trial import try_
from crivo.trials.worker import TrialFailed
from tests.crivo.behaviour.test_json import require_documented
from tests.crivo.experiments.repository import Project, evaluation_files, settings, spread
from tests.crivo.experiments.tried import GOOD, MAIN, OTHER

BAD = evaluation_files(
    {"roc_auc": spread(0.68, 0.003), "log_loss": spread(0.38, 0.003)},
    settings=settings(models__boosting__learning_rate=0.2),
)
NEAR = evaluation_files(
    {"roc_auc": spread(0.7001, 0.00003)}, settings=settings(models__boosting__learning_rate=0.3)
)
NEAR_MAIN = evaluation_files(
    {"roc_auc": spread(0.70)}, settings=settings(evaluators__standard__margin=0.01)
)
ELSEWHERE = evaluation_files({"roc_auc": spread(0.9)}, rows="r2")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Stand in a repository with main."""
    made = Project(tmp_path / "project")
    made.commit(MAIN)
    monkeypatch.chdir(made.folder)
    return made


def let_run(
    monkeypatch: pytest.MonkeyPatch, project: Project, files: Mapping[str, str]
) -> list[list[str]]:
    """Let a trial give these files at once; return the settings that it was called with."""
    calls: list[list[str]] = []

    def run(changes: list[str], **_: Any) -> str:
        calls.append(changes)
        print("Running stage 'train'")
        project.trial("mine", files)
        return "mine"

    monkeypatch.setattr("crivo.trials.trial.try_settings", run)
    return calls


def let_raise(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def run(*_: object, **__: object) -> str:
        raise error

    monkeypatch.setattr("crivo.trials.trial.try_settings", run)


def crivo_try(*arguments: str) -> Result:
    app = typer.Typer()
    app.callback()(lambda: None)  # a command alone would have no name
    app.command("try")(try_)
    return CliRunner().invoke(app, ["try", *arguments])


def document(result: Result) -> dict[str, Any]:
    require_documented("try", result.stdout)
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize(
    ("main", "files", "outcome", "status"),
    [
        (MAIN, GOOD, "better", 0),
        (MAIN, BAD, "worse", 1),
        (NEAR_MAIN, NEAR, "equivalent", 1),
        (MAIN, {**MAIN, "params.yaml": GOOD["params.yaml"]}, "identical", 1),
        (MAIN, OTHER, "undecided", 2),
        (MAIN, ELSEWHERE, "refused", 3),
        (MAIN, {"README": "x"}, "refused", 3),
    ],
)
def test_a_program_gets_the_verdict_by_the_exit_status(
    project: Project, monkeypatch: pytest.MonkeyPatch, main: Mapping[str, str],
    files: Mapping[str, str], outcome: str, status: int,
) -> None:  # fmt: skip
    project.commit(main)
    let_run(monkeypatch, project, files)
    result = crivo_try("seed=2", "--json")
    values = document(result)
    assert (values["outcome"], result.exit_code) == (outcome, status)
    assert values["experiment"] == "mine"


@pytest.mark.parametrize(
    ("error", "outcome", "words"),
    [
        (TrialFailed("The trial failed."), "failed", "The trial failed."),
        (ZeroDivisionError("x"), "refused", "ZeroDivisionError: x"),
    ],
)
def test_what_went_wrong_is_never_a_verdict(
    project: Project, monkeypatch: pytest.MonkeyPatch, error: Exception, outcome: str, words: str
) -> None:
    let_raise(monkeypatch, error)
    result = crivo_try("seed=2", "--json")
    values = document(result)
    assert (values["outcome"], result.exit_code) == (outcome, 3)
    assert words in values["error"]
