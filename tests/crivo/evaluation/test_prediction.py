"""Predictions are in the order of the schema's classes, whatever the estimator's."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from crivo.core.errors import CrivoError
from crivo.core.schema import Task
from crivo.evaluation import predicting
from crivo.evaluation.predicting import Predicting, predict
from crivo.testing.fakes import example_features, example_rows, example_schema
from tests.crivo.schemas import few_columns

X = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0]})


def test_binary_scores_follow_the_schema_and_half_is_positive() -> None:
    schema = few_columns("yes", "no")
    model = DummyClassifier(strategy="prior").fit(X, ["yes", "yes", "no", "no"])
    labels, scores = predict(model, X, schema)
    assert labels.tolist() == ["no"] * 4
    np.testing.assert_allclose(scores, 0.5)
    model = DummyClassifier(strategy="prior").fit(X, ["yes", "yes", "yes", "no"])
    labels, scores = predict(model, X, schema)
    assert labels.tolist() == ["yes"] * 4
    assert scores[0].tolist() == [0.75, 0.25]


def test_a_class_that_was_never_taught_has_probability_zero() -> None:
    schema = few_columns("a", "b", "c")
    model = DummyClassifier(strategy="prior").fit(X, ["c", "c", "a", "c"])
    labels, scores = predict(model, X, schema)
    assert scores[0].tolist() == [0.25, 0.0, 0.75]
    none, scores = predict(model, X[:0], schema)
    assert (none.dtype, scores.shape) == (object, (0, 3))
    assert predict(model, X[:0], few_columns())[0].dtype == float
    assert labels.tolist() == ["c"] * 4


def test_a_model_may_know_the_classes_1_and_0_as_true_and_false() -> None:
    schema = few_columns(1, 0)
    model = DummyClassifier(strategy="prior").fit(X, [True, False, True, True])
    labels, scores = predict(model, X, schema)
    assert scores[0].tolist() == [0.75, 0.25]
    assert labels.tolist() == [1] * 4


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


class Broken:
    """A model that knows no probability for some rows."""

    classes_ = np.array([False, True])

    def predict_proba(self, features: pd.DataFrame) -> np.ndarray:
        return np.full((len(features), 2), np.nan)


def test_a_model_that_gives_no_probability_is_refused() -> None:
    rows = example_rows("binary", 60)
    with pytest.raises(CrivoError, match="values of score that aren't finite numbers .60 of"):
        Predicting(example_schema("binary")).table(Broken(), rows, example_features(rows))
    with pytest.raises(CrivoError, match="refuses the rows to evaluate .*NoneType"):
        Predicting(example_schema("binary")).tables((None, None), rows, example_features(rows))
