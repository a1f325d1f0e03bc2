"""The commands: what they print, and their exit status."""

import json
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from crivo.commands import compare, experiments
from crivo.core.errors import CrivoError
from tests.crivo.experiments.repository import Project, evaluation_files, settings, spread

MAIN = evaluation_files({"roc_auc": spread(0.70), "log_loss": spread(0.40)})
GOOD = evaluation_files(
    {"roc_auc": spread(0.72, 0.003), "log_loss": spread(0.42, 0.003)},
    settings=settings(models__boosting__learning_rate=0.05),
)


@pytest.fixture(autouse=True)
def here(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a repository with main and one trial."""
    project.commit(MAIN)
    project.trial("slow", GOOD)
    monkeypatch.chdir(project.folder)


def crivo(*arguments: str) -> Result:
    app = typer.Typer()
    compare.register(app)
    experiments.register(app)
    return CliRunner().invoke(app, arguments)


def out(*arguments: str) -> str:
    result = crivo(*arguments)
    assert result.exit_code == 0, result.output
    return result.output


def test_compare_prints_the_answer_first() -> None:
    assert out("compare", "slow").startswith("slow is better than main: roc_auc +0.0200 [")


def test_compare_prints_markdown_and_json() -> None:
    assert out("compare", "--md").startswith("**slow is better than main")
    assert json.loads(out("compare", "--json"))["trials"] == 1


def test_details_show_every_metric() -> None:
    assert "log_loss" in out("compare", "slow", "--details").split("worse in log_loss")[-1]


def test_filters_and_order_are_passed_on() -> None:
    assert out("compare", "--where", "learning_rate=7").startswith("no experiment matches")
    assert "main" not in out("compare", "--limit", "1").splitlines()[4]
    assert out("compare", "--where", "since=1h").startswith("no experiment matches")


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["slow", "--fail-on", "worse"], 0),
        (["slow", "--fail-on", "worse-in-any"], 1),
        (["main", "--against", "slow", "--fail-on", "worse"], 1),
        (["slow", "--fail-on", "refused"], 0),
        (["broken", "--fail-on", "refused"], 1),
    ],
)
def test_compare_fails_when_told_to(project: Project, arguments: list[str], status: int) -> None:
    project.trial("broken", {"README": "x"})
    assert crivo("compare", *arguments).exit_code == status


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--where", "model"], "--where is 'model'; expected key=value"),
        (["--sort", "age2"], "--sort is 'age2'"),
        (["main..HEAD"], "no experiment, branch, tag or commit 'main..HEAD'"),
        (["slwo"], "no experiment, branch, tag or commit 'slwo'; did you mean `slow`"),
    ],
)
def test_a_wrong_request_is_one_clear_sentence(arguments: list[str], sentence: str) -> None:
    error: Any = crivo("compare", *arguments).exception
    assert isinstance(error, CrivoError)
    assert sentence in str(error)


def test_the_incumbent_is_set_shown_and_cleared() -> None:
    assert "no incumbent" in out("incumbent")
    assert out("incumbent", "slow").startswith("slow is the incumbent now, chosen among 2 models")
    shown = out("incumbent")
    assert shown.startswith("slow (")
    assert "roc_auc" in shown
    assert "incumbent was removed" in out("incumbent", "--clear")
    assert "no incumbent" in out("incumbent")


def test_repeat_wants_seeds_or_folds() -> None:
    for arguments in ([], ["--seeds", "2", "--folds", "2"]):
        error: Any = crivo("repeat", "slow", *arguments).exception
        assert "Give either --seeds or --folds" in str(error)
