"""scikit-learn's own checks are run on what blocks build, tables or arrays."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from crivo.testing.contract import BrokenPromise
from crivo.testing.scikit import AsTable, follows_scikit_learn


class Forgetful(RegressorMixin, BaseEstimator):
    """Fits without remembering how many features there were."""

    def fit(self, X, y):
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


def test_an_estimator_of_arrays_is_checked_as_it_is() -> None:
    follows_scikit_learn(DummyRegressor())


def test_an_estimator_of_tables_is_checked_behind_a_step_that_makes_one() -> None:
    scale = make_column_transformer((StandardScaler(), make_column_selector()))
    follows_scikit_learn(make_pipeline(scale, Ridge()))


def test_the_checks_that_fail_are_named() -> None:
    with pytest.raises(BrokenPromise, match=r"it fails check_.*check_n_features_in"):
        follows_scikit_learn(Forgetful())


def test_a_failure_that_is_expected_for_a_reason_is_no_finding() -> None:
    with pytest.raises(BrokenPromise) as error:
        follows_scikit_learn(Forgetful())
    names = str(error.value).split(";")[0].removeprefix("it fails ").split(", ")
    follows_scikit_learn(Forgetful(), expected_failures=dict.fromkeys(names, "it is meant so"))


def test_an_array_becomes_a_table_with_the_columns_asked_for() -> None:
    columns = {"a": "number", "b": "category", "c": "boolean", "d": "date", "e": "text"}
    table = AsTable(columns=columns).fit_transform(np.array([[1.0, 2.0], [-3.0, 4.0]]))
    assert table.to_dict("list") == {
        "a": [1.0, -3.0],
        "b": ["l2", "l4"],
        "c": [True, False],
        "d": [pd.Timestamp("2020-01-03"), pd.Timestamp("2020-01-05")],
        "e": ["some words about l1", "some words about l-3"],
    }
