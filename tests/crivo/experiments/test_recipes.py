"""Claims about recipes: the mean over seeds or folds, and what varies besides the rows."""

import json
from math import nan, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.stats import t

from crivo.comparison.recipes import OverFolds, Recipe, compare_runs, recipe_of
from crivo.comparison.result import Rule
from crivo.comparison.text import difference_text
from crivo.records.history import read_history
from crivo.records.record import Record
from crivo.statistics.departures import times_as_wide
from crivo.statistics.jackknife import standard_error
from crivo.trials.repetition import repeat, summarise
from tests.crivo.experiments.repository import (
    OTHER_WAY,
    Project,
    evaluated,
    evaluation_files,
    record_of,
    settings,
)


def recipe(
    name: str, values: list[float], step: float = 0.0, *, in_order: bool = False, **more: object
) -> Recipe:
    """Return a recipe with a run for each value, whose clusters may have an order."""
    made = (
        evaluated(value, step, settings=settings(seed=seed, **more), clusters_in_order=in_order)
        for seed, value in enumerate(values)
    )
    return Recipe(name, tuple(record_of(files, f"run{seed}") for seed, files in enumerate(made)))


# Mean 0.72, variance 0.00001, so 0.000002 for the mean of five.
FIVE = [0.716, 0.718, 0.720, 0.722, 0.724]


def test_two_recipes_are_compared_with_the_variance_of_both() -> None:
    one = recipe("one", FIVE, step=0.003)
    other = recipe("other", [value - 0.05 for value in FIVE], model="linear")
    (row,) = compare_runs(one, other, 0.05)
    assert row.difference == pytest.approx(0.05)
    assert row.se == pytest.approx(sqrt(64e-6 + 2e-6 + 2e-6))
    assert row.verdict == "better"
    # Sums of equal numbers differ in their last digit.
    same = [recipe(name, [value] * 3, step) for name, value, step in
            (("one", 26432.4, 0.3), ("two", 26432.4 + 7e-12, 0.3))]  # fmt: skip
    (row,) = compare_runs(*same, 0.05)
    assert (difference_text(row), row.verdict) == ("0", "too few seeds for a verdict")
    (row,) = compare_runs(*[OverFolds(*vars(one).values(), True) for one in same], 0.05)
    assert (difference_text(row), row.verdict) == ("0", "identical")


def test_a_recipe_holds_all_recorded_runs_each_seed_once(project: Project) -> None:
    project.commit(evaluated(0.7, settings=settings(seed=1)))
    for name, seed in (("a", 2), ("b", 3), ("again", 3)):
        project.trial(name, evaluated(0.7 + seed / 100, settings=settings(seed=seed)))
    train = {"deps": [{"path": "src/train.py", "md5": "other code"}], "outs": []}
    evaluate = {"deps": [{"path": "src/evaluate.py", "md5": "other code"}], "outs": []}
    told = evaluated(0.7, settings=settings(seed=5))
    project.trial("told", {**told, "dvc.lock": json.dumps({"stages": {"evaluate": evaluate}})})
    coded = evaluated(0.7, settings=settings(seed=4))
    project.trial("coded", {**coded, "dvc.lock": json.dumps({"stages": {"train": train}})})
    history = read_history(project.folder)
    found = recipe_of(history, history.find("main"))
    assert found.name == "main"
    assert found.seeds == [1, 2, 3, 5]  # another evaluation has another definition


def test_one_run_has_no_spread_and_a_share_of_1_in_all_has_its_exact_interval() -> None:
    metric = recipe("one", [0.7]).runs[0].metrics["roc_auc"]
    assert recipe("one", [0.7]).spread(metric) == []
    assert recipe("two", [0.70, 0.72]).spread(metric) == [(pytest.approx(0.0001), 2)]
    assert recipe("all", [1.0] * 5).interval(metric) == (0, 0.98, 1.02)
    gone = evaluation_files({"roc_auc": (0.7, [nan, *[0.7] * 8])})
    assert Recipe("gone", (record_of(gone), record_of(gone))).seedless


def test_a_repeated_recipe_is_one_row() -> None:
    other, rule = recipe("two", FIVE[:1], model="x"), Rule(1, 1, None, 0.015, 0.035)
    titles = [f"seed {seed}" for seed in range(5)]
    found = summarise(recipe("one", FIVE, step=0.003), "seeds", titles, other, rule)
    row = found.summary
    assert found.recipe == "one"
    assert row.value == pytest.approx(0.72)
    freedom = 66**2 / (64**2 / 8 + 2**2 / 4)
    assert row.high - row.value == pytest.approx(t.ppf(0.975, freedom) * sqrt(66e-6))
    assert [one.value for one in found.runs] == FIVE
    assert found.answer.startswith("one over 5 seeds: roc_auc 0.720 [")
    assert ", individual seeds 0.716 to 0.724; " in found.answer
    assert " vs two, as recipes trained on these rows: " in found.answer


def test_what_is_tried_later_changes_no_verdict_on_recipes(project: Project) -> None:
    own = {"compare": {}}
    project.commit(evaluated(0.70, settings=settings(seed=1, **own)))
    for seed in range(2, 6):
        files = evaluated(0.70, settings=settings(seed=seed, **own))
        project.trial(f"main-seed={seed}", files, kind="seed")
    changed = {"models__boosting__learning_rate": 0.2, **own}
    for seed, value in enumerate(FIVE, 1):
        files = evaluated(value, 0.002, settings=settings(seed=seed, **changed))
        project.trial(f"new-seed={seed}", files, kind="seed" if seed > 1 else "trial")
    before = repeat("new-seed=1", seeds=5, against="main", folder=project.folder)
    assert [one.verdict for one in before.against] == ["better"]
    assert before.rule.spent == pytest.approx(0.05 * (1 - 1 / sqrt(2)))
    other = {"models__boosting__learning_rate": 0.3, **own}
    files = evaluated(0.7, 0.002, OTHER_WAY, settings=settings(**other))
    project.clock -= 10_000  # recorded earlier, and fetched now
    project.trial("fetched", files)
    after = repeat("new-seed=1", seeds=5, against="main", folder=project.folder)
    assert after.against == before.against


def test_the_interval_of_a_recipe_on_days_allows_for_alike_neighbours() -> None:
    # An old record doesn't say so: blocks of days do.
    old = [record_of(evaluated(0.7, settings=settings(evaluate__block=one))) for one in (1, 2)]
    assert [one.in_order for one in old] == [False, True]
    days, shops = (recipe("one", FIVE, step=0.003, in_order=one) for one in (True, False))
    estimate, values = days.estimate("roc_auc"), days.values("roc_auc")
    rows = 64e-6 * times_as_wide(estimate.deleted, estimate.clusters) ** 2
    metric = days.runs[0].metrics["roc_auc"]
    assert days.interval(metric).se == pytest.approx(sqrt(rows + values.var(ddof=1) / 5))
    assert shops.interval(metric).se == pytest.approx(sqrt(66e-6))


def fold(value: float, block: int = 5, **about: object) -> Record:
    return record_of(evaluated(value, 0.003, settings=settings(evaluate__block=block), **about))


def of_folds(values: list[float], in_time: bool = False, **more: int) -> OverFolds:
    return OverFolds("one", tuple(fold(value, **more) for value in values), in_time)


def test_the_rows_of_a_fold_are_others_than_those_of_the_next() -> None:
    """Each fold has the standard error 0.008, 8 degrees of freedom; the mean of three 0.008/√3."""
    estimate = of_folds([0.70, 0.72, 0.74]).estimate("roc_auc")
    assert len(estimate.deleted) == 27
    assert standard_error(estimate.deleted) == pytest.approx(0.008 / sqrt(3))
    assert estimate.clusters - 1 == pytest.approx(24)


def test_a_cluster_with_rows_in_several_folds_is_left_out_of_all() -> None:
    estimate = of_folds([0.70, 0.72, 0.74], block=1).estimate("roc_auc")
    assert len(estimate.deleted) == 9
    assert standard_error(estimate.deleted) == pytest.approx(0.008)
    both = fold(0.7, block=1), fold(0.7, block=1, pattern=OTHER_WAY)
    mixed = OverFolds("one", both, False).estimate("roc_auc")
    # The two patterns are uncorrelated.
    assert standard_error(mixed.deleted) == pytest.approx(0.008 / sqrt(2))
    files = evaluation_files({"roc_auc": (0.7, [nan, *[0.7] * 8])}, settings=both[0].settings)
    lacking = OverFolds("one", (both[0], record_of(files)), False).estimate("roc_auc")
    assert np.isnan(standard_error(lacking.deleted))


def test_each_of_k_folds_is_taught_by_all_others() -> None:
    assert of_folds([0.7] * 5).overlap == pytest.approx(1 / 4)
    two = OverFolds("one", (fold(0.7, n_rows=100), fold(0.7, n_rows=300)), False)
    assert two.overlap == pytest.approx((100 / 300 + 300 / 100) / 2)
    assert of_folds([0.7] * 3, n_rows=None).overlap == pytest.approx(1 / 2)


def test_in_time_a_fold_is_taught_by_what_came_before() -> None:
    """Before the first of three folds of 100 rows there are 150."""
    found = of_folds([0.7] * 3, in_time=True).overlap
    assert found == pytest.approx(np.mean([100 / 150, 100 / 250, 100 / 350]))


def test_the_spread_over_folds_counts_by_the_training_rows_they_share() -> None:
    """Rows: 64e-6 / 3, 24 degrees of freedom; folds: variance 4e-4 times 1/2, 2 of them."""
    parts = {24: 64e-6 / 3, 2: 4e-4 / 2}
    total = sum(parts.values())
    freedom = total**2 / sum(part**2 / own for own, part in parts.items())
    one = of_folds([0.70, 0.72, 0.74])
    found = one.interval(one.runs[0].metrics["roc_auc"])
    assert found.se == pytest.approx(sqrt(total))
    assert found.high - 0.72 == pytest.approx(t.ppf(0.975, freedom) * sqrt(total))


def test_differences_that_vary_over_folds_are_not() -> None:
    one, other = of_folds([0.80, 0.70, 0.78]), of_folds([0.70, 0.70, 0.70])
    (row,) = compare_runs(one, other, 0.05)
    assert row.se == pytest.approx(sqrt(np.var([0.1, 0, 0.08], ddof=1) / 2))
    assert row.verdict == "undecided"


def test_the_reference_s_folds_count_only_if_they_are_its_own(project: Project) -> None:
    """Those of `main` are there by their names, but with another rate than main's."""
    edges = (0.3, 0.6, 0.9)
    split = {"valid_from": 0.6, "test_from": 0.9}
    project.commit(evaluated(0.7, settings=settings(splitters__by_time=split)))
    own: dict[str, Any] = {"models__boosting__learning_rate": 0.2}
    files = evaluated(0.7, settings=settings(splitters__by_time=split, **own))
    project.trial("other", files)
    for place in (1, 2):
        part = {"valid_from": edges[place - 1], "test_from": edges[place]}
        fold = settings(splitters__by_time=part, **own)
        for name in ("main", "other"):
            files = evaluated(0.7, settings=fold, rows=f"r{place}", sample=[str(place)])
            project.trial(f"{name}-fold={place}of2", files, kind="fold")
    found = repeat("other", folds=2, against="main", folder=project.folder)
    assert not found.against
    assert "needs the same folds of main" in found.note
