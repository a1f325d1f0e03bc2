import json
from contextlib import chdir

import pytest
from tests.crivo.cli import invoke
from tests.crivo.settings import SETTINGS

from crivo.checks import review as checks

MUTED = "checks:\n  muted:\n    {}: {}\nevaluate:\n  split: valid\n"


def test_a_project_without_a_fault_has_no_findings(project):
    assert project.findings() == []
    assert {one.code for one in checks.chosen(["structure", "data"])} == {*checks.CHECKS}


def test_warnings_of_the_evaluation_are_counted(project, evaluated):
    evaluated(warnings=["Few rows."], findings=[["X001", "note", "a", "b."]])
    warned = [checks.review(project.folder, only).warnings for only in (None, ["D"])]
    assert warned == [("Few rows.",), ()]
    assert (project.found("D"), project.found("X")) == ([], [("X001", "a")])


def test_before_there_is_a_result_a_note_says_so_of_limits(project):
    note = "note: there is no result to check against the limits; run `dvc repro`.\n"
    for settings, said in ((SETTINGS, note), ("limits: 1\n", "")):
        project.write("params.yaml", settings)
        with chdir(project.folder):
            done = invoke("check", "--json")
        assert (json.loads(done.stdout)["limits"], done.stderr) == ([], said)


def test_a_setting_used_in_a_template_is_used(project, monkeypatch):
    project.write("params.yaml", project.read("params.yaml") + "table: table\n")
    assert project.found("S004") == [("S004", "table")]
    with monkeypatch.context() as patched:
        patched.setattr(checks.Project, "wrong_settings", (("table", "unknown setting"),))
        assert project.found("S004") == []
    project.replace("dvc.yaml", "raw/table.csv", "raw/${table}.csv")
    assert project.found("S004") == []


def mute(project, code, reason):
    project.replace("params.yaml", "evaluate:\n  split: valid\n", MUTED.format(code, reason))


def test_a_muted_error_is_no_finding_and_keeps_its_reason(project, monkeypatch):
    project.replace("dvc.yaml", "    - seed\n", "")
    monkeypatch.chdir(project.folder)
    command = ("check", "--only", "S004", "--json")
    assert invoke(*command).exit_code == 1
    mute(project, "S004", "'read by a colleague'")
    done = invoke(*command)
    document = json.loads(done.stdout)
    (one,) = document["checks"]
    assert (done.exit_code, document["findings"], one["muted"][0]["severity"]) == (0, [], "error")
    assert (one["code"], one["state"], one["reason"]) == ("S004", "muted", "read by a colleague")


@pytest.mark.parametrize("code", ["G002", "S04", "P001"])
def test_a_code_that_cannot_be_muted_is_told_and_ends_nothing(project, code):
    mute(project, code, "'why'")
    (found,) = checks.review(project.folder, ["S004"]).findings
    assert (found.severity, found.subject) == ("note", f"checks.muted.{code}")


def test_all_lists_what_passed_and_what_does_not_apply(project, monkeypatch):
    monkeypatch.chdir(project.folder)
    text = invoke("check", "--all").stdout
    passed, other = text.split("no such fault):\n")[1].split("\n\nNot applicable:\n")
    assert "S004 A setting that no stage declares" in passed.splitlines()
    assert "R010 A simple model is as good: nothing is evaluated yet" in other
    codes = [line[:4] for line in [*passed.splitlines(), *other.splitlines()]]
    assert sorted(codes) == sorted(checks.CHECKS)
