"""How a held-out loss fell, and importances: their errors, and which ranks are left open."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from sklearn import inspection
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression
from sklearn.svm import LinearSVC

from crivo.evaluation.inspection import importance_table, learning_curve, permutation_importance

rng = np.random.default_rng(0)
X = pd.DataFrame({"noise": rng.normal(size=400), "signal": rng.normal(size=400)})
Y = X["signal"] > 0


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
        model, X, target, scoring=scoring, n_repeats=10, random_state=0
    )
    assert ours["signal"] == pytest.approx(theirs.importances_mean[1], rel=0.2)
    assert ours.tolist() == ours.round(10).tolist()


def test_the_curve_has_a_held_out_loss_for_each_iteration() -> None:
    model = HistGradientBoostingClassifier(max_iter=12).fit(X, Y)
    curve = learning_curve(model, X, Y)
    assert curve["iteration"].tolist() == list(range(12))
    assert curve["loss"].dtype == float  # else files would keep all digits
    assert curve["loss"].iloc[-1] < curve["loss"].iloc[0]


class Median:
    """A model that predicts the median of its columns: it can do without any one of three."""

    def predict(self, rows: pd.DataFrame) -> np.ndarray:
        return np.median(rows, axis=1)


def test_features_that_replace_each_other_are_not_idle_together() -> None:
    signal = pd.Series(np.random.default_rng(0).normal(size=400))
    copies = pd.DataFrame({"a": signal, "b": signal, "c": signal})
    found = permutation_importance(Median(), copies, signal, seed=1)
    assert found["loss_increase"].tolist() == [0, 0, 0]
    assert found["idle"].tolist() == [False, False, True]


class Staged:
    """A model of two iterations."""

    def __init__(self, *stages: list[Any]) -> None:
        self.stages = stages

    def staged_predict(self, rows: pd.DataFrame) -> Iterator[np.ndarray]:
        return (np.array(stage) for stage in self.stages[: len(rows)])


class Labelled(Staged):
    classes_ = np.array(["a", "b"])


class Scored(Labelled):
    predict_proba = staged_predict_proba = Staged.staged_predict


def test_the_loss_of_classes_is_bounded() -> None:
    # The second class is never said, the third was never learnt: as if the score were 2^-52.
    scores = [[1 + 1e-9, 0], [1 + 1e-9, 0], [0.5, 0.5]]
    curve = learning_curve(Scored(scores), X.head(3), pd.Series(["a", "b", "c"]))
    assert curve["loss"].tolist() == pytest.approx([(0 + 52 + 52) * math.log(2) / 3], abs=1e-12)


def test_the_loss_of_labels_alone_is_the_share_of_errors() -> None:
    curve = learning_curve(Labelled(["a", "a"], ["a", "b"]), X.head(2), pd.Series(["a", "b"]))
    assert curve["loss"].tolist() == [0.5, 0]


@pytest.mark.parametrize("model", [DummyClassifier(), LinearRegression()])
def test_a_model_without_iterations_has_an_empty_curve(model) -> None:
    curve = learning_curve(model.fit(X, Y), X, Y)
    assert list(curve.columns) == ["iteration", "loss"]
    assert len(curve) == 0


# --- the errors of importances ---


def groups(*codes: int) -> pd.Categorical:
    return pd.Categorical.from_codes(codes, [str(n) for n in range(max(codes) + 1)])


def table(growth: np.ndarray, of: pd.Categorical, repeats: int = 1) -> pd.DataFrame:
    """Return the importances of features whose rows' losses grow from 1 by so much."""
    names = pd.Index([f"x{n}" for n in range(len(growth))])
    copies = np.vstack([np.ones(growth.shape[1]), *(1 + growth for growth in growth)])
    copies = np.vstack([copies[:1], np.repeat(copies[1:], repeats, axis=0)])
    return importance_table(names, copies, of, np.asarray).set_index("feature")


def test_the_error_is_the_jackknife_s_over_clusters() -> None:
    """Clusters' means 1, 2, 3 of two rows each: without one 2.5, 2 and 1.5; se² = 2/3 · 0.5."""
    growth = np.array([[1.0, 1, 1, 3, 3, 3]])
    found = table(growth, groups(0, 0, 1, 1, 2, 2)).loc["x0"]
    se = math.sqrt(2 / 3 * 0.5)
    assert found["loss_increase"] == 2
    assert found["se"] == pytest.approx(se)
    reach = t.ppf(0.975, 2) * se
    ends = found[["loss_increase_low", "loss_increase_high"]].tolist()
    assert ends == pytest.approx([2 - reach, 2 + reach])
