"""Comparing experiments: what is compared, refused, counted and said."""

import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from crivo.core.errors import CrivoError
from crivo.experiments import Filters, arranged, compare, set_incumbent
from tests.experiments.repository import (
    OTHER_WAY,
    Project,
    evaluation_files,
    settings,
    spread,
)

SLOW = settings(models__boosting__learning_rate=0.05)
TEST = settings(evaluate__split="test")

MAIN = evaluation_files({"roc_auc": spread(0.70), "log_loss": spread(0.40)})
# Differences of .02 with a standard error of .008: better for one trial, whose critical value is
# 2.306, and undecided for two (2.72).
GOOD = evaluation_files(
    {"roc_auc": spread(0.72, 0.003), "log_loss": spread(0.42, 0.003)}, settings=SLOW
)
OTHER = evaluation_files(
    {"roc_auc": spread(0.70, 0.003, OTHER_WAY), "log_loss": spread(0.4, 0.003, OTHER_WAY)}
)


@pytest.fixture
def tried(project: Project) -> Project:
    """Give a repository with main and one trial."""
    project.commit(MAIN)
    project.trial("slow", GOOD, message="Slower learning helps", author="Rui")
    return project


def test_a_trial_is_compared_with_the_commit_that_is_checked_out(tried: Project) -> None:
    row = compare(["slow"], folder=tried.folder).table.loc["slow"]
    assert row["verdict"] == "better"
    assert row["difference"] == pytest.approx(0.02)
    assert row["difference_low"] == pytest.approx(0.02 - 2.306004 * 0.008, abs=1e-6)
    assert row["changed"] == "learning_rate=0.05"
    assert row["worse"] == "log_loss"
    assert (row["author"], row["message"]) == ("Rui", "Slower learning helps")


def test_every_recorded_trial_counts_though_one_is_named(tried: Project) -> None:
    tried.trial("other", OTHER)
    found = compare(["slow"], folder=tried.folder)
    assert found.trials == 2
    assert found.table.loc["slow", "verdict"] == "undecided"


def test_only_the_named_ones_count_when_a_reason_is_given(tried: Project) -> None:
    tried.trial("other", OTHER)
    found = compare(["slow"], only="planned beforehand", folder=tried.folder)
    assert found.table.loc["slow", "verdict"] == "better"
    assert any("planned beforehand" in note for note in found.notes)


@pytest.mark.parametrize(("names", "reason"), [(["slow"], " "), ([], "planned")])
def test_leaving_trials_out_needs_names_and_a_reason(
    tried: Project, names: list[str], reason: str
) -> None:
    with pytest.raises(CrivoError, match="--only leaves trials out"):
        compare(names, only=reason, folder=tried.folder)


def test_without_names_everything_is_listed_the_best_first(tried: Project) -> None:
    tried.trial("other", OTHER)
    found = compare(folder=tried.folder)
    assert list(found.table.index) == ["slow", "other", "main"]
    assert found.table.loc["main", "verdict"] == "reference"
    assert found.headline is not None
    assert found.headline.name == "slow"


def test_of_a_loss_the_lowest_is_the_best(project: Project) -> None:
    project.commit(evaluation_files({"log_loss": spread(0.40)}))
    for name, value in (("high", 0.5), ("low", 0.3)):
        project.trial(name, evaluation_files({"log_loss": spread(value, 0.001)}))
    found = compare(folder=project.folder)
    assert list(found.table.index) == ["low", "main", "high"]
    assert found.table["verdict"].tolist() == ["better", "reference", "worse"]


def test_a_setting_that_changes_nothing_is_identical(tried: Project) -> None:
    tried.trial("nothing", {**MAIN, "params.yaml": GOOD["params.yaml"]})
    found = compare(["nothing"], folder=tried.folder)
    assert found.table.loc["nothing", "verdict"] == "identical"
    assert found.trials == 1


def test_an_experiment_on_other_rows_is_refused_and_told_why(tried: Project) -> None:
    moved = settings(splitters__by_time__valid_from="2013-08-01")
    metrics = {"roc_auc": spread(0.9)}
    tried.trial("moved", evaluation_files(metrics, settings=moved, rows="r2"))
    found = compare(folder=tried.folder)
    assert "moved" not in found.table.index
    assert found.refused.loc["moved", "reason"] == (
        "other split: valid_from is 2013-08-01, in main 2013-09-01"
    )
    assert "--common-rows" in found.refused.loc["moved", "advice"]


def test_other_rows_without_another_setting_are_told_too(tried: Project) -> None:
    tried.trial("data", evaluation_files({"roc_auc": spread(0.9)}, rows="r2"))
    reason = compare(["data"], folder=tried.folder).refused.loc["data", "reason"]
    assert reason == "other rows: the evaluated rows, their targets or clusters differ"


def test_an_experiment_from_before_evaluations_were_kept_is_refused(tried: Project) -> None:
    tried.trial("old", {"params.yaml": MAIN["params.yaml"], "metrics.json": "{}"})
    reason = compare(folder=tried.folder).refused.loc["old", "reason"]
    assert reason == (
        "evaluation unknown: it was recorded without metrics/evaluation/evaluation.json"
    )


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("evaluation.json", "{", "is no valid JSON"),
        ("evaluation.json", "{}", "doesn't say rows, definition, split, task, primary"),
        ("jackknife.csv", "a,b\n", "lacks columns: cluster"),
        ("intervals.csv", "metric,of,value,se,low,high\nroc_auc,model,x,,,\n", "hold 'x'"),
    ],
)
def test_a_broken_file_is_refused_by_name(
    tried: Project, path: str, text: str, reason: str
) -> None:
    tried.trial("broken", {**GOOD, f"metrics/evaluation/{path}": text})
    assert reason in compare(["broken"], folder=tried.folder).refused.loc["broken", "reason"]


def test_another_definition_without_stored_predictions_is_refused(tried: Project) -> None:
    other = evaluation_files({"roc_auc": spread(0.9)}, definition="d2")
    tried.trial("redefined", other)
    tried.git("init", "--quiet")
    row = compare(["redefined"], folder=tried.folder).refused.loc["redefined"]
    assert row["reason"] == "its metrics were defined otherwise"
    assert "stored predictions" in row["advice"]


def test_test_rows_take_no_part_in_choosing(tried: Project) -> None:
    look = evaluation_files({"roc_auc": spread(0.99)}, settings=TEST, split="test", rows="t")
    tried.trial("look", look, author="Rui")
    found = compare(folder=tried.folder)
    assert "look" not in found.table.index
    assert "look" not in found.refused.index
    assert found.notes == (
        "1 judged on test rows are not listed: test rows don't choose.",
        "The test rows have been looked at at least once (by Rui).",
    )


def test_folds_are_not_listed_among_the_trials(tried: Project) -> None:
    for number in (1, 2):
        files = evaluation_files({"roc_auc": spread(0.9)}, rows=f"r{number}")
        tried.trial(f"slow-fold={number}of2", files)
    found = compare(folder=tried.folder)
    assert list(found.table.index) == ["slow", "main"]
    assert found.refused.empty
    assert found.notes == (
        "Folds of slow are not listed, each has rows of its own; "
        "`crivo repeat REV --folds N` sums them up.",
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
    row = compare(["look"], folder=tried.folder).refused.loc["look"]
    assert row["reason"] == ("other split: judged on the test rows, main on the validation rows")
    assert row["advice"].startswith("`crivo confirm main`")


def test_each_can_be_compared_with_its_own_parent(tried: Project) -> None:
    first = tried.git("rev-parse", "HEAD")
    second = tried.commit(OTHER, parent=first)
    tried.trial("later", GOOD, parent=second)
    found = compare(["slow", "later"], parent=True, folder=tried.folder)
    assert found.reference == "its parent"
    by_hand = {"slow": 0.72 - 0.70, "later": 0.72 - 0.70}
    assert found.table["difference"].to_dict() == pytest.approx(by_hand)
    # From main the deleted values differ by .003 * ONE_WAY; from OTHER by .003 * (ONE_WAY -
    # OTHER_WAY), which is ±.006 four times: se = sqrt(8/9 * 4 * .006**2).
    se = found.metrics.xs("roc_auc", level="metric")["se"]
    assert se["slow"] == pytest.approx(0.008)
    assert se["later"] == pytest.approx((8 / 9 * 4 * 0.006**2) ** 0.5)


def test_the_best_is_a_reference_whose_choice_counts(tried: Project) -> None:
    tried.trial("other", OTHER)
    found = compare(best=True, folder=tried.folder)
    assert found.reference == "slow"
    assert found.table.loc["slow", "verdict"] == "reference"
    single = compare(against="slow", folder=tried.folder)
    critical = "critical"
    assert (
        found.metrics.loc[("main", "roc_auc"), critical]
        > (single.metrics.loc[("main", "roc_auc"), critical])
    )


def test_two_ways_to_choose_the_reference_are_refused(tried: Project) -> None:
    with pytest.raises(CrivoError, match="exclude each other"):
        compare(parent=True, best=True, folder=tried.folder)


def test_a_reference_without_an_evaluation_is_one_clear_sentence(project: Project) -> None:
    project.commit({"README": "x"})
    project.trial("slow", GOOD)
    with pytest.raises(CrivoError, match="has no evaluation to compare with; name a reference"):
        compare(folder=project.folder)


def test_a_repository_without_experiments_is_one_clear_sentence(project: Project) -> None:
    project.commit({"README": "x"})
    with pytest.raises(CrivoError, match=r"no experiments to compare yet; `crivo try key=value`"):
        compare(folder=project.folder)


def test_a_plain_clone_gives_the_same_answer(
    tried: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tried.trial("other", OTHER)
    folder = tmp_path_factory.mktemp("clone")
    tried.git("clone", "--quiet", str(tried.folder), str(folder))
    clone = Project(folder)
    clone.git("fetch", "--quiet", "origin", "refs/exps/*:refs/exps/*")
    here, there = (compare(folder=one.folder) for one in (tried, clone))
    pd.testing.assert_frame_equal(here.table, there.table)
    assert here.trials == there.trials


def test_a_shallow_clone_says_that_its_counts_may_lack_trials(
    tried: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tried.commit(GOOD, parent=tried.git("rev-parse", "HEAD"))
    clone = tmp_path_factory.mktemp("clone")
    tried.git("clone", "--quiet", "--depth=1", f"file://{tried.folder}", str(clone))
    found = compare(["main"], folder=clone)
    assert any("shallow" in note and "--unshallow" in note for note in found.notes)


def test_a_shallow_clone_without_the_parent_refuses_to_compare_with_it(
    tried: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tried.commit(GOOD, parent=tried.git("rev-parse", "HEAD"))
    clone = tmp_path_factory.mktemp("clone")
    tried.git("clone", "--quiet", "--depth=1", f"file://{tried.folder}", str(clone))
    found = compare(["main"], parent=True, folder=clone)
    assert found.refused.loc["main", "reason"] == "its parent is not in this clone"


def test_filters_choose_what_is_listed_and_not_what_counts(tried: Project) -> None:
    tried.trial("other", OTHER)
    by_rui = compare(filters=Filters(author="rui"), folder=tried.folder)
    assert list(by_rui.table.index) == ["slow"]
    assert by_rui.trials == 2
    slow = compare(filters=Filters({"learning_rate": "0.05"}), folder=tried.folder)
    assert list(slow.table.index) == ["slow"]


def test_the_margin_comes_from_the_reference_s_settings(project: Project) -> None:
    files = evaluation_files(
        {"roc_auc": spread(0.70)}, settings=settings(evaluators__standard__margin=0.04)
    )
    project.commit(files)
    project.trial("slow", evaluation_files({"roc_auc": spread(0.72, 0.003)}))
    assert compare(folder=project.folder).table.loc["slow", "verdict"] == "equivalent"
    assert compare(margin=0, folder=project.folder).table.loc["slow", "verdict"] == "better"


def test_names_that_occur_twice_are_told_apart_by_their_commit(tried: Project) -> None:
    second = tried.commit(OTHER, parent=tried.git("rev-parse", "HEAD"))
    tried.trial("slow", GOOD, parent=second)
    names = compare(folder=tried.folder).table.index
    assert f"slow@{second[:7]}" in names


def test_the_table_can_be_sorted_and_cut(tried: Project) -> None:
    tried.trial("other", OTHER)
    found = compare(folder=tried.folder)
    assert list(arranged(found, "name").table.index) == ["main", "other", "slow"]
    assert list(arranged(found, "age", 1).table.index) == ["other"]
    assert list(arranged(found, "log_loss").table.index)[-1] == "slow"
    assert arranged(found, "difference", 1).headline is found.headline
    with pytest.raises(CrivoError, match="--sort is 'x'; expected metric"):
        arranged(found, "x")


def test_the_incumbent_is_what_is_compared_with(tried: Project) -> None:
    tried.trial("other", OTHER)
    set_incumbent("other", tried.folder)
    found = compare(["slow"], folder=tried.folder)
    assert found.reference == "other"
    assert found.metrics.loc[("slow", "roc_auc"), "se"] == pytest.approx(
        (8 / 9 * 4 * 0.006**2) ** 0.5
    )


def test_a_hundred_experiments_take_less_than_five_seconds(project: Project) -> None:
    """Counted in time of the processor, so that a busy machine fails nothing."""
    project.commit(MAIN)
    random = np.random.default_rng(0)
    for number in range(100):
        deleted = list(random.normal(0.7, 0.01, 9).round(8))
        metrics = dict.fromkeys(("roc_auc", "log_loss", "brier"), (0.7, deleted))
        own = settings(models__boosting__learning_rate=number / 100)
        project.trial(f"trial{number}", evaluation_files(metrics, settings=own))
    start = time.process_time()
    assert compare(folder=project.folder).trials == 100
    assert time.process_time() - start < 5


def test_a_killed_comparison_leaves_nothing(tried: Project) -> None:
    before = {path: path.stat().st_mtime_ns for path in tried.folder.rglob("*")}
    code = "from crivo.experiments import compare\nwhile True: compare(); print(1, flush=True)"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, cwd=tried.folder, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"1\n"
        process.kill()
    assert {path: path.stat().st_mtime_ns for path in tried.folder.rglob("*")} == before
