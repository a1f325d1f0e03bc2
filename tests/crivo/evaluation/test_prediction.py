"""Predictions are in the order of the schema's classes, whatever the estimator's."""

from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from crivo.core.errors import CrivoError
from crivo.core.schema import Task
from crivo.evaluation import predicting
from crivo.evaluation.predicting import Predicting, predict
from crivo.evaluation.rows import class_codes
from crivo.testing.fakes import example_features, example_rows, example_schema
from crivo.training.tracking import training_losses
from tests.crivo.schemas import few_columns

X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0]})


@pytest.mark.parametrize(
    ("classes", "taught", "label", "scores"),
    [
        (("yes", "no"), ["yes", "yes", "no", "no"], "no", [0.5, 0.5]),  # half is positive
        (("yes", "no"), ["yes", "yes", "yes", "no"], "yes", [0.75, 0.25]),
        (("a", "b", "c"), ["c", "c", "a", "c"], "c", [0.25, 0, 0.75]),  # one was never taught
        ((1, 0), [True, False, True, True], 1, [0.75, 0.25]),  # known as true and false
    ],
)
def test_scores_follow_the_schema_whatever_classes_a_model_knows(
    classes: Any, taught: list[Any], label: object, scores: list[float]
) -> None:
    schema, model = few_columns(*classes), DummyClassifier(strategy="prior").fit(X, taught)
    labels, found = predict(model, X, schema)
    assert labels.tolist() == [label] * 4
    np.testing.assert_allclose(found, [scores] * 4)


def test_predictions_of_no_rows_have_the_type_of_the_schema() -> None:
    model = DummyClassifier(strategy="prior").fit(X, ["c", "c", "a", "c"])
    labels, scores = predict(model, X[:0], few_columns("a", "b", "c"))
    assert (labels.dtype, labels.shape, scores.shape) == (object, (0,), (0, 3))
    assert predict(model, X[:0], few_columns())[0].dtype == float


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_rows_in_batches_get_the_predictions_of_all_at_once(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = few_columns("no", "yes") if task == "binary" else few_columns()
    target = ["yes", "no", "no", "yes"] if task == "binary" else [0.9, 0.1, 0.1, 0.9]
    tree = DecisionTreeClassifier() if task == "binary" else DecisionTreeRegressor()
    whole = predict(tree.fit(X, target), X, schema)
    assert whole[0].tolist() == target
    monkeypatch.setattr(predicting, "BATCH_ROWS", 3)
    for expected, found in zip(whole, predict(tree, X, schema), strict=True):
        np.testing.assert_array_equal(expected, found)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (np.full((60, 2), np.nan), "gives rows that don't sum to one, but for each of 60 rows"),
        (np.full((60, 2), 0.6), "gives rows that don't sum to one"),
        (np.full((59, 2), 0.5), r"an array of the shape .59, 2., but for each of 60"),
        (np.full((60, 1), 0.5), r"an array of the shape .60, 1.*of the 2 classes. Correct"),
    ],
)
def test_what_is_no_prediction_is_refused(given: np.ndarray, said: str) -> None:
    rows, predicting = example_rows("binary", 60), Predicting(example_schema("binary"))
    features, broken = example_features(rows), Mock(spec=["classes_", "predict_proba"])
    broken.classes_ = np.array([False, True])
    broken.predict_proba.return_value = given
    with pytest.raises(CrivoError, match=said):
        predicting.table(broken, rows, features)
    with pytest.raises(CrivoError, match=said):
        list(training_losses(broken, features, rows["target"]))
    refusing = Mock(spec=["predict"], **{"predict.side_effect": LookupError("no\n" * 100)})
    with pytest.raises(CrivoError, match=rf"refuses the rows to evaluate \({'no ' * 66}no\); ch"):
        predicting.tables((refusing, None), rows, features)
    with pytest.raises(CrivoError, match="contain the label 'd'; the classes are 'a', 'b'"):
        class_codes(["b", "d"], ["a", "b"])
