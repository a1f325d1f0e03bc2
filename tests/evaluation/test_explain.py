"""What a model listens to, and how its held-out loss fell."""

import numpy as np
import pandas as pd
import pytest
from sklearn import inspection
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.svm import LinearSVC

from crivo.evaluation.explain import learning_curve, permutation_importance

rng = np.random.default_rng(0)
X = pd.DataFrame({"noise": rng.normal(size=400), "signal": rng.normal(size=400)})
Y = X["signal"] > 0


@pytest.mark.parametrize("model", [HistGradientBoostingClassifier(max_iter=20), LinearSVC()])
def test_the_feature_that_decides_comes_first(model) -> None:
    found = permutation_importance(model.fit(X, Y), X, Y, seed=1)
    assert found["feature"].tolist() == ["signal", "noise"]
    assert found["loss_increase"].iloc[0] > 0.1


def test_regression_is_explained_by_its_squared_error() -> None:
    model = HistGradientBoostingRegressor(max_iter=20).fit(X, X["signal"])
    found = permutation_importance(model, X, X["signal"], seed=1)
    assert found["feature"].iloc[0] == "signal"


def test_the_same_seed_gives_the_same_table() -> None:
    model = HistGradientBoostingClassifier(max_iter=5).fit(X, Y)
    one, two = (permutation_importance(model, X, Y, seed=3) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)


def test_a_feature_that_is_not_used_explains_nothing() -> None:
    model = DummyClassifier(strategy="prior").fit(X, Y)
    assert permutation_importance(model, X, Y, seed=1)["loss_increase"].tolist() == [0, 0]


def test_the_loss_grows_as_scikit_learn_says() -> None:
    model = HistGradientBoostingClassifier(max_iter=20, random_state=0).fit(X, Y)
    ours = permutation_importance(model, X, Y, seed=1).set_index("feature")["loss_increase"]
    theirs = inspection.permutation_importance(
        model, X, Y, scoring="neg_log_loss", n_repeats=30, random_state=0
    )
    assert ours["signal"] == pytest.approx(theirs.importances_mean[1], rel=0.2)


def test_many_classes_and_features_take_fewer_rows() -> None:
    wide = pd.DataFrame(rng.normal(size=(400, 300))).rename(columns=str)
    model = DummyClassifier().fit(wide, np.arange(400) % 40)
    assert len(permutation_importance(model, wide, pd.Series(np.arange(400) % 40), seed=1)) == 300


def test_the_curve_has_a_held_out_loss_for_each_iteration() -> None:
    model = HistGradientBoostingClassifier(max_iter=12).fit(X, Y)
    curve = learning_curve(model, X, Y)
    assert curve["iteration"].tolist() == list(range(12))
    assert curve["loss"].iloc[-1] < curve["loss"].iloc[0]


def test_a_model_without_iterations_has_an_empty_curve() -> None:
    curve = learning_curve(DummyClassifier().fit(X, Y), X, Y)
    assert list(curve.columns) == ["iteration", "loss"]
    assert len(curve) == 0
