"""The result in a number that everybody understands."""

from __future__ import annotations

from dataclasses import replace
from math import isnan

import pandas as pd
import pytest

from blocks.evaluators.standard import Standard
from crivo.core.params import ValueSettings
from crivo.evaluation.plain import PlainResult, plain_result
from crivo.evaluation.thresholds import OperatingPoint
from crivo.testing.examples import example_context, example_predictions

ROWS = 400


def plain(task: str, metrics: tuple[str, ...] = (), capacity: float | None = None) -> PlainResult:
    table, context = example_predictions(task, ROWS), example_context(task, ROWS)
    value = ValueSettings(capacity=capacity)
    point = OperatingPoint.choose((table, context.baseline), context, value, here=True)
    table, other = point.apply((table, context.baseline), context)
    context = replace(context, baseline=other)
    evaluation = Standard(share=0.2, metrics=metrics).evaluate(table, context)
    found = plain_result(table, context, evaluation, point, {"share": 0.2})
    assert found is not None
    return found


def test_a_metric_that_is_shown_keeps_its_value_and_its_interval() -> None:
    table, context = example_predictions("binary", ROWS), example_context("binary", ROWS)
    evaluation = Standard(share=0.2).evaluate(table, context)
    found = plain("binary", capacity=0.2)
    assert found.metric == "precision_at_share"
    row = evaluation.metrics.loc["precision_at_share"]
    assert (found.value, found.low, found.high) == (row["value"], row["low"], row["high"])


def test_flagged_rows_are_counted_by_their_weight() -> None:
    table, context = example_predictions("binary", ROWS), example_context("binary", ROWS)
    found, weight = plain("binary"), table["weight"]
    positive, flagged = table["target"] == context.positive, table["score"] >= 0.5
    assert found.metric == "precision"
    assert found.value == pytest.approx(weight[positive & flagged].sum() / weight[flagged].sum())
    assert found.low < found.value < found.high
    assert found.without_model == pytest.approx(weight[positive].sum() / weight.sum())
    assert found.flagged == pytest.approx(weight[flagged].sum() / weight.sum())
    assert found.recall == pytest.approx(weight[positive & flagged].sum() / weight[positive].sum())
    other = weight[~positive]
    assert found.false_alarms == pytest.approx(weight[~positive & flagged].sum() / other.sum())


@pytest.mark.parametrize(
    ("task", "metric", "others"),
    [("multiclass", "accuracy", ("macro_f1",)), ("regression", "mae", ("rmse",))],
)
def test_a_metric_that_is_not_shown_is_measured(
    task: str, metric: str, others: tuple[str, ...]
) -> None:
    shown, measured = plain(task), plain(task, others)
    assert (shown.metric, measured.metric) == (metric, metric)
    assert measured.value == pytest.approx(shown.value)
    assert measured.without_model == pytest.approx(shown.without_model)
    assert (measured.low, measured.high) == pytest.approx((shown.low, shown.high))
    assert isnan(measured.flagged)


def test_without_a_baseline_nothing_stands_beside_the_result() -> None:
    table = example_predictions("regression", ROWS)
    context = replace(example_context("regression", ROWS), baseline=None)
    evaluation = Standard().evaluate(table, context)
    found = plain_result(table, context, evaluation, OperatingPoint(), {})
    assert found is not None
    assert isnan(found.without_model)
    assert pd.notna(found.low)
