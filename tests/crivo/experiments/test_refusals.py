"""What a comparison refuses or leaves out, and the words for it."""

import pytest

from crivo.comparison.compare import compare
from crivo.core.errors import CrivoError
from tests.crivo.experiments.repository import Project, evaluation_files, spread
from tests.crivo.experiments.tried import GOOD, MAIN, TEST, refused


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


def test_another_definition_without_stored_predictions_is_refused(tried: Project) -> None:
    other = evaluation_files({"roc_auc": spread(0.9)}, definition="d2")
    tried.trial("redefined", other)
    tried.git("init", "--quiet")
    row = refused(compare(["redefined"], folder=tried.folder))["redefined"]
    assert row.reason == "its metrics were defined differently"
    assert "stored predictions" in row.advice


def test_validation_is_not_compared_with_test(tried: Project) -> None:
    look = evaluation_files({"roc_auc": spread(0.99)}, settings=TEST, split="test", rows="t")
    tried.trial("look", look)
    row = refused(compare(["look"], folder=tried.folder))["look"]
    assert row.reason == ("other split: evaluated on the test rows, main on the validation rows")
    assert row.advice.startswith("`crivo confirm main`")


@pytest.mark.parametrize("named", [[], ["slow"]], ids=["all", "one trial"])
def test_a_reference_without_an_evaluation_is_one_clear_sentence(
    project: Project, named: list[str]
) -> None:
    project.commit({"README": "x"})
    project.trial("slow", GOOD)
    with pytest.raises(CrivoError, match="has no evaluation to compare with; name a reference"):
        compare(named, folder=project.folder)
