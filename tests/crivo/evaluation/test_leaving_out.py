"""Metrics without each cluster at once: the values that the rows without the cluster give."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crivo.evaluation.jackknife import measure_without_each
from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.rows import Binary, Multiclass, Regression
from crivo.statistics.jackknife import NotDefined

TASKS = ("binary", "multiclass", "regression")


def rows_of(task, random, count, weight):
    if task == "regression":
        return Regression(random.normal(size=count), random.normal(size=count), weight)
    if task == "multiclass":
        target, predicted = random.integers(0, 3, (2, count))
        return Multiclass(target, predicted, random.dirichlet(np.ones(3), count), weight, "abc")
    score = np.round(random.random(count), 1)
    return Binary(random.random(count) < score, score > 0.5, score, weight)


def left(metric, rows, outside):
    """A metric without some rows of the table."""
    rest = rows.only(~outside)
    try:
        if not rest.total_weight > 0:
            return np.nan
        return metric(rest)
    except NotDefined:
        return np.nan


@pytest.mark.parametrize("task", TASKS)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), count=st.integers(1, 60), clusters=st.integers(1, 9))
def test_all_metrics_are_those_of_the_rows_without_a_cluster(task, seed, count, clusters):
    random = np.random.default_rng(seed)
    rows = rows_of(task, random, count, random.choice([0, 1, 1.5, 1e-3], count))
    names = [str(number) for number in range(clusters + 1)]  # the last one has no rows
    groups = pd.Categorical.from_codes(random.integers(0, clusters, count), names)
    # `metrics/test_share_left.py` is about those whose cut stays.
    metrics = [m for m in metrics_of(task).values() if m.interval and "_share" not in m.name]
    found = measure_without_each(rows, groups, metrics)
    for metric in metrics:
        whole = found.values[metric.name]
        expected = [
            whole if np.isnan(whole) else left(metric, rows, groups == name) for name in names
        ]
        assert found.deleted[metric.name].tolist() == pytest.approx(
            expected, rel=1e-9, abs=1e-12, nan_ok=True
        )
