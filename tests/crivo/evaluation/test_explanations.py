"""What explains an evaluation, for every task, and in the order of the predictions."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from blocks.evaluators.standard import Standard
from crivo.core.evaluation import Evaluation
from crivo.core.findings import Finding, findings_table
from crivo.core.params import Limit, ValueSettings
from crivo.core.predictions import build_predictions
from crivo.core.schema import Task
from crivo.evaluation.explanations import Explanations, explain, in_order, slice_metrics
from crivo.evaluation.outputs import output_files
from crivo.evaluation.report import Report, words
from crivo.evaluation.summary import provenance
from crivo.evaluation.thresholds import NOTHING, OperatingPoint, Threshold
from crivo.testing.examples import (
    TASKS,
    example_context,
    example_features,
    example_predictions,
    example_rows,
    example_schema,
)

ROWS = 600
GAINS = ValueSettings(true_positive=3, false_positive=-1)


def predictions_of(task: Task, **slices: str) -> pd.DataFrame:
    """Return predictions with slices; those of `kind` c are what nobody could foresee."""
    table = example_predictions(task, ROWS)
    rows = example_rows(task, ROWS).set_index("id").loc[table["id"]]
    return table.assign(
        cluster=rows["shop"].to_numpy(),
        **{f"slice_{name}": rows[column].to_numpy() for name, column in slices.items()},
    )


def evaluated(task: Task, **slices: str) -> tuple[pd.DataFrame, Evaluation, Explanations]:
    predictions, context = predictions_of(task, **slices), example_context(task, ROWS)
    evaluation = Standard().evaluate(predictions, context)
    rows = example_rows(task, ROWS)
    value = GAINS if task == "binary" else ValueSettings()
    tables = (predictions, context.baseline)
    point = OperatingPoint.choose(tables, context, value, here=True)
    raw, inputs = in_order(predictions, example_schema(task), rows, example_features(rows))
    found = explain(
        predictions,
        context,
        evaluation,
        settings={"share": 0.2},
        operating_point=point,
        raw=raw,
        features=inputs,
    )
    return predictions, evaluation, found


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_the_same_files(task: Task) -> None:
    _, _, found = evaluated(task, kind="kind")
    assert list(found.tables) == [
        "slices",
        "value",
        "errors/worst",
        "errors/confidently_wrong",
        "errors/near_threshold",
        "errors/by_decile",
        "errors/by_slice",
    ]
    assert list(found.plots) == ["value_curve", "residuals"]
    assert {"kind = a", "kind = b", "kind = c"} <= set(found.tables["slices"]["slice"])


@pytest.mark.parametrize("task", TASKS)
def test_all_files_of_an_evaluation_come_from_one_place(task: Task) -> None:
    predictions, evaluation, found = evaluated(task)
    context = example_context(task, ROWS)
    about = provenance(evaluation, predictions, context, "valid")
    chosen = {"dataset": "orders", "model": "made up"}
    limits = {evaluation.primary: Limit(at_most=-9), "odd": Limit(at_least=0)}
    leak = Finding("L005", "warning", "<b>", "predicts `y` alone.")
    files = output_files(
        predictions=predictions,
        evaluation=evaluation,
        explanations=found,
        operating_point=OperatingPoint(),
        about=about,
        curves={},
        chosen=chosen,
        baseline="prior",
        incumbent={},
        limits=limits,
        checked=findings_table([leak]),
    )
    assert files["metrics.json"]["verdict_against"] == "prior"
    assert files["jackknife.csv"].columns[0] == "cluster"
    assert files["report.html"].startswith("<!DOCTYPE html>")
    assert re.search(r"✗ violated</td>.*at most -9</td>", files["report.html"])
    assert re.search(r"– not measured</td>.*at least 0</td>", files["report.html"])
    assert "L005, &lt;b&gt;: predicts `y` alone." in files["report.html"]
    assert f"1 of {len(limits)} limits hold" not in files["report.md"]
    assert "violated: " in files["report.md"]
    assert "| L005 | warning | <b> | predicts `y` alone. |" in files["report.md"]
    assert files["threshold.json"]["threshold"] is None
    assert {"slices.csv", "value.csv", "errors/worst.csv", "plots/residuals.csv"} <= set(files)


def test_the_value_is_listed_with_its_interval() -> None:
    found = evaluated("binary")[2]
    model = found.tables["value"].set_index("of").loc["model"]
    assert found.metrics == {
        "value_per_1000": model["value_per_1000"],
        "value_per_1000_low": model["low"],
        "value_per_1000_high": model["high"],
    }
    assert evaluated("regression")[2].metrics == {}


def found_where_off(
    odd: np.ndarray, features: pd.DataFrame, metrics: tuple[str, ...] = (), **slices: str
) -> Explanations:
    """Return what is found when some rows' predictions are far off."""
    predictions, context = (
        predictions_of("regression", **slices),
        example_context("regression", ROWS),
    )
    off = predictions.assign(prediction=predictions["prediction"].where(~odd, 9.0))
    evaluation = Standard(metrics=metrics).evaluate(off, context)
    return explain(
        off,
        context,
        evaluation,
        settings={},
        operating_point=OperatingPoint(),
        raw=features[[]],
        features=features,
    )


ORDERS = example_rows("regression", ROWS)
OF_KIND_C = (ORDERS["kind"] == "c").to_numpy()


def said_where(found: Explanations) -> str:
    """Return what the report says of where the model is bad."""
    empty = pd.DataFrame(columns=["value", "low", "high", "verdict"])
    metrics = pd.DataFrame([{"value": 1.0, "low": 0.9, "high": 1.1}], ["rmse"])
    evaluation = Evaluation(metrics, empty, empty, empty, "rmse", "d1")
    answers = words.answers(Report(evaluation, {"task": "regression"}, tables=found.tables))
    return {one.question: one.answer for one in answers}.get("Where is it bad?", "")


def test_where_the_model_is_worse_is_said_in_a_sentence() -> None:
    found = found_where_off(OF_KIND_C, ORDERS[[]], kind="kind")
    assert said_where(found) == "rmse is shown to be worse where kind = c."
    lines = found.tables["slices"].set_index("slice")
    assert lines.loc["kind = c", "verdict"] == "worse"
    assert lines.loc["all rows", "status"] == "all"


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        ("ab", "a = c; b = c"),
        ("abcde", "a = c; b = c; c = c; d = c; e = c"),
        ("abcdefg", "a = c; b = c; c = c; d = c; e = c and 2 more"),
    ],
)
def test_five_slices_are_named_and_the_others_counted(columns: str, named: str) -> None:
    found = found_where_off(OF_KIND_C, ORDERS[[]], **dict.fromkeys(columns, "kind"))
    assert said_where(found) == f"rmse is shown to be worse where {named}."


def test_a_weak_segment_is_said_and_listed_after_the_slices() -> None:
    member, features = ORDERS["member"].to_numpy(), example_features(ORDERS)[["member"]]
    found = found_where_off(member, features)
    assert said_where(found) == "mae is shown to be worse where member > 0."
    assert found.tables["slices"]["slice"].tolist() == ["all rows", "member > 0"]
    assert found.tables["slices"]["verdict"].tolist() == ["", "worse"]


def test_the_rows_of_a_slice_with_the_highest_loss_are_listed_with_their_slice() -> None:
    found = found_where_off(OF_KIND_C, ORDERS[["shop"]], kind="kind")
    rows = found.tables["errors/by_slice"]
    assert rows["slice"].value_counts().to_dict() == dict.fromkeys(
        ["kind = a", "kind = b", "kind = c"], 5
    )
    predicted = predictions_of("regression", kind="kind").set_index("id")
    of_c = predicted[OF_KIND_C]
    losses = (of_c["target"] - 9.0).abs().nlargest(5)
    assert rows[rows["slice"] == "kind = c"]["loss"].tolist() == losses.tolist()
    assert set(predicted.loc[rows["id"], "slice_kind"]) == {"a", "b", "c"}


def test_without_weak_segments_numbers_of_slices_stay_numbers() -> None:
    found = found_where_off(OF_KIND_C, ORDERS[[]], kind="kind")
    types = found.tables["slices"][["rows", "rmse", "difference"]].dtypes.astype(str)
    assert types.tolist() == ["int64", "float64", "float64"]


@pytest.mark.parametrize("here", [True, False])
def test_a_threshold_is_sought_again_only_on_the_rows_it_was_chosen_on(here: bool) -> None:
    on_nothing, on_most = Threshold(NOTHING, "value"), Threshold(0.3, "value")
    found = at((on_nothing, on_most), here)
    acted = found.tables["value"].set_index("of")["acted_per_1000"]
    assert (acted["model"] > 0) == here


def test_rows_near_the_models_threshold_are_shown() -> None:
    found = at((Threshold(0.3, "capacity"), Threshold(0.9, "capacity")), here=False)
    near = (found.tables["errors/near_threshold"]["score"] - 0.3).abs()
    everything = (predictions_of("binary")["score"] - 0.3).abs()
    assert near.tolist() == sorted(everything)[:50]


def at(thresholds: tuple[Threshold, Threshold], here: bool) -> Explanations:
    """Return what is found with thresholds of the model and of the baseline."""
    predictions, context = predictions_of("binary"), example_context("binary", ROWS)
    evaluation = Standard().evaluate(predictions, context)
    point = OperatingPoint(thresholds, GAINS, here)
    return explain(
        predictions,
        context,
        evaluation,
        settings={},
        operating_point=point,
        raw=ORDERS[[]],
        features=ORDERS[[]],
    )


def test_slices_are_measured_by_the_metrics_shown_with_their_settings() -> None:
    predictions, evaluation, _ = evaluated("binary")
    context = example_context("binary", ROWS)
    found = slice_metrics(predictions, context, evaluation, {"share": 0.2})
    assert found[0].name == evaluation.primary
    assert [metric.name for metric in found][-1] == "calibration_in_the_large"
    shares = {metric.name: dict(metric.settings) for metric in found}
    assert shares["precision_at_share"] == {"share": 0.2}


def test_labels_without_scores_have_no_calibration() -> None:
    labels, context = (
        predictions_of("binary").drop(columns="score"),
        example_context("binary", ROWS),
    )
    evaluation = Standard().evaluate(labels, replace(context, baseline=None))
    names = [metric.name for metric in slice_metrics(labels, context, evaluation, {})]
    assert names == ["f1", "precision", "recall", "accuracy"]


def test_a_metric_that_is_not_in_the_registry_is_left_out() -> None:
    predictions, evaluation, _ = evaluated("regression")
    evaluation.metrics.loc["homemade"] = 1.0
    context = example_context("regression", ROWS)
    names = [metric.name for metric in slice_metrics(predictions, context, evaluation, {})]
    assert "homemade" not in names


@pytest.mark.parametrize(
    ("task", "measured"),
    [
        ("binary", ["log_loss", "calibration_in_the_large"]),
        ("multiclass", ["log_loss"]),
        ("regression", ["mae"]),
    ],
)
def test_slices_are_measured_by_the_loss_where_all_metrics_are_an_evaluators_own(
    task: Task, measured: list[str]
) -> None:
    predictions, evaluation, _ = evaluated(task)
    own = evaluation.metrics.head(1).set_axis(["homemade"])
    evaluation = replace(evaluation, metrics=own, primary="homemade")
    context = example_context(task, ROWS)
    found = slice_metrics(predictions, context, evaluation, {})
    assert [metric.name for metric in found] == measured


def test_rows_and_features_follow_the_predictions() -> None:
    rows = example_rows("binary", 30).sample(frac=1, random_state=0)
    schema = example_schema("binary")
    predictions = build_predictions(rows, schema, np.zeros(30, dtype=bool))
    raw, features = in_order(predictions, schema, rows, example_features(rows))
    expected = rows.sort_values("id")
    assert raw["shop"].tolist() == expected["shop"].tolist()
    assert features["pieces"].tolist() == expected["pieces"].tolist()
    assert raw.columns.tolist() == rows.columns.drop(["id", "target"]).tolist()
    assert raw.index.tolist() == list(range(30))
