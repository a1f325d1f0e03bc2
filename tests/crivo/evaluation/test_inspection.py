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


def test_the_same_seed_gives_the_same_table() -> None:
    model = HistGradientBoostingClassifier(max_iter=5).fit(X, Y)
    one, two = (permutation_importance(model, X, Y, seed=3) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)


def test_a_feature_that_is_not_used_explains_nothing() -> None:
    model = DummyClassifier(strategy="prior").fit(X, Y)
    found = permutation_importance(model, X[["signal", "noise"]], Y, seed=1)
    assert found["loss_increase"].tolist() == [0, 0]
    assert found["feature"].tolist() == ["noise", "signal"]


def test_a_feature_that_is_not_used_explains_nothing_beside_one_that_is() -> None:
    rows = X[["signal", "noise"]]
    model = LinearRegression().fit(rows.assign(noise=0.0), X["signal"])
    found = permutation_importance(model, rows, X["signal"], seed=1)
    assert found.set_index("feature")["loss_increase"]["noise"] == 0


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


@pytest.mark.parametrize(
    ("classes", "rows"),
    [
        (2, 1000),  # 2,000 rows would do
        (10, 200),  # 50,000 predictions of 10 classes for 25 features
        (50, 50),  # 40 would be too few
    ],
)
def test_many_classes_and_features_take_fewer_rows(classes: int, rows: int) -> None:
    model = Asked(classes)
    wide = pd.DataFrame({"place": range(1200)} | {f"x{i}": 0 for i in range(24)})
    permutation_importance(model, wide, pd.Series(np.zeros(1200)), seed=1)
    assert len(set(model.places)) == rows


@pytest.mark.parametrize(("rows", "shuffles"), [(500, 2), (501, 1), (1200, 1)])
def test_few_rows_are_shuffled_twice(rows: int, shuffles: int) -> None:
    model = Asked(2)
    table = pd.DataFrame({"place": range(rows)})
    permutation_importance(model, table, pd.Series(np.zeros(rows)), seed=1)
    again = len(model.places) - min(rows, 1000)
    # a shuffled row that gets its own value is no other row: one of each shuffle on average
    assert shuffles * min(rows, 1000) - 10 < again <= shuffles * min(rows, 1000)


def test_a_row_that_is_as_it_was_is_not_asked_about_again() -> None:
    class Remembers(Asked):
        def predict_proba(self, rows: pd.DataFrame) -> np.ndarray:
            self.rows = rows
            return super().predict_proba(rows)

    model, count = Remembers(2), 400
    table = pd.DataFrame(
        {
            "place": range(count),
            "twin": range(count),
            "constant": 1.5,
            "gaps": [np.nan] * count,
            "kind": pd.Categorical(["a", None] * (count // 2)),
            "text": pd.Series(["one", "two"] * (count // 2), dtype="str"),
        }
    )
    permutation_importance(model, table, pd.Series(np.zeros(count)), seed=1)
    assert model.rows.dtypes.equals(table.dtypes)
    assert not model.rows.iloc[count:].merge(table).shape[0]
    pd.testing.assert_frame_equal(model.rows.iloc[:count], table)


@pytest.mark.parametrize(("classes", "rows"), [(2, 4000), (3, 1333), (4, 1000), (100, 50)])
def test_many_classes_take_fewer_rows_of_the_curve(classes: int, rows: int) -> None:
    model = Asked(classes)
    learning_curve(model, pd.DataFrame({"place": range(4500)}), pd.Series(np.zeros(4500)))
    assert len(model.places) == rows


def test_rows_are_taken_evenly_from_the_first_to_the_last() -> None:
    model = Asked(4)
    learning_curve(model, pd.DataFrame({"place": range(1999)}), pd.Series(np.zeros(1999)))
    assert model.places == list(range(0, 1999, 2))


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
