"""`crivo search`: what it prints for people and programs, its options, and its exit status."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from crivo.commands.trial import search
from crivo.trials import engine as choice
from tests.crivo.behaviour.test_json import require_documented
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
    monkeypatch.setattr(choice, "engine_of", lambda scheduler: engines)
    return engines


def crivo_search(*arguments: str) -> Result:
    app = typer.Typer()
    app.callback()(lambda: None)  # a command alone would have no name
    app.command()(search)
    return CliRunner().invoke(app, ["search", *arguments])


def document(result: Result) -> dict[str, Any]:
    require_documented("search", result.stdout)
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize(
    ("space", "outcome", "status"),
    [
        (f"{RATE}=0.2,0.3", "better", 0),
        (f"{RATE}=0.05", "worse", 1),
        (f"{RATE}=0.1", "identical", 1),
        (f"model=forest {TREES}=10", "undecided", 2),
        (f"{TREES}=1", "refused", 3),
        (f"model=forest {TREES}=7", "failed", 3),
    ],
)
def test_a_program_gets_the_verdict_about_the_best(
    engines: Engines, space: str, outcome: str, status: int
) -> None:
    result = crivo_search(*space.split(), "--sampler", "grid", "--json")
    values = document(result)
    assert (values["outcome"], result.exit_code) == (outcome, status)


def test_a_program_gets_trials_gain_and_the_comparison(engines: Engines) -> None:
    given = ("model=boosting,forest", f"{RATE}=0.2,0.3,0.4", f"{TREES}=7")
    values = document(crivo_search(*given, "--sampler", "grid", "--json"))
    assert [one["state"] for one in values["trials"]] == ["done"] * 3 + ["failed"]
    assert "the stage train failed" in values["trials"][3]["error"]
    assert values["best"] == "boosting-learning_rate=0.4"
    assert values["space"] == {"model": "boosting,forest", RATE: "0.2,0.3,0.4", TREES: "7"}
    assert values["gain"]["raw"] == pytest.approx(0.3)
    assert values["gain"]["among"] == 4
    edge = f"{RATE}=0.4 lies at the upper end of the values 0.2,0.3,0.4; better settings may lie"
    assert any(note.startswith(edge) for note in values["notes"])
    assert values["comparison"]["experiments"][0]["name"] == values["best"]
