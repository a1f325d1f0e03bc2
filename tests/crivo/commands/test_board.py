"""`crivo board`, `compare --html`, `note` and `star`: what they write and print."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from crivo.cli import app
from crivo.commands import board as commands
from crivo.core.errors import CrivoError
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


def refused(*arguments: str) -> str:
    error: Any = crivo(*arguments).exception
    assert isinstance(error, (CrivoError, SystemExit)), error
    return str(error) + crivo(*arguments).output


def test_board_prints_the_path_of_the_page_and_writes_it_again() -> None:
    assert out("board") == "board/board.html\n"
    first = Path("board/board.html").read_bytes()
    assert out("board") == "board/board.html\n"
    assert Path("board/board.html").read_bytes() == first


def test_compare_writes_the_same_page_beside_its_text() -> None:
    assert out("compare", "--html", "page.html").startswith("slow is better than main")
    out("board")
    assert Path("page.html").read_bytes() == Path("board/board.html").read_bytes()


def test_the_page_of_a_comparison_has_what_its_options_select(project: Project) -> None:
    project.trial("other", OTHER)
    out("compare", "--html", "all.html")
    out("compare", "--html", "better.html", "--verdict", "better")
    out("compare", "--html", "one.html", "--limit", "1")
    has = {name: '"other"' in Path(f"{name}.html").read_text() for name in ("all", "better", "one")}
    assert has == {"all": True, "better": False, "one": False}


def test_a_file_that_is_no_page_of_ours_is_not_written_over(project: Project) -> None:
    Path("mine.html").write_text("mine")
    assert "mine.html already exists" in refused("board", "--output", "mine.html")
    assert Path("mine.html").read_text() == "mine"
    out("board", "--output", "mine.html", "--force")
    out("board", "--output", "mine.html")


def test_a_file_that_git_keeps_is_not_written_over(project: Project) -> None:
    project.git("reset", "--hard", "--quiet")
    assert "git keeps params.yaml" in refused("board", "--output", "params.yaml", "--force")


def test_reports_stand_beside_the_page_and_are_linked() -> None:
    out("board", "--reports")
    (report,) = Path("board/board_reports").iterdir()
    assert report.read_text() == (
        "<title>slow: Good?</title><header>\n<p><strong>Experiment slow, on a board that compares "
        "with main</strong></p>Good?</header>"
    )
    assert f"board_reports/{report.name}" in Path("board/board.html").read_text(encoding="utf-8")


def test_the_browser_opens_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(commands.webbrowser, "open", opened.append)
    out("board")
    assert opened == []
    out("board", "--open")
    assert opened == [Path("board/board.html").absolute().as_uri()]


def test_notes_and_stars_are_said_and_shown() -> None:
    assert out("note", "slow") == "slow has no star and no notes.\n"
    out("note", "slow", "helps only in July")
    assert out("star", "slow").startswith("slow has a star:\nhelps only in July (Ana, ")
    out("board")
    assert "helps only in July (Ana" in Path("board/board.html").read_text(encoding="utf-8")
    assert out("note", "slow", "--remove") == "slow has a star and no notes.\n"
    assert out("star", "slow", "--remove") == "slow has no star and no notes.\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["note", "slwo", "x"], "did you mean `slow`"),
        (["star", "slwo"], "did you mean `slow`"),
        (["note", "slow", "x", "--remove"], "either the text of a note or --remove"),
    ],
)
def test_a_wrong_request_is_one_clear_sentence(arguments: list[str], words: str) -> None:
    assert words in refused(*arguments)
