"""Warnings of what the rows hold too little of: rows of a class, rare large errors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from crivo.core.evaluation import Context
from crivo.evaluation.metrics import find_metrics
from crivo.evaluation.tasks import evaluation_of
from crivo.evaluation.tasks._classes import rare_classes
from crivo.evaluation.tasks.regression import heavy_tails, largest_fraction

REGRESSION = find_metrics(["rmse", "mae", "r2"], "regression")


def test_a_class_needs_thirty_rows():
    assert rare_classes({"a": 30, "b": 100, "c": 0}) == []
    assert rare_classes({"a": 29, "b": 100, "c": 1}) == [
        "Classes with fewer than 30 rows: a (29 rows), c (1 rows). Intervals of metrics that "
        "depend on single classes, such as ROC AUC, recall and F1, are too short."
    ]
    many = rare_classes({str(number): 3 for number in range(8)})[0]
    assert "4 (3 rows) and 3 more. Intervals" in many


def test_rows_without_weight_are_no_rows_of_a_class():
    table = pd.DataFrame({"target": ["a"] * 40 + ["b"] * 40, "weight": [1.0] * 69 + [0.0] * 11})
    found = evaluation_of(Context("multiclass", ("a", "b"))).caveats(table, [])
    assert found[0].startswith("Classes with fewer than 30 rows: b (29 rows).")


def test_the_largest_hundredth_of_the_squared_errors():
    values = np.array([1.0] * 198 + [51.0] * 2)
    assert largest_fraction(values) == pytest.approx(102 / 300)
    assert largest_fraction(values[::-1]) == pytest.approx(102 / 300)
    assert largest_fraction(np.zeros(10)) == largest_fraction(np.zeros(0)) == 0


@pytest.mark.parametrize(
    ("errors", "warned"),
    [(stats.t(2.5), True), (stats.t(3), True), (stats.t(5), False), (stats.laplace, False)],
)
def test_heavy_tails_are_warned_of_for_metrics_of_squared_errors(errors, warned):
    """The expected errors of a sample: quantiles of their distribution."""
    drawn = errors.ppf((np.arange(6000) + 0.5) / 6000)
    found = heavy_tails(drawn**2, np.ones(6000), REGRESSION)
    assert [text.partition(":")[0] for text in found] == (["rmse", "r2"] if warned else [])


def test_a_row_of_great_weight_carries_the_sum_too():
    weight = np.array([40.0] + [1.0] * 99)
    found = heavy_tails(np.ones(100), weight, REGRESSION)
    assert found[0] == (
        "rmse: the largest 1 % of the squared errors make 29 % of their sum (above 25 %), so its "
        "interval is too short: larger errors than these rows have may come. mae suffers less."
    )


def test_the_rows_of_a_regression_are_looked_at_for_tails():
    target = np.append(np.ones(99), 20.0)
    table = pd.DataFrame({"target": target, "prediction": 0.0, "weight": 1.0})
    assert len(evaluation_of(Context("regression")).caveats(table, REGRESSION)) == 2
