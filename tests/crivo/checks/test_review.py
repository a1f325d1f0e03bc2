import json
from contextlib import chdir

from tests.crivo.settings import SETTINGS
from typer.testing import CliRunner

from crivo.checks import review as checks
from crivo.cli import app
from crivo.core.findings import Finding


def test_a_project_without_a_fault_has_no_findings(project):
    assert project.findings() == []
    assert {one.code for one in checks.chosen(["structure", "data"])} == {*checks.CHECKS}


def test_warnings_of_the_evaluation_are_counted(project, evaluated):
    evaluated(warnings=["Few rows."], findings=[["X001", "note", "a", "b."]])
    said = checks.checked_text(checks.review(project.folder))
    assert "\n\nThe evaluation has 1 warning; `crivo report --open`" in said
    assert "warning" not in checks.checked_text(checks.review(project.folder, ["D"]))
    assert (project.found("D"), project.found("X")) == ([], [("X001", "a")])


def test_before_there_is_a_result_a_note_says_so_of_limits(project):
    note = "note: there is no result to check against the limits; run `dvc repro`.\n"
    for settings, said in ((SETTINGS, note), ("limits: 1\n", "")):
        project.write("params.yaml", settings)
        with chdir(project.folder):
            done = CliRunner().invoke(app, ["check", "--json"])
        assert (json.loads(done.stdout)["limits"], done.stderr) == ([], said)


def test_findings_as_text_say_how_a_code_is_explained():
    findings = (Finding("S004", "error", "a", "x."), Finding("R013", "note", "b", "y."))
    lines = checks.checked_text(checks.Checked(findings, ())).splitlines()
    assert lines[0] == "S004 error    a: x."
    assert lines[-1] == "1 error, 1 note. `crivo check --explain CODE` explains a code."
    done = CliRunner().invoke(app, ["check", "--explain", "s004"])
    assert done.exit_code == 0
    title, why, example = done.stdout.split("\n\n")
    assert title == "S004: A setting that no stage declares (error)"
    assert "is identical to its parent" in why
    assert example.startswith("Example: train.epochs: no stage declares it")


def test_a_setting_used_in_a_template_is_used(project):
    project.write("params.yaml", project.read("params.yaml") + "table: table\n")
    assert project.found("S004") == [("S004", "table")]
    project.replace("dvc.yaml", "raw/table.csv", "raw/${table}.csv")
    assert project.found("S004") == []
