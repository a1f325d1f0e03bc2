"""An evaluation of the team's own is a note until its version in use is approved."""

import pytest

APPROVED = "- definition: abc\n  by: Ada\n  on: 2026-01-01\n  why: first\n"
OLD = APPROVED.replace("abc", "old")
SETTINGS = "evaluator: standard\nevaluators:\n  standard:\n    "


@pytest.mark.parametrize(
    ("settings", "record", "code"),
    [
        ("", None, "R004"),
        ("", "", "R004"),
        ("", OLD, "R004"),
        ("", OLD + APPROVED, None),
        ("", APPROVED + OLD, "R004"),
        *(("", APPROVED.replace(part, ""), "R004") for part in ("Ada", "2026-01-01", "first")),
        # What crivo chose needs no approval until somebody gives one.
        ("evaluator: standard", None, None),
        ("evaluator: standard", OLD, "R004"),
        ("evaluator: standard", "definition: abc\n", "P001"),
        ("evaluator: standard", "- abc\n", "P001"),
        (f"{SETTINGS}primary: roc_auc", None, None),
        (f"{SETTINGS}primary: our_cost", None, "R004"),
        (f"{SETTINGS}metrics: [our_cost]", None, "R004"),
    ],
)
def test_the_version_in_use_is_approved(project, evaluated, settings, record, code):
    assert project.found("R004") == []  # nothing is evaluated yet
    evaluated(definition="abc")
    project.replace("params.yaml", "seed: 1", f"seed: 1\n{settings}")
    if record is not None:
        project.add("docs/evaluation-approved.yaml", record)
    assert project.found("R004") == [(code, "docs/evaluation-approved.yaml")] * bool(code)


def test_an_evaluation_with_other_settings_waits_for_the_next_run(project, evaluated):
    evaluated(definition="abc")
    project.add("docs/evaluation-approved.yaml", OLD)
    project.replace("params.yaml", "seed: 1", f"seed: 1\n{SETTINGS}primary: roc_auc")
    locked = "{params.yaml: {evaluators.standard.primary: log_loss}}"
    project.add("dvc.lock", f"stages:\n  evaluate:\n    cmd: x\n    params: {locked}\n")
    assert project.found("R004") == []
