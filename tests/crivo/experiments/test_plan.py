"""How much more data a comparison needs, worked out by hand and by simulation."""

from math import isnan

import pytest

from crivo.comparison.compare import compare
from crivo.trials.plan import plan, plan_text
from tests.crivo.experiments.repository import (
    OTHER_WAY,
    Project,
    evaluation_files,
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
