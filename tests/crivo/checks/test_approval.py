import pytest

APPROVED = "- definition: abc\n  by: Ada\n  on: 2026-01-01\n  why: first\n"


@pytest.mark.parametrize(
    "record",
    [
        None,
        "",
        APPROVED.replace("abc", "old"),
        APPROVED + APPROVED.replace("abc", "new"),
        APPROVED.replace("Ada", ""),
    ],
)
def test_an_evaluation_that_nobody_approved_is_a_note(project, evaluated, record):
    evaluated(definition="abc")
    if record is not None:
        project.add("docs/evaluation-approved.yaml", record)
    (finding,) = project.findings("R004")
    assert finding.severity == "note"
    assert "the definition abc is not approved" in finding.message


def test_the_last_approval_of_the_version_in_use_is_silent(project, evaluated):
    evaluated(definition="abc")
    project.add("docs/evaluation-approved.yaml", APPROVED.replace("abc", "old") + APPROVED)
    assert project.found("R004") == []


def test_metrics_that_crivo_chose_need_no_approval_until_somebody_gives_one(project, evaluated):
    evaluated(definition="abc")
    project.replace("params.yaml", "seed: 1", "seed: 1\nevaluator: standard")
    assert project.found("R004") == []
    project.add("docs/evaluation-approved.yaml", APPROVED.replace("abc", "old"))
    assert [code for code, _ in project.found("R004")] == ["R004"]
    project.add("docs/evaluation-approved.yaml", "definition: abc\n")  # no list
    assert [code for code, _ in project.found("R004")] == ["P001"]


@pytest.mark.parametrize(
    ("chosen", "found"), [("primary: roc_auc", []), ("metrics: [our_cost]", ["R004"])]
)
def test_only_a_metric_of_the_team_s_own_needs_approval(project, evaluated, chosen, found):
    evaluated(definition="abc")
    project.add("src/blocks/metrics/costs.py", "")
    settings = f"evaluator: standard\nevaluators:\n  standard:\n    {chosen}"
    project.replace("params.yaml", "seed: 1", f"seed: 1\n{settings}")
    assert [code for code, _ in project.found("R004")] == found


def test_before_the_first_evaluation_nothing_needs_approval(project):
    assert project.found("R004") == []
