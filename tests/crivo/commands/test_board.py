"""`crivo board` and the list of `crivo compare`: what they select and write."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from crivo.cli import app
from crivo.commands import pages as commands
from tests.crivo.experiments.many import stored
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.tried import GOOD, MAIN, OTHER

REPORT = "<title>Good?</title><header>Good?</header>"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Stand in a repository with main and one trial, whose report is in the cache."""
    made = Project(tmp_path / "project")
    made.identify()
    made.commit(MAIN)
    lock = json.loads(GOOD["dvc.lock"])
    report = {"path": "metrics/evaluation/report.html", "md5": stored(made.folder, REPORT)}
    lock["stages"]["evaluate"]["outs"].append(report)
    made.trial("slow", {**GOOD, "dvc.lock": json.dumps(lock)})
    monkeypatch.chdir(made.folder)
    return made


def crivo(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def out(*arguments: str) -> str:
    result = crivo(*arguments)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_long_list_is_cut_and_says_so(project: Project) -> None:
    for number in range(20):
        project.trial(f"trial-{number}", {**OTHER, "note": str(number)})
    listed = out("compare")
    assert listed.count("\ntrial-") == 19
    assert "2 more; --all lists all" in listed
    assert out("compare", "--all").count("\ntrial-") == 20


def test_the_browser_opens_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(commands.webbrowser, "open", opened.append)
    out("board")
    assert opened == []
    out("board", "--open")
    assert opened == [Path("board/board.html").absolute().as_uri()]
