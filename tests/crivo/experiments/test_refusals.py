"""What a comparison refuses or leaves out, and the words for it."""

import pytest

from crivo.comparison.compare import compare
from crivo.core.errors import CrivoError
from tests.crivo.experiments.repository import Project, evaluation_files, settings, spread
from tests.crivo.experiments.tried import GOOD, MAIN, TEST, refused


def test_an_experiment_on_other_rows_is_refused_and_told_why(tried: Project) -> None:
    moved = settings(splitters__by_time__valid_from="2013-08-01")
    metrics = {"roc_auc": spread(0.9)}
    tried.trial("moved", evaluation_files(metrics, settings=moved, rows="r2"))
    found = compare(folder=tried.folder)
    assert "moved" not in found.table.index
    assert refused(found)["moved"].reason == (
        "other split: valid_from is 2013-08-01, in main 2013-09-01"
    )
    assert "--common-rows" in refused(found)["moved"].advice


def test_other_rows_without_another_setting_are_told_too(tried: Project) -> None:
    tried.trial("data", evaluation_files({"roc_auc": spread(0.9)}, rows="r2"))
    reason = refused(compare(["data"], folder=tried.folder))["data"].reason
    assert reason == "other rows: the evaluated rows, their targets or clusters differ"


def test_an_experiment_from_before_evaluations_were_kept_is_refused(tried: Project) -> None:
    tried.trial("old", {"params.yaml": MAIN["params.yaml"], "metrics.json": "{}"})
    reason = refused(compare(folder=tried.folder))["old"].reason
    assert reason == (
        "evaluation unknown: it was recorded without metrics/evaluation/evaluation.json"
    )


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("evaluation.json", "{", "isn't valid JSON"),
        ("evaluation.json", "{}", "doesn't say rows, definition, task, split, primary"),
        ("jackknife.csv", "a,b\n", "lacks columns: cluster"),
        ("intervals.csv", "metric,of,value,se,low,high\nroc_auc,model,x,,,\n", "holds 'x'"),
    ],
)
def test_a_broken_file_is_refused_by_name(
    tried: Project, path: str, text: str, reason: str
) -> None:
    tried.trial("broken", {**GOOD, f"metrics/evaluation/{path}": text})
    assert reason in refused(compare(["broken"], folder=tried.folder))["broken"].reason


def test_another_definition_without_stored_predictions_is_refused(tried: Project) -> None:
    other = evaluation_files({"roc_auc": spread(0.9)}, definition="d2")
    tried.trial("redefined", other)
    tried.git("init", "--quiet")
    row = refused(compare(["redefined"], folder=tried.folder))["redefined"]
    assert row.reason == "its metrics were defined differently"
    assert "stored predictions" in row.advice


def test_test_rows_take_no_part_in_choosing(tried: Project) -> None:
    look = evaluation_files({"roc_auc": spread(0.99)}, settings=TEST, split="test", rows="t")
    tried.trial("look", look, author="Rui")
    found = compare(folder=tried.folder)
    assert "look" not in found.table.index
    assert "look" not in refused(found)
    assert found.notes[:2] == (
        "1 evaluated on test rows aren't listed: test rows don't choose.",
        "The test rows have been opened at least once (by Rui).",
    )


def test_folds_are_not_listed_among_the_trials(tried: Project) -> None:
    for number in (1, 2):
        files = evaluation_files({"roc_auc": spread(0.9)}, rows=f"r{number}")
        tried.trial(f"slow-{number}", files, kind="fold")
    found = compare(folder=tried.folder)
    assert list(found.table.index) == ["slow", "main"]
    assert not found.refused
    assert found.notes[:1] == (
        "2 on folds aren't listed, because each fold has other rows; "
        "`crivo repeat REV --folds N` summarises them.",
    )


def test_named_test_experiments_are_compared_with_each_other(tried: Project) -> None:
    for name, value in (("a", 0.7), ("b", 0.72)):
        metrics = {"roc_auc": spread(value, 0.003 * (name == "b"))}
        files = evaluation_files(metrics, settings=TEST, split="test", rows="t")
        tried.trial(name, files)
    found = compare(["a", "b"], folder=tried.folder)
    assert found.table.loc["b", "verdict"] == "better"
    assert (found.reference, found.split) == ("a", "test")


def test_validation_is_not_compared_with_test(tried: Project) -> None:
    look = evaluation_files({"roc_auc": spread(0.99)}, settings=TEST, split="test", rows="t")
    tried.trial("look", look)
    row = refused(compare(["look"], folder=tried.folder))["look"]
    assert row.reason == ("other split: evaluated on the test rows, main on the validation rows")
    assert row.advice.startswith("`crivo confirm main`")


def test_two_ways_to_choose_the_reference_are_refused(tried: Project) -> None:
    with pytest.raises(CrivoError, match="exclude each other"):
        compare(parent=True, against="main", folder=tried.folder)


@pytest.mark.parametrize("named", [[], ["slow"]], ids=["all", "one trial"])
def test_a_reference_without_an_evaluation_is_one_clear_sentence(
    project: Project, named: list[str]
) -> None:
    project.commit({"README": "x"})
    project.trial("slow", GOOD)
    with pytest.raises(CrivoError, match="has no evaluation to compare with; name a reference"):
        compare(named, folder=project.folder)


def test_a_repository_without_experiments_is_one_clear_sentence(project: Project) -> None:
    project.commit({"README": "x"})
    with pytest.raises(CrivoError, match=r"no experiments to compare yet; `crivo try key=value`"):
        compare(folder=project.folder)
