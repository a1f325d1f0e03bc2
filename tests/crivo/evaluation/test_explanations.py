"""What explains an evaluation, for every task, and in the order of the predictions."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from blocks.evaluators.standard import Standard
from crivo.core.schema import Task
from crivo.evaluation.assess import slice_metrics
from crivo.evaluation.evaluate import Result
from crivo.evaluation.predicting import Predicting
from crivo.evaluation.report import to_markdown
from crivo.evaluation.tasks import Evaluated
from crivo.evaluation.thresholds import OperatingPoint
from crivo.testing import fakes

ROWS = 600
ORDERS = fakes.example_rows("regression", ROWS)
OF_KIND_C = (ORDERS["kind"] == "c").to_numpy()


def predictions_of(task: Task, **slices: str) -> pd.DataFrame:
    """Return predictions with slices; those of `kind` c are what nobody could foresee."""
    table = fakes.example_predictions(task, ROWS)
    rows = fakes.example_rows(task, ROWS).set_index("id").loc[table["id"]]
    return table.assign(
        cluster=rows["shop"].to_numpy(),
        **{f"slice_{name}": rows[column].to_numpy() for name, column in slices.items()},
    )


def evaluated(task: Task, table: pd.DataFrame, features: pd.DataFrame) -> Result:
    """Return all that follows from predictions; the raw rows stand in another order."""
    rows = fakes.example_rows(task, ROWS)
    order = np.random.default_rng(0).permutation(ROWS)
    context, evaluator = fakes.example_context(task, ROWS), Standard(share=0.2)
    known = table, context, evaluator.evaluate(table, context), OperatingPoint(), vars(evaluator)
    beside = {"rows": rows.iloc[order], "features": features.iloc[order]}
    schema = fakes.example_schema(task)
    return Result(*known, Predicting(schema), dataset="orders", model="made up", **beside)


@pytest.mark.parametrize("task", fakes.TASKS)
def test_every_task_has_the_same_files(task: Task) -> None:
    table = predictions_of(task, kind="kind")
    features = fakes.example_features(fakes.example_rows(task, ROWS))
    files = evaluated(task, table, features).files
    assert [*files][:3] == ["predictions.parquet", "jackknife.csv", "intervals.csv"]
    plots = [f"plots/{one}" for one in ("roc", "confusion", "scores", "value_curve", "residuals")]
    tables = ["slices", "value", "errors/worst", "errors/by_slice"]
    assert {f"{name}.csv" for name in [*tables, *plots]} <= {*files}
    assert files["jackknife.csv"].columns[0] == "cluster"
    assert ("false positive rate" in files["report.html"]) is (task == "binary")
    assert {"kind = a", "kind = b", "kind = c"} <= set(files["slices.csv"]["slice"])


def where_off(odd: np.ndarray, features: pd.DataFrame, **slices: str) -> Result:
    """Return what is found when some rows' predictions are far off."""
    table = predictions_of("regression", **slices)
    off = table.assign(prediction=table["prediction"].where(~odd, 9.0))
    return evaluated("regression", off, features)


def test_a_weak_segment_is_said_and_listed_after_the_slices() -> None:
    member, features = ORDERS["member"].to_numpy(), fakes.example_features(ORDERS)[["member"]]
    result = where_off(member, features)
    said = "In this segment, mae is shown to be worse than on the other rows: member > 0."
    assert f"- Where is it bad? {said}" in to_markdown(result).splitlines()
    assert result.tables["slices"]["slice"].tolist() == ["all rows", "member > 0"]
    assert result.tables["slices"]["verdict"].tolist() == ["", "worse"]


def test_the_rows_of_a_slice_with_the_highest_loss_are_listed_with_their_slice() -> None:
    rows = where_off(OF_KIND_C, ORDERS[["shop"]], kind="kind").tables["errors/by_slice"]
    counts = rows["slice"].value_counts().to_dict()
    assert counts == dict.fromkeys(["kind = a", "kind = b", "kind = c"], 5)
    predicted = predictions_of("regression", kind="kind").set_index("id")
    losses = (predicted[OF_KIND_C]["target"] - 9.0).abs().nlargest(5)
    assert rows[rows["slice"] == "kind = c"]["loss"].tolist() == losses.tolist()
    known = fakes.example_rows("regression", ROWS).set_index("id")
    assert rows["shop"].tolist() == known.loc[rows["id"], "shop"].tolist()


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
    table, context = predictions_of(task), fakes.example_context(task, ROWS)
    evaluation = Standard().evaluate(table, context)
    own = evaluation.metrics.head(1).set_axis(["homemade"])
    evaluation = replace(evaluation, metrics=own, primary="homemade")
    found = slice_metrics(Evaluated(table, context), evaluation, {})
    assert [metric.name for metric in found] == measured
