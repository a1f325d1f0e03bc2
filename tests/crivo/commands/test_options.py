"""The options of all commands: how loud a command is, and what a shell completes."""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from crivo import cli
from crivo.commands.completion import complete_revision
from crivo.commands.options import Command, wants_progress
from tests.crivo.cli import invoke
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.tried import GOOD, MAIN

SRC = Path(__file__).parents[3] / "src"


def test_without_a_command_all_are_shown_in_groups() -> None:
    told = invoke(env={"COLUMNS": "80"}).output
    groups = ["Projects and data", "Experiments", "Verdicts", "Results and models", "Teams"]
    assert re.findall(r"─ ([A-Z][a-z ]+) ─", told) == ["Options", *groups]


FORMER = {
    "init": "start . --data", "gate": "check --only limits", "merge": "resolve",
    "star": "note --star", "diff": "compare --rows", "incumbent set": "incumbent",
    "incumbent show": "incumbent", "incumbent clear": "incumbent --clear",
}  # fmt: skip


@pytest.mark.parametrize("former", FORMER)
def test_an_old_name_works_and_warns(former: str) -> None:
    old, new = (invoke(*words.split(), "--help") for words in (former, FORMER[former]))
    warning = f"warning: `crivo {former}` is now `crivo {FORMER[former]}`; the old name will be rem"
    assert old.stderr.startswith(warning)
    assert (old.stdout, old.exit_code) == (new.stdout, new.exit_code)


@pytest.fixture
def level(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Put back how much is logged."""
    monkeypatch.setenv("CRIVO_LOG", "info")
    caplog.set_level("INFO", "crivo")


@pytest.mark.parametrize(
    ("argument", "variable", "number", "progress"),
    [
        ("--quiet", "warning", logging.WARNING, False),
        ("--verbose", "debug", logging.DEBUG, True),
        (None, "info", logging.INFO, True),
    ],
)
def test_how_loud_a_command_is_holds_for_its_stages_too(
    level: None, argument: str | None, variable: str, number: int, progress: bool
) -> None:
    app = typer.Typer()
    seen = []

    @app.command(cls=Command)
    def work(name: str = "x") -> None:
        seen.append((name, os.environ["CRIVO_LOG"], wants_progress()))

    result = CliRunner().invoke(app, [argument] if argument else [])
    assert result.exit_code == 0, result.output
    assert seen == [("x", variable, progress)]
    assert logging.getLogger("crivo").level == number


def test_experiments_are_completed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.folder)
    assert complete_revision("s") == []
    project.commit(MAIN)
    project.trial("slow", GOOD)
    assert set(complete_revision("")) == {"slow", "main"}
    group = typer.main.get_group(cli.app)
    wanted = {"revision", "revisions", "against", "names", "what"}
    completed = {
        (name, one.name): [item.value for item in one.shell_complete(typer.Context(command), "s")]
        for name, command in group.commands.items()
        for one in command.params
        if one.name in wanted or (name, one.name) == ("share", "name")
    }
    assert all("slow" in values for values in completed.values()), completed
    assert {name for name, _ in completed} == {
        "board", "compare", "confirm", "incumbent", "note", "plan", "prune", "repeat", "report",
        "search", "share", "trace", "try", "verify",
    }  # fmt: skip
    monkeypatch.chdir(project.folder.parent)
    assert complete_revision("") == []


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("try models.forest.", []),
        ("try model=forest models.forest.t", ["models.forest.trees=100"]),
        ("try evaluate.sp", ["evaluate.split=valid", "evaluate.split=test"]),
        ("try evaluate.refit=", ["evaluate.refit=true", "evaluate.refit=false"]),
        ("search model=f", ["model=forest"]),
        ("compare --where model=f", ["model=forest"]),
        ("diff --det", ["--details"]),  # what `compare --rows` was called
        # So bash says `model=f`.
        ("try model = f", ["forest"]),
    ],
)
def test_settings_and_their_values_are_completed(
    words: str, completed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {
        "COMP_WORDS": f"crivo {words}",
        "COMP_CWORD": str(len(words.split())),
        "_CRIVO_COMPLETE": "complete_bash",
    }
    monkeypatch.chdir(SRC.parent)
    done = invoke(prog_name="crivo", env=environment)
    assert done.stdout.split() == completed
