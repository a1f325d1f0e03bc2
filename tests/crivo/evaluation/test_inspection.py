"""What a model listens to, and how its held-out loss fell."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import inspection
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression
from sklearn.svm import LinearSVC

from crivo.evaluation.inspection import learning_curve, permutation_importance

rng = np.random.default_rng(0)
X = pd.DataFrame({"noise": rng.normal(size=400), "signal": rng.normal(size=400)})
Y = X["signal"] > 0


@pytest.mark.parametrize("model", [HistGradientBoostingClassifier(max_iter=20), LinearSVC()])
def test_the_feature_that_decides_comes_first(model) -> None:
    found = permutation_importance(model.fit(X, Y), X, Y, seed=1)
    assert found["feature"].tolist() == ["signal", "noise"]
    assert found["loss_increase"].iloc[0] > 0.1


@pytest.mark.parametrize(
    ("model", "target", "scoring"),
    [
        (HistGradientBoostingClassifier(max_iter=20, random_state=0), Y, "neg_log_loss"),
        (LinearSVC(), Y, "accuracy"),
        (LinearRegression(), X["signal"], "neg_root_mean_squared_error"),
    ],
)
def test_the_loss_grows_as_scikit_learn_says(model, target: pd.Series, scoring: str) -> None:
    model.fit(X, target)
    ours = permutation_importance(model, X, target, seed=1).set_index("feature")["loss_increase"]
    theirs = inspection.permutation_importance(
        model, X, target, scoring=scoring, n_repeats=30, random_state=0
    )
    assert ours["signal"] == pytest.approx(theirs.importances_mean[1], rel=0.2)
    assert ours.tolist() == ours.round(10).tolist()


class Asked:
    """A classifier that knows nothing and notes the places of the rows it is asked about."""

    def __init__(self, classes: int) -> None:
        self.classes_ = np.arange(classes)
        self.places: list[int] = []

    def predict_proba(self, rows: pd.DataFrame) -> np.ndarray:
        assert rows.index.is_unique
        self.places = rows["place"].tolist()
        return np.full((len(rows), len(self.classes_)), 1 / len(self.classes_))

    def staged_predict_proba(self, rows: pd.DataFrame) -> Iterator[np.ndarray]:
        yield self.predict_proba(rows)


def test_the_curve_has_a_held_out_loss_for_each_iteration() -> None:
    model = HistGradientBoostingClassifier(max_iter=12).fit(X, Y)
    curve = learning_curve(model, X, Y)
    assert curve["iteration"].tolist() == list(range(12))
    assert curve["loss"].iloc[-1] < curve["loss"].iloc[0]


class Staged:
    """A model of two iterations."""

    def __init__(self, *stages: list[Any]) -> None:
        self.stages = stages

    def staged_predict(self, rows: pd.DataFrame) -> Iterator[np.ndarray]:
        return (np.array(stage) for stage in self.stages[: len(rows)])


class Labelled(Staged):
    classes_ = np.array(["a", "b"])


class Scored(Labelled):
    staged_predict_proba = Staged.staged_predict


def test_the_loss_of_numbers_is_their_root_mean_squared_error() -> None:
    curve = learning_curve(Staged([0, 2], [1, 5]), X.head(2), pd.Series([1, 5]))
    assert curve["loss"].tolist() == [math.sqrt((1 + 9) / 2), 0]


def test_the_loss_of_classes_is_bounded() -> None:
    # The second class is never said, the third was never learnt: as if the score were 2^-52.
    scores = [[1 + 1e-9, 0], [1 + 1e-9, 0], [0.5, 0.5]]
    curve = learning_curve(Scored(scores), X.head(3), pd.Series(["a", "b", "c"]))
    assert curve["loss"].tolist() == pytest.approx([(0 + 52 + 52) * math.log(2) / 3], abs=1e-12)


@pytest.mark.parametrize("model", [DummyClassifier(), LinearRegression(), Labelled(["a"], ["b"])])
def test_a_model_without_iterations_or_scores_of_them_has_an_empty_curve(model) -> None:
    if not isinstance(model, Labelled):
        model.fit(X, Y)
    curve = learning_curve(model, X, Y)
    assert list(curve.columns) == ["iteration", "loss"]
    assert len(curve) == 0
