"""Wrappers for gradient boosting libraries: plain feature names, numbered classes.

Fitted models hold these classes, so `train` runs them and so does whoever loads a model.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted


class NumberedColumns(TransformerMixin, BaseEstimator):
    """Renames the columns to `f0`, `f1` and so on: libraries refuse names such as `a[1]`.

    They refuse categories without a level, too, which say nothing and are left out.

    >>> NumberedColumns().fit_transform(pd.DataFrame({"a[1]": [3]})).columns.tolist()
    ['f0']
    """

    def fit(self, rows: pd.DataFrame, target: Any = None) -> Self:
        """Remember the names, so that columns in another order are put right."""
        self.feature_names_in_ = np.asarray(rows.columns, dtype="str")
        self.n_features_in_ = len(self.feature_names_in_)
        empty = rows.columns[[len(getattr(kind, "categories", "?")) == 0 for kind in rows.dtypes]]
        self.kept_ = rows.columns.difference(empty, sort=False).astype("str").tolist()
        return self

    def transform(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the columns of the training rows, renamed."""
        check_is_fitted(self)
        names = [f"f{i}" for i in range(len(self.kept_))]
        return rows[self.kept_].set_axis(names, axis="columns")


class NumberedClasses(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Gives a classifier the classes as 0, 1 and so on, and its answers back as they were."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, rows: pd.DataFrame, target: Any, **options: Any) -> Self:
        """Fit the classifier.

        Among its options, `eval_set` (pairs of rows and targets) and `eval_y` (targets) get
        their classes as numbers too.
        """
        self.classes_, codes = np.unique(np.asarray(target), return_inverse=True)
        if "eval_set" in options:
            options["eval_set"] = [(x, self._codes(y)) for x, y in options["eval_set"]]
        if "eval_y" in options:
            options["eval_y"] = tuple(self._codes(y) for y in options["eval_y"])
        self.estimator_ = clone(self.estimator).fit(rows, codes, **options)
        return self

    def predict(self, rows: pd.DataFrame) -> Any:
        """Return the most probable class of each row."""
        return self.classes_[self.predict_proba(rows).argmax(axis=1)]

    def predict_proba(self, rows: pd.DataFrame) -> Any:
        """Return the probability of each class, in the order of `classes_`."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(rows)

    def _codes(self, target: Any) -> Any:
        return np.searchsorted(self.classes_, np.asarray(target))
