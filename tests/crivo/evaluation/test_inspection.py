"""How a held-out loss fell, and importances: their errors, and which ranks are left open."""

import math
from types import SimpleNamespace

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
from tests.crivo.evaluation.tables import noting

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


@pytest.mark.parametrize(
    ("classes", "columns", "rows", "in_curve"),
    [(2, 10, 1000, 4000), (0, 100, 500, 4000), (4, 25, 500, 1000), (100, 25, 50, 50)],
)
def test_explanations_use_few_rows_and_fewer_for_many_features_or_classes(
    classes: int, columns: int, rows: int, in_curve: int
) -> None:
    """A feature with one value has no other rows when it is shuffled."""
    (model, asked), target = noting(classes), pd.Series(0, range(5000))
    constant = pd.DataFrame(0, target.index, range(columns))
    learning_curve(model, constant, target)
    permutation_importance(model, constant, target, seed=1)
    assert [len(one) for one in asked[:2]] == [in_curve, rows]


@pytest.mark.parametrize(("part", "is_idle"), [(0.006, True), (0.009, False)])
def test_a_feature_is_idle_if_it_costs_a_hundredth_of_the_gain(part: float, is_idle: bool) -> None:
    """Without it, the root mean squared error is the root of 2 times its part of the target."""
    model, target = LinearRegression(), X["signal"] + part * X["noise"]
    found = permutation_importance(model.fit(X, target), X, target, seed=1).set_index("feature")
    assert found["idle"].to_dict() == {"signal": False, "noise": is_idle}


def test_features_that_replace_each_other_are_not_idle_together() -> None:
    """The median of three columns can do without any one of them."""
    median = SimpleNamespace(predict=lambda rows: np.median(rows, axis=1))
    signal = pd.Series(np.random.default_rng(0).normal(size=400))
    copies = pd.DataFrame({"a": signal, "b": signal, "c": signal})
    found = permutation_importance(median, copies, signal, seed=1)
    assert found["loss_increase"].tolist() == [0, 0, 0]
    assert found["idle"].tolist() == [False, False, True]


LABELS = np.array(["a", "b"])


def test_the_loss_of_classes_is_bounded() -> None:
    # The second class is never said, the third was never learnt: as if the score were 2^-52.
    scores = [[1 + 1e-9, 0], [1 + 1e-9, 0], [0.5, 0.5]]
    stages = {"predict_proba": None, "staged_predict_proba": lambda rows: [np.array(scores)]}
    model = SimpleNamespace(classes_=LABELS, **stages)
    curve = learning_curve(model, X.head(3), pd.Series(["a", "b", "c"]))
    assert curve["loss"].tolist() == pytest.approx([(0 + 52 + 52) * math.log(2) / 3], abs=1e-12)


def test_the_loss_of_labels_alone_is_the_share_of_errors() -> None:
    stages = [np.array(["a", "a"]), LABELS]
    model = SimpleNamespace(classes_=LABELS, staged_predict=lambda rows: stages)
    curve = learning_curve(model, X.head(2), pd.Series(LABELS))
    assert curve["loss"].tolist() == [0.5, 0]


@pytest.mark.parametrize("model", [DummyClassifier(), LinearRegression()])
def test_a_model_without_iterations_has_an_empty_curve(model) -> None:
    curve = learning_curve(model.fit(X, Y), X, Y)
    assert list(curve.columns) == ["iteration", "loss"]
    assert len(curve) == 0


def test_the_error_of_an_importance_is_the_jackknife_s_over_clusters() -> None:
    """Clusters' means 1, 2, 3 of two rows each: without one 2.5, 2 and 1.5; se² = 2/3 · 0.5."""
    losses = np.array([[1.0] * 6, [2, 2, 2, 4, 4, 4]])
    clusters = pd.Categorical([0, 0, 1, 1, 2, 2])
    found = importance_table(pd.Index(["x"]), losses, clusters, np.asarray).iloc[0]
    se = math.sqrt(2 / 3 * 0.5)
    reach = t.ppf(0.975, 2) * se
    assert found.tolist() == ["x", 2, *(pytest.approx(one) for one in (se, 2 - reach, 2 + reach))]
