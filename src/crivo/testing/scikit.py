"""Runs scikit-learn's own `check_estimator` on what models and featurizers build.

It hands over bare arrays. An estimator that takes arrays is checked as it is. A model that
tells numbers from categories, or a featurizer that knows its columns by name, needs a table:
one step in front, `AsTable`, makes one of the array, and the pipeline of both is checked.
That step refuses missing values, sparse and complex arrays itself; how the block takes missing
values is checked by the contract suites, with real tables.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype
from sklearn.base import BaseEstimator, TransformerMixin, clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted, validate_data

from crivo.core.predictions import stable_hash
from crivo.core.schema import Type
from crivo.testing.contract import promise

# What scikit-learn's own Pipeline fails by its design, whatever its steps are.
OF_PIPELINES = {
    "check_estimators_overwrite_params": "a scikit-learn Pipeline fits its steps in place",
    "check_dont_overwrite_parameters": "a scikit-learn Pipeline fits its steps in place",
}

# What no featurizer can pass: it gives a table, and a table has a type for each column.
OF_FEATURIZERS = {
    "check_transformer_preserve_dtypes": "a featurizer gives a DataFrame, not an array of one type"
}

# A model is told its task: how many classes there are is settled before it is built.
OF_TWO_CLASSES = {
    "check_classifier_not_supporting_multiclass": "a model of a binary task never gets three"
}


def _levels(values: np.ndarray) -> list[str]:
    return [f"l{value:.0f}" for value in values]


# How a number stands for a value of each type.
MADE: dict[str, Callable[[np.ndarray], Any]] = {
    "number": lambda values: values,
    "boolean": lambda values: values > 0,
    "category": _levels,
    "text": lambda values: [f"some words about {level}" for level in _levels(values)],
    "date": lambda values: pd.Timestamp("2020-01-01") + pd.to_timedelta(values % 1000 // 1, "D"),
}


class AsTable(TransformerMixin, BaseEstimator):
    """Makes a DataFrame of an array: one column for each, or the named columns of their types.

    >>> AsTable(columns={"a": "number", "b": "category", "c": "date"}).fit_transform([[1, 2]])
       a   b          c
    0  1  l2 2020-01-02
    """

    def __init__(self, columns: Mapping[str, Type] | None = None) -> None:
        self.columns = columns

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the array's width."""
        validate_data(self, X)
        return self

    def transform(self, X: Any) -> pd.DataFrame:
        """Return the array's columns under their names."""
        check_is_fitted(self)
        values = validate_data(self, X, reset=False)
        width = values.shape[1]
        kinds = self.columns or dict.fromkeys(self.get_feature_names_out(), "number")
        columns = {name: values[:, i % width] for i, name in enumerate(kinds)}
        return pd.DataFrame({name: MADE[kinds[name]](column) for name, column in columns.items()})

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns that `transform` gives."""
        names = self.columns
        if names is None:
            return np.asarray([f"x{i}" for i in range(self.n_features_in_)], dtype=object)
        return np.asarray(list(names), dtype=object)


class AsNumbers(TransformerMixin, BaseEstimator):
    """Makes an array of a table, categories by their codes: scikit-learn's checks subtract."""

    def fit(self, X: pd.DataFrame, y: Any = None) -> Self:
        """Remember the table's width."""
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: pd.DataFrame) -> np.ndarray:
        """Return the columns as numbers."""
        return np.column_stack([_as_number(X[name]) for name in X]).astype(float)


def _as_number(values: pd.Series) -> Any:
    """Return numbers as they are, and each level or text as a number that is its own."""
    if is_numeric_dtype(values.dtype):
        return values
    return [float(stable_hash(str(value)) % 1000) for value in values]


class TwoClassPipeline(Pipeline):
    """A pipeline built for a binary task: it need not take three classes."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def follows_scikit_learn(
    estimator: BaseEstimator,
    columns: Mapping[str, Type] | None = None,
    expected_failures: Mapping[str, str] | None = None,
    *,
    two_classes: bool = False,
) -> None:
    """Raise BrokenPromise with the first failure of scikit-learn's `check_estimator`.

    `columns` are the columns that the estimator wants, with their types; `expected_failures` names
    checks that it fails for a good reason, and the reason; behind a table, an estimator made for
    `two_classes` is not given three.
    """
    expected = dict(expected_failures or {})
    if columns is not None or not _takes_arrays(estimator):
        steps = estimator.steps if isinstance(estimator, Pipeline) else [("built", estimator)]
        kind = TwoClassPipeline if two_classes else Pipeline
        numbers = [] if columns is None or not _typed(columns) else [("numbers", AsNumbers())]
        estimator = kind([("table", AsTable(columns)), *steps, *numbers])
    if isinstance(estimator, TwoClassPipeline):
        expected = OF_TWO_CLASSES | expected
    if isinstance(estimator, Pipeline):
        expected = OF_PIPELINES | (OF_FEATURIZERS if columns is not None else {}) | expected
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(
            estimator, expected_failed_checks=expected, on_skip=None, on_fail=None
        )
    failed = [result for result in results if result["status"] == "failed"]
    names = list(dict.fromkeys(result["check_name"] for result in failed))
    promise(
        not failed,
        f"it fails {', '.join(names)}; the first says: {_said(failed)}. If that is right for "
        "this block, give expected_failures={check: reason}.",
    )


def _typed(columns: Mapping[str, Type]) -> bool:
    return set(columns.values()) != {"number"}


def _takes_arrays(estimator: BaseEstimator) -> bool:
    """Tell whether a copy can be fitted on an array instead of a table."""
    values = np.random.default_rng(0).normal(size=(60, 3))
    target = np.arange(60) % 2 if is_classifier(estimator) else values[:, 0]
    try:
        clone(estimator).fit(values, target)
    except Exception:  # any reason means: not with an array
        return False
    return True


def _said(failed: list[dict[str, Any]]) -> str:
    if not failed:
        return ""
    error = failed[0]["exception"]
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:300].rstrip(".")
