"""How much more data a comparison needs, worked out by hand and by simulation."""

from math import isnan

import pytest

from crivo.comparison.compare import compare
from crivo.core.errors import CrivoError
from crivo.trials.plan import plan, plan_text
from tests.crivo.experiments.repository import (
    OTHER_WAY,
    Project,
    evaluation_files,
    settings,
    spread,
)

MAIN = evaluation_files({"roc_auc": spread(0.70)})
# The standard error is 8/3 of the step: 0.008.
SMALL = evaluation_files({"roc_auc": spread(0.71, 0.003)})


@pytest.fixture
def undecided(project: Project) -> Project:
    """Give a repository with main and a trial that is 0.01 ± 0.019 better, of nine clusters."""
    project.commit(MAIN)
    project.trial("small", SMALL)
    return project


def test_an_undecided_comparison_says_what_would_decide_it(undecided: Project) -> None:
    found = plan("small", folder=undecided.folder)
    half, most = found.needed
    assert 9 < half.clusters < most.clusters
    assert most.times == most.clusters / 9
    assert found.answer == (
        "small vs main is undecided with 9 clusters; the chance of a decision is 50 % with "
        f"{half.clusters:.0f} and 80 % with {most.clusters:.0f}"
    )


def test_it_goes_by_the_correction_that_compare_applies(undecided: Project) -> None:
    one = plan("small", folder=undecided.folder)
    row = compare(["small"], folder=undecided.folder).table.loc["small"]
    assert one.detectable[0].difference == row["minimum_detectable"]
    assert one.rule.spent == row["spent"]
    # A later trial may spend less, and needs more.
    undecided.trial("other", evaluation_files({"roc_auc": spread(0.71, 0.003, OTHER_WAY)}))
    later = plan("other", folder=undecided.folder)
    assert later.rule.trial == 2
    assert later.needed[1].clusters > one.needed[1].clusters


def test_without_the_test_rows_it_says_what_is_missing(undecided: Project) -> None:
    validation, test = plan("small", folder=undecided.folder).detectable
    assert validation.note == ""
    assert isnan(test.difference)
    assert "recorded without data/prepared" in test.note
    assert test.note in " ".join(plan_text(plan("small", folder=undecided.folder)).split())


@pytest.mark.parametrize(
    ("name", "files", "words"),
    [
        ("main", None, "can't be compared with itself"),
        (
            "data",
            evaluation_files({"roc_auc": spread(0.9)}, rows="r2"),
            "validation rows: other rows",
        ),
        ("looked", evaluation_files({"roc_auc": spread(0.9)}, split="test"), "on the test rows"),
        (
            "part",
            evaluation_files({"roc_auc": spread(0.9)}, settings=settings(train__fraction=0.5)),
            "a part of the training rows",
        ),
    ],
)
def test_what_can_not_be_planned_is_said(
    project: Project, name: str, files: dict[str, str] | None, words: str
) -> None:
    project.commit(MAIN)
    if files:
        project.trial(name, files)
    with pytest.raises(CrivoError, match=words):
        plan(name, folder=project.folder)
