"""`crivo try`: what it prints for people and programs, and its exit status."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from crivo import experiments
from crivo.commands import trial
from crivo.commands.options import App
from crivo.core.errors import CrivoError
from crivo.experiments.budget import Budget, keep_cost
from crivo.experiments.history import read_history
from crivo.experiments.trial import TrialFailed
from tests.crivo.commands.test_documents import require_documented
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
) -> list[dict[str, Any]]:
    """Let a trial give these files at once; return what it was called with."""
    calls: list[dict[str, Any]] = []

    def run(changes: list[str], *, budget: Budget, **options: Any) -> str:
        calls.append({"changes": changes, "budget": budget, **options})
        budget.require_room(read_history())
        print("Running stage 'train'")
        project.trial("mine", files, message=options["message"] or "dvc: commit experiment 1")
        keep_cost(read_history(), "mine", 12.5)
        return "mine"

    monkeypatch.setattr(experiments, "try_settings", run)
    return calls


def let_raise(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def run(*_: object, **__: object) -> str:
        raise error

    monkeypatch.setattr(experiments, "try_settings", run)


def crivo_try(*arguments: str) -> Result:
    app = App()
    trial.register(app)
    app.command("other")(lambda: None)
    return CliRunner().invoke(app, ["try", *arguments])


def document(result: Result) -> dict[str, Any]:
    return require_documented("try", result.stdout)


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


def test_a_program_gets_interval_trials_cost_and_budget(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.trial("before", OTHER)
    let_run(monkeypatch, project, GOOD)
    values = document(
        crivo_try("seed=2", "--json", "--message", "Why", "--budget", "5", "--budget", "1h")
    )
    assert values["difference"]["value"] == 0.02
    assert values["difference"]["low"] < 0.02 < values["difference"]["high"]
    assert values["value"] == {"value": 0.72, "low": 0.7, "high": 0.74}
    assert (values["trials"]["trial"], values["trials"]["trials"]) == (2, 2)
    assert values["cost"]["seconds"] == 12.5
    assert values["budget"] == {
        "trials": 5, "minutes": 60, "trials_used": 2, "minutes_used": round(12.5 / 60, 10),
    }  # fmt: skip
    assert (values["message"], values["changed"]) == ("Why", "learning_rate=0.05")


def test_what_the_stages_print_is_no_part_of_the_document(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_run(monkeypatch, project, GOOD)
    result = crivo_try("seed=2", "--json")
    assert "Running stage" in result.stderr
    assert "Running stage" not in result.stdout


@pytest.mark.parametrize(
    ("error", "outcome", "words"),
    [
        (CrivoError("seed is wrong."), "refused", "seed is wrong."),
        (TrialFailed("The trial failed."), "failed", "The trial failed."),
        (OSError(28, "No space left on device"), "refused", "No space left on device"),
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


def test_options_that_cannot_be_read_are_never_a_verdict(project: Project) -> None:
    assert crivo_try("--json", "--nonsense").exit_code == 3
    assert crivo_try("--nonsense").exit_code == 2


def test_an_interruption_stays_one(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    let_raise(monkeypatch, KeyboardInterrupt())
    result = crivo_try("seed=2", "--json")
    assert result.stdout == ""
    assert result.exit_code not in (0, 1, 2, 3) or isinstance(
        result.exception, KeyboardInterrupt | typer.Abort | SystemExit
    )


def test_a_reference_that_is_not_there_stops_the_trial_before_it_runs(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = let_run(monkeypatch, project, GOOD)
    result = crivo_try("seed=2", "--json", "--against", "nowhere")
    assert "no experiment, branch, tag or commit 'nowhere'" in document(result)["error"]
    assert calls == []


def test_without_anything_to_compare_with_no_trial_runs(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.commit({"README": "no evaluation"})
    calls = let_run(monkeypatch, project, GOOD)
    values = document(crivo_try("seed=2", "--json"))
    assert "HEAD, which is checked out, has no evaluation to compare with" in values["error"]
    assert calls == []


def test_a_trial_is_compared_with_what_is_named(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.trial("best", GOOD)
    let_run(monkeypatch, project, OTHER)
    values = document(crivo_try("seed=2", "--json", "--against", "best"))
    assert values["reference"] == "best"
    assert values["difference"]["value"] == -0.02


def test_a_budget_that_is_used_up_is_refused(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.trial("before", OTHER)
    let_run(monkeypatch, project, GOOD)
    result = crivo_try("seed=2", "--json", "--budget", "1")
    values = document(result)
    assert (values["outcome"], values["stop"], result.exit_code) == ("refused", True, 3)
    assert "budget of 1 trial is used up: 1 trial on these rows" in values["error"]


def test_people_get_the_comparison_and_status_0(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = let_run(monkeypatch, project, OTHER)
    result = crivo_try("seed=2", "-m", "Why")
    assert result.exit_code == 0
    assert "mine vs main is undecided" in result.stdout
    assert calls[0]["changes"] == ["seed=2"]
    assert json.loads(json.dumps(calls[0]["message"])) == "Why"


def test_without_a_setting_the_workspace_is_tried(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = let_run(monkeypatch, project, OTHER)
    assert crivo_try("-m", "Simpler").exit_code == 0
    assert calls[0]["changes"] == []
