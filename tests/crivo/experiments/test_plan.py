"""How much more data a comparison needs, worked out by hand and by simulation."""

import json
from math import inf, isnan, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t

from crivo.commands.documents.planning import plan_document
from crivo.core.errors import CrivoError
from crivo.experiments import compare
from crivo.experiments.plan import plan
from crivo.experiments.plan_text import answer, as_text
from crivo.experiments.planning import chance_decided, clusters_for, smallest_gain
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


def test_with_so_many_clusters_that_their_spread_is_known_it_is_the_normal_formula() -> None:
    """1.5 standard errors, four times as many: P(|1.5 + sqrt(3/4) Z| >= 0.98) = 0.7259 + 0.0021."""
    found = chance_decided(400_000, 1.5, 1.0, 100_000, 0.05)
    assert found == pytest.approx(0.7259 + 0.0021, abs=2e-4)


def test_todays_clusters_decide_what_they_have_decided() -> None:
    assert chance_decided(12, 2.0, 1.0, 12, 0.05) == 0
    assert chance_decided(12, 2.3, 1.0, 12, 0.05) == 1


def test_a_difference_within_the_margin_can_be_decided_as_well() -> None:
    """Of equals with a margin of 2 standard errors, four times the clusters decide nearly all."""
    without, within = (chance_decided(4e5, 0.0, 1.0, 1e5, 0.05, margin) for margin in (0.0, 2.0))
    assert without == pytest.approx(2 * 0.12888, abs=2e-4)  # P(|Z| >= 0.98 / sqrt(3/4))
    # Inside 2 - 0.98, or beyond it: all but nothing is left between.
    assert within == pytest.approx(1.0, abs=2e-4)


def test_the_number_is_the_first_that_has_the_chance() -> None:
    found = clusters_for(0.8, 1.5, 1.0, 12, 0.05)
    assert chance_decided(found, 1.5, 1.0, 12, 0.05) >= 0.8
    assert chance_decided(found - 1, 1.5, 1.0, 12, 0.05) < 0.8
    assert clusters_for(0.99, 0.0, 1.0, 12, 0.0001) == inf


def test_it_allows_for_what_is_not_known_of_the_difference() -> None:
    """That the difference seen is the true one would promise four of five with fewer."""
    as_seen = 12
    while (t.ppf(0.975, as_seen - 1) + t.ppf(0.8, as_seen - 1)) * sqrt(12 / as_seen) > 1.5:
        as_seen += 1
    assert clusters_for(0.8, 1.5, 1.0, 12, 0.05) > 1.3 * as_seen


@pytest.mark.parametrize("chance", [0.5, 0.8])
def test_it_holds_in_worlds_with_differences_of_any_size(chance: float) -> None:
    """300 worlds: the Monte-Carlo error is 3 points."""
    rng = np.random.default_rng(5)
    decided = []
    while len(decided) < 300:
        true = rng.uniform(-3, 3)
        now = rng.normal(true, 1, 12)
        se = now.std(ddof=1) / sqrt(12)
        if abs(now.mean()) >= t.ppf(0.975, 11) * se:
            continue
        count = clusters_for(chance, now.mean(), se, 12, 0.05)
        rows = np.concatenate([now, rng.normal(true, 1, int(count) - 12)])
        then = rows.std(ddof=1) / sqrt(count)
        decided.append(abs(rows.mean()) >= t.ppf(0.975, count - 1) * then)
    assert np.mean(decided) == pytest.approx(chance, abs=0.09)


def test_the_smallest_gain_is_that_of_the_formula() -> None:
    """A quarter of the clusters: twice the standard error."""
    expected = (t.ppf(0.99, 9) + t.ppf(0.8, 9)) * 2
    assert smallest_gain(1.0, 40, 10, 0.02) == pytest.approx(expected)


def test_an_undecided_comparison_says_what_would_decide_it(undecided: Project) -> None:
    found = plan("small", folder=undecided.folder)
    half, most = found.needed
    assert 9 < half.clusters < most.clusters
    assert most.times == most.clusters / 9
    assert answer(found) == (
        "small vs main is undecided with 9 clusters; the chance of a decision is 50 % with "
        f"{half.clusters:.0f} and 80 % with {most.clusters:.0f}"
    )


def test_it_goes_by_the_correction_that_compare_applies(undecided: Project) -> None:
    one = plan("small", folder=undecided.folder)
    row = compare(["small"], folder=undecided.folder).table.loc["small"]
    assert one.detectable[0].difference == row["minimum_detectable"]
    assert one.standing.spent == row["spent"]
    # A later trial may spend less, and needs more.
    undecided.trial("other", evaluation_files({"roc_auc": spread(0.71, 0.003, OTHER_WAY)}))
    later = plan("other", folder=undecided.folder)
    assert later.standing.trial == 2
    assert later.needed[1].clusters > one.needed[1].clusters


def test_without_the_test_rows_it_says_what_is_missing(undecided: Project) -> None:
    validation, test = plan("small", folder=undecided.folder).detectable
    assert validation.note == ""
    assert isnan(test.difference)
    assert "recorded without data/prepared" in test.note
    assert test.note in " ".join(as_text(plan("small", folder=undecided.folder)).split())


def test_a_decided_comparison_needs_nothing(project: Project) -> None:
    project.commit(MAIN)
    project.trial("good", evaluation_files({"roc_auc": spread(0.75, 0.003)}))
    project.trial("same", MAIN)
    assert answer(plan("good", folder=project.folder)) == (
        "good is better than main: no more rows are needed"
    )
    same = plan("same", folder=project.folder)
    assert "doesn't differ from main" in answer(same)
    json.dumps(plan_document(same).model_dump())
    as_text(same)


@pytest.mark.parametrize(
    ("name", "files", "words"),
    [
        ("main", None, "can't be compared with itself"),
        ("data", evaluation_files({"roc_auc": spread(0.9)}, rows="r2"), "can't be compared: other"),
        ("looked", evaluation_files({"roc_auc": spread(0.9)}, split="test"), "on the test rows"),
        (
            "part",
            evaluation_files({"roc_auc": spread(0.9)}, settings=settings(train__fraction=0.5)),
            "0.5 of the training rows",
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


def test_text_fits_80_columns_and_the_document_holds_it(undecided: Project, tmp_path: Path) -> None:
    found = plan("small", folder=undecided.folder)
    assert max(map(len, as_text(found).splitlines()[1:])) <= 80
    values = plan_document(found).model_dump()
    assert values["answer"] == answer(found)
    assert [one["chance"] for one in values["needed"]] == [0.5, 0.8]
    assert values["curve"] is None
