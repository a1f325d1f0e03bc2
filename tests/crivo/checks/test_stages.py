"""The checks that stages make, on the files they wrote; the checks have their own tests there."""

from crivo.checks.review import review
from crivo.core import artifacts
from crivo.core.findings import Finding, Silent, findings_table

FOUND = Finding("L005", "warning", "x", "predicts `y` alone.")
SILENT = (
    Silent("L001", "passed", "A row is in two splits"),
    Silent("L003", "not applicable", "A group is in two splits", "no column is a group"),
)


def test_what_featurize_found_is_shown(project):
    artifacts.write_csv(project.root / artifacts.ROW_FINDINGS, findings_table([FOUND, *SILENT]))
    assert project.findings("L005") == [FOUND]
    assert project.found("L001") == []
    states = {one.code: (one.state, one.reason) for one in review(project.root, ["L"]).checks}
    assert states["L001"] == ("passed", "")
    assert states["L003"] == ("not applicable", "no column is a group")


RESULTS = [
    ["R001", "warning", "predictions", "every row has the same prediction."],
    ["R002", "passed", "Worse than the baseline", ""],
    ["R003", "not applicable", "Memorised", "a loss isn't known"],
    ["X001", "note", "rows", "one is odd."],
    ["X001", "note", "rows", "another is odd."],
    ["X002", "passed", "Nothing to say", ""],
]


def test_what_evaluate_found_is_shown(project, evaluated):
    evaluated(findings=RESULTS)
    assert project.found("R001", "R002", "R003") == [("R001", "predictions")]
    assert [one.message for one in project.findings("X")] == ["one is odd.", "another is odd."]
    found = review(project.root, ["R001", "R002", "R003", "X"]).checks
    states = {one.code: one.state for one in found}
    assert [*states.values()] == ["found", "passed", "not applicable", "found", "passed"]


def test_a_result_that_says_nothing_of_checks_or_can_not_be_read_is_named(project, evaluated):
    evaluated(definition="abc")
    (one,) = review(project.root, ["R001"]).checks
    assert one.reason == "an earlier crivo evaluated the model; run `dvc repro`"
    (project.root / artifacts.EVALUATION / "evaluation.json").write_text("{")
    assert project.found("R003") == [("P001", "metrics/evaluation/evaluation.json")]
