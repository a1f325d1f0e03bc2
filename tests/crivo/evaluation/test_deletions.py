"""Metrics without each cluster at once: the values that leaving out one after the other gives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crivo.evaluation.deletions import FORMULAS, leave_out_at_once
from crivo.evaluation.jackknife import leave_out
from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.rows import Binary, Multiclass, Regression
from crivo.evaluation.tasks import task_evaluation
from crivo.evaluation.weighting import Rows, only

TASKS = ("binary", "multiclass", "regression")


def rows_of(task, random, count, weight):
    if task == "regression":
        return Regression(random.normal(size=count), random.normal(size=count), weight)
    if task == "multiclass":
        target, predicted = random.integers(0, 3, (2, count))
        return Multiclass(target, predicted, random.dirichlet(np.ones(3), count), weight, "abc")
    score = np.round(random.random(count), 1)
    return Binary(random.random(count) < score, score > 0.5, score, weight)


def one_after_the_other(rows, groups, metrics):
    judged = [metric.name for metric in metrics if metric.interval]
    return leave_out(rows, groups, {metric.name: metric for metric in metrics}, judged)


def assert_same(rows, groups, task):
    metrics = [*metrics_of(task).values()]
    found, expected = (
        compute(rows, groups, metrics) for compute in (leave_out_at_once, one_after_the_other)
    )
    pd.testing.assert_frame_equal(found.deleted, expected.deleted, rtol=1e-9, atol=1e-12)
    pd.testing.assert_series_equal(found.values, expected.values)
    assert (found.count, found.ordered) == (expected.count, expected.ordered)


@pytest.mark.parametrize("task", TASKS)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), count=st.integers(1, 60), clusters=st.integers(1, 9))
def test_all_metrics_of_any_rows_are_the_same(task, seed, count, clusters):
    random = np.random.default_rng(seed)
    rows = rows_of(task, random, count, random.choice([0, 1, 1.5, 1e-3], count))
    names = [str(number) for number in range(clusters + 1)]  # the last one has no rows
    groups = pd.Categorical.from_codes(random.integers(0, clusters, count), names)
    assert_same(rows, groups, task)


def test_many_classes_in_many_clusters_have_the_same_metrics():
    random = np.random.default_rng(1)
    target, predicted = random.integers(0, 20, (2, 500))
    scores = random.dirichlet(np.ones(20), 500)
    rows = Multiclass(target, predicted, scores, np.ones(500), range(20))
    assert_same(rows, pd.Categorical(random.integers(0, 100, 500).astype(str)), "multiclass")


def test_areas_of_a_part_of_the_rows_worked_out_by_hand():
    score, target = np.array([0.9, 0.8, 0.8, 0.3, 0.5]), np.array([1, 0, 1, 0, 1])
    rows = only(Binary(target, target, score, np.ones(5)), np.array([True] * 4 + [False]))
    groups = pd.Categorical(["x", "y", "y", "z"])
    found = leave_out_at_once(rows, groups, [metrics_of("binary")["roc_auc"]])
    # of all: 0.9 beats both, 0.8 ties with one and beats the other
    assert found.values["roc_auc"] == pytest.approx(3.5 / 4)
    assert found.deleted["roc_auc"].tolist() == pytest.approx([1.5 / 2, 1, 1.5 / 2])


def test_a_cluster_that_has_all_positives_leaves_no_value():
    target = np.array([1, 1, 0, 0, 0])
    rows = Binary(target, target, np.linspace(0.9, 0.1, 5), np.ones(5))
    assert_same(rows, pd.Categorical(list("xxyyz")), "binary")


def test_a_cluster_that_has_almost_all_weight_keeps_the_digits_of_the_rest():
    target = np.array([1, 0, 1, 0, 1, 0])
    weight = np.array([1e9, 1e9, 1, 1, 1, 1])
    rows = Binary(target, target, np.array([0.9, 0.1, 0.6, 0.7, 0.8, 0.2]), weight)
    assert_same(rows, pd.Categorical(list("xxyyzz")), "binary")


def test_labels_without_scores_have_the_metrics_of_labels():
    target = np.array([1, 0, 1, 0])
    rows = Binary(target, 1 - target, None, np.ones(4))
    assert_same(rows, pd.Categorical(list("xxyy")), "binary")


def test_average_precision_of_equal_scores_worked_out_by_hand():
    target = np.array([1, 1, 0, 1, 0])
    rows = Binary(target, target, np.array([0.9, 0.8, 0.8, 0.5, 0.3]), np.ones(5))
    metric = metrics_of("binary")["average_precision"]
    found = leave_out_at_once(rows, pd.Categorical(list("xyyzz")), [metric]).deleted
    # of x: 1/2 at 0.8, 2/3 at 0.5; of y: 1 and 2/2; of z: 1 and 2/3
    assert found["average_precision"].tolist() == pytest.approx([7 / 12, 1, 5 / 6])


@pytest.mark.parametrize("task", TASKS)
def test_metrics_shown_where_none_are_chosen_need_no_second_look_at_the_rows(task, monkeypatch):
    random = np.random.default_rng(0)
    rows = rows_of(task, random, 50, np.ones(50))
    shown = task_evaluation(task).default_metrics(scored=True)
    metrics = [metrics_of(task)[name] for name in shown]
    monkeypatch.setattr(Rows, "reweighted", None)
    groups = pd.Categorical([str(place % 5) for place in range(50)])
    assert leave_out_at_once(rows, groups, metrics).deleted.columns.tolist() == [*shown]


def test_there_is_a_formula_for_metrics_that_exist():
    known = {metric.compute for task in TASKS for metric in metrics_of(task).values()}
    assert set(FORMULAS) < known
