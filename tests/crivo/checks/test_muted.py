"""Checks that are muted, that passed, and that don't apply are shown as such."""

import json

import pytest
from typer.testing import CliRunner

from crivo.checks import review as checks
from crivo.cli import app

MUTED = "checks:\n  muted:\n    {}: {}\nevaluate:\n  split: valid\n"


def mute(project, code, reason):
    project.replace("params.yaml", "evaluate:\n  split: valid\n", MUTED.format(code, reason))


def test_a_muted_error_is_listed_as_muted_with_the_reason(project, monkeypatch):
    project.replace("dvc.yaml", "    - seed\n", "")
    monkeypatch.chdir(project.folder)
    command = ["check", "--only", "S004"]
    assert CliRunner().invoke(app, command).exit_code == 1
    mute(project, "S004", "'read by a colleague'")
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0
    first, rest = done.stdout.split("Muted in params.yaml:\n")
    assert "S004" not in first
    assert rest.startswith("S004 error    ")
    assert rest.strip().endswith("(read by a colleague)")
    values = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    assert values["findings"] == []
    (one,) = values["checks"]
    assert (one["code"], one["state"], one["reason"]) == ("S004", "muted", "read by a colleague")
    assert one["muted"][0]["severity"] == "error"


@pytest.mark.parametrize("code", ["G002", "S04", "P001"])
def test_a_code_that_cannot_be_muted_is_told_and_ends_nothing(project, code):
    mute(project, code, "'why'")
    (found,) = checks.review(project.folder, ["S004"]).findings
    assert (found.severity, found.subject) == ("note", f"checks.muted.{code}")


def test_all_lists_what_passed_and_what_does_not_apply(project, monkeypatch):
    monkeypatch.chdir(project.folder)
    text = CliRunner().invoke(app, ["check", "--all"]).stdout
    passed, other = text.split("Passed:\n")[1].split("\n\nNot applicable:\n")
    assert "S004 A setting that no stage declares" in passed.splitlines()
    assert "R010 A simple model is as good: nothing is evaluated yet" in other
    codes = [line[:4] for line in [*passed.splitlines(), *other.splitlines()]]
    assert sorted(codes) == sorted(checks.CHECKS)
