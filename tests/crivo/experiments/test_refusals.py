"""What a comparison refuses or leaves out, and the words for it."""

from typing import Any

import pytest

from crivo.comparison.compare import compare
from crivo.core.errors import CrivoError
from tests.crivo.experiments.repository import Project, evaluation_files, spread
from tests.crivo.experiments.tried import GOOD, MAIN, TEST, refused

OLD = {"params.yaml": MAIN["params.yaml"], "metrics.json": "{}"}


def evaluated(**about: Any) -> dict[str, str]:
    return evaluation_files({"roc_auc": spread(0.9)}, **about)


@pytest.mark.parametrize(
    ("files", "reason", "advice"),
    [
        (
            evaluated(rows="r2"),
            "other rows: the evaluated rows, their targets or clusters differ",
            "",
        ),
        (
            OLD,
            "evaluation unknown: it was recorded without metrics/evaluation/evaluation.json",
            "",
        ),
        (evaluated(definition="d2"), "its metrics were defined differently", "stored predictions"),
        (
            evaluated(settings=TEST, split="test", rows="t"),
            "other split: evaluated on the test rows, main on the validation rows",
            "`crivo confirm main`",
        ),
    ],
    ids=["rows", "old", "definition", "split"],
)
def test_what_cannot_be_compared_is_refused_with_the_reason(
    tried: Project, files: dict[str, str], reason: str, advice: str
) -> None:
    tried.trial("mine", files)
    found = refused(compare(["mine"], folder=tried.folder))["mine"]
    assert found.reason == reason
    assert advice in found.advice


def test_a_range_of_commits_is_one_clear_sentence(tried: Project) -> None:
    with pytest.raises(CrivoError, match=r"no experiment, branch, tag or commit 'main\.\.HEAD'"):
        compare(["main..HEAD"], folder=tried.folder)


@pytest.mark.parametrize("named", [[], ["slow"]], ids=["all", "one trial"])
def test_a_reference_without_an_evaluation_is_one_clear_sentence(
    project: Project, named: list[str]
) -> None:
    project.commit({"README": "x"})
    project.trial("slow", GOOD)
    with pytest.raises(CrivoError, match="has no evaluation to compare with; name a reference"):
        compare(named, folder=project.folder)
