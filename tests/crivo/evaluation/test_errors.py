"""The rows to look at: the worst, with their raw columns."""

import numpy as np
import pandas as pd
import pytest

from crivo.core.blocks import Context
from crivo.evaluation.curves import residuals
from crivo.evaluation.errors import error_tables
from crivo.evaluation.tasks import Evaluated
from tests.crivo.evaluation.tables import scored

BINARY = Context("binary", ("no", "yes"), "yes")


def tables(predictions: pd.DataFrame, context: Context = BINARY) -> dict[str, pd.DataFrame]:
    raw = pd.DataFrame({"shop": [f"s{i}" for i in range(len(predictions))], "score": 7})
    return error_tables(Evaluated(predictions, context), raw)


SMALL = scored([0.9, 0.7, 0.55, 0.45, 0.2, 0.1], [0, 1, 0, 1, 0, 1], BINARY.classes)


def test_the_worst_rows_come_with_their_raw_columns() -> None:
    found = tables(SMALL)["worst"]
    # The losses are -log of 0.1, 0.7, 0.45, 0.45, 0.8 and 0.1.
    assert found["id"].tolist() == ["0000", "0005", "0002", "0003", "0001", "0004"]
    assert found["shop"].tolist()[:2] == ["s0", "s5"]
    assert found["loss"].iloc[0] == pytest.approx(-np.log(0.1))


def test_a_raw_column_that_is_called_like_ours_is_renamed() -> None:
    found = tables(SMALL)["worst"]
    assert found["score"].iloc[0] == 0.9
    assert found["raw_score"].iloc[0] == 7


def test_labels_alone_show_some_of_the_wrong_rows() -> None:
    labels = scored([0.9] * 300, [0, 1, 1] * 100, BINARY.classes).drop(columns="score")
    found = tables(labels)
    assert len(found["worst"]) == 50
    assert (found["worst"]["target"] == "no").all()


def test_classes_are_shown_by_their_probabilities() -> None:
    scores = [[0.5, 0.4, 0.1], [0.8, 0.1, 0.1], [0.1, 0.6, 0.3], [0.9, 0.05, 0.05]]
    rows = pd.DataFrame(scores, columns=["score_a", "score_b", "score_c"])
    rows = rows.assign(id=[*"0123"], target=[*"abca"], prediction=[*"aaba"], weight=1.0)
    found = tables(rows, Context("multiclass", ("a", "b", "c")))
    assert found["worst"]["id"].tolist() == [*"1203"]
    assert "score_b" in found["worst"]


def test_a_regression_has_worst_rows_and_residuals() -> None:
    rng = np.random.default_rng(0)
    prediction = rng.normal(size=3000)
    target = prediction + np.where(prediction > 1, 2.0, 0.5)
    predictions = pd.DataFrame({"target": target, "prediction": prediction, "weight": 1.0})
    predictions["id"] = predictions.index.astype("str")
    context = Context("regression")
    found = tables(predictions, context)
    assert (found["worst"]["loss"].round(6) == 2).all()
    points = residuals(Evaluated(predictions, context))
    assert len(points) == 1000
    assert points["prediction"].is_monotonic_increasing
    assert points["prediction"].iloc[[0, -1]].tolist() == [min(prediction), max(prediction)]
    assert set(points["residual"].round(6)) == {0.5, 2.0}
    assert residuals(Evaluated(predictions, BINARY)).empty
