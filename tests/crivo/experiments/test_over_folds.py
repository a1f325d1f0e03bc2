"""A recipe over folds: the mean, the errors of the rows, and those of shared training rows."""

from collections.abc import Sequence
from math import sqrt

import numpy as np
import pytest
from scipy.stats import t

from crivo.comparison.recipes import OverFolds, compare_runs
from crivo.records.record import Record
from crivo.records.settings import chosen_block
from crivo.statistics.jackknife import standard_error
from crivo.trials.repetition import repeat
from tests.crivo.experiments.repository import (
    ONE_WAY,
    OTHER_WAY,
    SETTINGS,
    Project,
    evaluation_files,
    record_of,
    settings,
    spread,
)


def fold(
    value: float,
    step: float = 0.003,
    block: int = 5,
    pattern: Sequence[int] = ONE_WAY,
    **about: object,
) -> Record:
    own = settings(evaluate__block=block)
    return record_of(
        evaluation_files({"roc_auc": spread(value, step, pattern)}, settings=own, **about)
    )


def recipe(values: list[float], in_time: bool = False, **more: int) -> OverFolds:
    return OverFolds("one", tuple(fold(value, **more) for value in values), in_time)


def test_the_rows_of_a_fold_are_others_than_those_of_the_next() -> None:
    """Each fold has the standard error 0.008, 8 degrees of freedom; the mean of three 0.008/√3."""
    estimate = recipe([0.70, 0.72, 0.74]).estimate("roc_auc")
    assert len(estimate.deleted) == 27
    assert standard_error(estimate.deleted) == pytest.approx(0.008 / sqrt(3))
    assert estimate.clusters - 1 == pytest.approx(24)


def test_a_cluster_with_rows_in_several_folds_is_left_out_of_all() -> None:
    estimate = recipe([0.70, 0.72, 0.74], block=1).estimate("roc_auc")
    assert len(estimate.deleted) == 9
    assert standard_error(estimate.deleted) == pytest.approx(0.008)
    mixed = OverFolds(
        "one", (fold(0.7, block=1), fold(0.7, block=1, pattern=OTHER_WAY)), False
    ).estimate("roc_auc")
    # The two patterns are uncorrelated.
    assert standard_error(mixed.deleted) == pytest.approx(0.008 / sqrt(2))


def test_each_of_k_folds_is_taught_by_all_others() -> None:
    assert recipe([0.7] * 5).overlap == pytest.approx(1 / 4)
    two = OverFolds("one", (fold(0.7, n_rows=100), fold(0.7, n_rows=300)), False)
    assert two.overlap == pytest.approx((100 / 300 + 300 / 100) / 2)
    assert recipe([0.7] * 3, n_rows=None).overlap == pytest.approx(1 / 2)


def test_in_time_a_fold_is_taught_by_what_came_before() -> None:
    """Before the first of three folds of 100 rows there are 150."""
    found = recipe([0.7] * 3, in_time=True).overlap
    assert found == pytest.approx(np.mean([100 / 150, 100 / 250, 100 / 350]))


def test_the_spread_over_folds_counts_by_the_training_rows_they_share() -> None:
    """Rows: 64e-6 / 3, 24 degrees of freedom; folds: variance 4e-4 times 1/2, 2 of them."""
    parts = {24: 64e-6 / 3, 2: 4e-4 / 2}
    total = sum(parts.values())
    freedom = total**2 / sum(part**2 / own for own, part in parts.items())
    one = recipe([0.70, 0.72, 0.74])
    found = one.interval(one.runs[0].metrics["roc_auc"])
    assert found.se == pytest.approx(sqrt(total))
    assert found.high - 0.72 == pytest.approx(t.ppf(0.975, freedom) * sqrt(total))


def test_differences_that_vary_little_over_folds_are_sure() -> None:
    one, other = recipe([0.75, 0.77, 0.79], step=0.0), recipe([0.70, 0.72, 0.74], step=0.001)
    (row,) = compare_runs(one, other, 0.05)
    assert row.difference == pytest.approx(0.05)
    assert row.se == pytest.approx(0.001 * 8 / 3 / sqrt(3))
    assert row.verdict == "better"


def test_differences_that_vary_over_folds_are_not() -> None:
    one, other = recipe([0.80, 0.70, 0.78]), recipe([0.70, 0.70, 0.70])
    (row,) = compare_runs(one, other, 0.05)
    assert row.se == pytest.approx(sqrt(np.var([0.1, 0, 0.08], ddof=1) / 2))
    assert row.verdict == "undecided"


BY_SHARE = {"valid_from": 0.6, "test_from": 0.9}


def with_folds(
    project: Project, values: dict[str, list[float]], kind: str = "fold", **changed: float
) -> None:
    """Record main, a trial, and the folds of both, their splits `changed`."""
    own = settings(splitters__by_time=BY_SHARE)
    main = project.commit(evaluation_files({"roc_auc": spread(0.70)}, settings=own))
    for name, folds in values.items():
        rate = SETTINGS["models"]["boosting"]["learning_rate"] if name == "main" else 0.2
        if name != "main":
            own = settings(splitters__by_time=BY_SHARE, models__boosting__learning_rate=rate)
            files = evaluation_files({"roc_auc": spread(0.72, 0.003)}, settings=own)
            project.trial(name, files)
        planned = chosen_block("splitter", own).folds(len(folds), lambda: None).values()
        for (place, value), split in zip(enumerate(folds, 1), planned, strict=True):
            split = {**BY_SHARE, **split, **changed}
            own_of_fold = settings(splitters__by_time=split, models__boosting__learning_rate=rate)
            rows = {"rows": f"r{place}", "sample": [str(place)]}
            metrics = {"roc_auc": spread(value, 0.001 * len(name))}
            files = evaluation_files(metrics, settings=own_of_fold, **rows)
            project.trial(f"{kind}-{place}-{name}", files, parent=main, kind=kind)


def test_the_reference_s_folds_count_only_if_they_are_its_own(project: Project) -> None:
    with_folds(project, {"other": [0.75, 0.77]})
    for place in (1, 2):
        slow = settings(models__boosting__learning_rate=0.05)
        files = evaluation_files({"roc_auc": spread(0.7)}, settings=slow, rows=f"r{place}")
        project.trial(f"main-fold={place}of2", files, kind="fold")
    found = repeat("other", folds=2, against="main", folder=project.folder)
    assert not found.against
    assert "needs the same folds of main" in found.note
