"""`crivo search`: what it prints for people and programs, its options, and its exit status."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from crivo.commands import search as command
from crivo.commands.options import App
from crivo.core.params import read_yaml
from crivo.experiments.engine import choice
from tests.crivo.commands.test_documents import require_documented
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.search.fake import RATE, TREES, Engines, start


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return start(Project(tmp_path_factory.mktemp("search") / "project"))


@pytest.fixture
def engines(begun: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engines:
    """Stand in a project whose trials run at once; give what runs them."""
    shutil.copytree(begun.folder, tmp_path / "project", symlinks=True)
    monkeypatch.chdir(tmp_path / "project")
    engines = Engines(Project(tmp_path / "project"))
    monkeypatch.setattr(choice, "engine_of", lambda scheduler, remote=None: engines)
    return engines


def crivo_search(*arguments: str) -> Result:
    app = App()
    command.register(app)
    app.command("other")(lambda: None)
    return CliRunner().invoke(app, ["search", *arguments])


def document(result: Result) -> dict[str, Any]:
    return require_documented("search", result.stdout)


@pytest.mark.parametrize(
    ("space", "outcome", "status"),
    [
        (f"{RATE}=0.2,0.3", "better", 0),
        (f"{RATE}=0.05", "worse", 1),
        (f"{RATE}=0.1", "identical", 1),
        (f"model=forest {TREES}=10", "undecided", 2),
        (f"{TREES}=1", "refused", 3),
    ],
)
def test_a_program_gets_the_verdict_about_the_best(
    engines: Engines, space: str, outcome: str, status: int
) -> None:
    result = crivo_search(*space.split(), "--sampler", "grid", "--json")
    values = document(result)
    assert (values["outcome"], result.exit_code) == (outcome, status)


def test_a_program_gets_trials_gain_edges_and_the_comparison(engines: Engines) -> None:
    given = ("model=boosting,forest", f"{RATE}=0.2,0.3,0.4", f"{TREES}=7")
    values = document(crivo_search(*given, "--sampler", "grid", "--json"))
    assert [one["state"] for one in values["trials"]] == ["done"] * 3 + ["failed"]
    assert "the stage train failed" in values["trials"][3]["error"]
    assert values["best"] == "boosting-learning_rate=0.4"
    assert values["space"] == {"model": "boosting,forest", RATE: "0.2,0.3,0.4", TREES: "7"}
    assert values["gain"]["raw"] == pytest.approx(0.3)
    assert values["gain"]["among"] == 4
    assert values["edges"] == [
        {"key": RATE, "value": 0.4, "end": "upper", "searched": "0.2,0.3,0.4"}
    ]
    assert values["comparison"]["experiments"][0]["name"] == values["best"]


def test_when_no_trial_has_a_result_it_failed(engines: Engines) -> None:
    result = crivo_search("model=forest", f"{TREES}=7", "--sampler", "grid", "--json")
    values = document(result)
    assert (values["outcome"], result.exit_code) == ("failed", 3)
    assert "No trial has a result. The experiment forest-trees=7 failed" in values["error"]


def test_people_get_the_end_and_the_best_in_their_settings(engines: Engines) -> None:
    result = crivo_search(f"{RATE}=0.2,0.3", "--sampler", "grid", "--apply")
    assert result.exit_code == 0
    assert "search-1 (grid, seed 13): 2 trials: 2 run." in result.stdout
    assert f"params.yaml has {RATE}=0.3 now" in result.stdout
    assert read_yaml(Path("params.yaml"))["models"]["boosting"]["learning_rate"] == 0.3


def test_a_search_goes_on_by_its_name_or_the_last_one(engines: Engines) -> None:
    crivo_search(f"{RATE}=log(0.2, 0.3)", "--minutes", "0", "--trials", "2")
    assert "search-1: 2 trials" in crivo_search("--resume").stdout.replace(" (tpe, seed 13)", "")
    assert "3 trials" in crivo_search("--resume", "search-1", "--trials", "3").stdout
    assert len(engines.ran) == 3


def test_what_a_search_began_with_stays(engines: Engines) -> None:
    crivo_search(f"{RATE}=0.2,0.3", "--sampler", "grid", "--trials", "1")
    for given in (("--seed", "3"), ("--against", "main"), ("--halving",), ("a", "b"),
                  (f"{RATE}=1",), ("--sampler", "grid"), ("--sampler", "tpe"),
                  ("--name", "mine")):  # fmt: skip
        result = crivo_search("--resume", *given, "--json")
        assert result.exit_code == 3
        assert "--resume goes on with what the search began with" in document(result)["error"]


def test_a_wrong_space_is_refused_before_anything_runs(engines: Engines) -> None:
    result = crivo_search("modle=forest", "--json")
    assert (document(result)["outcome"], result.exit_code) == ("refused", 3)
    assert "did you mean `model`?" in document(result)["error"]
    assert engines.ran == []
    assert crivo_search("--trials", "0", f"{RATE}=1", "--json").exit_code == 3
