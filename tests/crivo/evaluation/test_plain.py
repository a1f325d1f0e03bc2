"""The result in a number that everybody understands."""

from dataclasses import replace
from math import isnan

import pandas as pd
import pytest

from blocks.evaluators.standard import Standard
from crivo.core.params import ValueSettings
from crivo.evaluation.plain import PlainResult, plain_result
from crivo.evaluation.tasks import Evaluated
from crivo.evaluation.thresholds import OperatingPoint, choose_threshold
from crivo.testing.fakes import example_context, example_predictions

ROWS = 400


def plain(
    task: str,
    metrics: tuple[str, ...] = (),
    capacity: float | None = None,
    table: pd.DataFrame | None = None,
    **settings: float,
) -> PlainResult:
    context = example_context(task, ROWS)
    table = example_predictions(task, ROWS) if table is None else table
    if context.baseline is not None:
        context = replace(context, baseline=context.baseline.assign(target=table["target"]))
    value = ValueSettings(capacity=capacity)
    point = OperatingPoint.choose((table, context.baseline), context, value, here=True)
    table, other = point.apply((table, context.baseline), context)
    context = replace(context, baseline=other)
    evaluation = Standard(share=0.2, metrics=metrics).evaluate(table, context)
    return plain_result(Evaluated(table, context), evaluation, point, settings or {"share": 0.2})


def test_flagged_rows_are_counted_by_their_weight() -> None:
    table, context = example_predictions("binary", ROWS), example_context("binary", ROWS)
    found, weight = plain("binary", capacity=0.3), table["weight"]
    positive = table["target"] == context.positive
    threshold = choose_threshold(table, context, ValueSettings(capacity=0.3))
    flagged = table["score"] >= threshold
    assert found.metric == "precision"
    assert found.value == pytest.approx(weight[positive & flagged].sum() / weight[flagged].sum())
    assert found.low < found.value < found.high
    assert found.without_model == pytest.approx(weight[positive].sum() / weight.sum())
    assert found.flagged == pytest.approx(weight[flagged].sum() / weight.sum())
    assert found.recall == pytest.approx(weight[positive & flagged].sum() / weight[positive].sum())
    other = weight[~positive]
    assert found.false_alarms == pytest.approx(weight[~positive & flagged].sum() / other.sum())
    assert found.precision == pytest.approx(found.value)
    # The rows that are flagged are those of the metric that is shown.
    assert plain("binary", ("precision_at_share",), capacity=0.2).metric == "precision_at_share"


@pytest.mark.parametrize("metrics", [(), ("f1",)])
def test_where_nobody_says_which_rows_are_acted_on_those_of_the_highest_scores_count(
    metrics: tuple[str, ...],
) -> None:
    """Scores below a half flag no row, and the model may rank the rows all the same."""
    table, context = example_predictions("binary", ROWS), example_context("binary", ROWS)
    low = table.assign(score=table["score"] / 10)
    found = plain("binary", metrics, table=low)
    order = low.assign(rank=-low["score"]).sort_values("rank", kind="stable")
    seen = order["weight"].cumsum()
    top = order[seen <= 0.2 * seen.iloc[-1]]
    share = top["weight"][top["target"] == context.positive].sum() / top["weight"].sum()
    assert (found.metric, found.top, found.flagged) == ("precision_at_share", 0.2, 0.0)
    assert plain("binary", metrics, table=low, share=0.0).top == 0.1  # an evaluator may have none
    assert found.value == pytest.approx(share, abs=0.02)
    assert found.low < found.value < found.high


def test_the_interval_holds_no_more_positive_rows_than_there_are() -> None:
    """Of 400 rows of equal weight 4 are positive: of the upper 80 at most a twentieth is."""
    table = example_predictions("binary", ROWS).assign(weight=1.0)
    positive = example_context("binary", ROWS).positive
    other = next(one for one in table["target"].unique() if one != positive)
    rare = table.assign(target=[positive] * 4 + [other] * (ROWS - 4), score=0.1)
    rare.loc[[0, 1], "score"] = 0.4
    found, shown = plain("binary", table=rare), plain("binary", ("precision_at_share",), table=rare)
    assert found.value < found.high <= 4 / 80
    assert (found.low, found.high) == (shown.low, shown.high)


@pytest.mark.parametrize(
    ("task", "metric", "others"),
    [("multiclass", "accuracy", ("macro_f1",)), ("regression", "mae", ("rmse",))],
)
def test_a_metric_not_shown_is_measured(task: str, metric: str, others: tuple[str, ...]) -> None:
    shown, measured = plain(task), plain(task, others)
    assert (shown.metric, measured.metric) == (metric, metric)
    assert measured.value == pytest.approx(shown.value)
    assert measured.without_model == pytest.approx(shown.without_model)
    assert (measured.low, measured.high) == pytest.approx((shown.low, shown.high))
    assert isnan(measured.flagged)
