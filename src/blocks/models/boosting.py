"""Histogram gradient boosting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from crivo import (
    Count,
    CountOrNone,
    Model,
    Positive,
    PositiveOrZero,
    Task,
    Training,
    block,
    by_estimator,
)

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.base import BaseEstimator


@block
class Boosting(Model):
    """Gradient-boosted trees, which accept missing values and categories.

    `max_features`: the share of the inputs that each split may use; they are drawn at random for
    each split. `early_stopping`: stop after this many iterations without a gain on the rows set
    aside for it (`train.early_stopping_fraction`, cut from the training rows by time or group), and
    keep the iterations up to the best one; 0 turns early stopping off.
    """

    learning_rate: Positive = 0.1
    max_iter: Count = 200
    max_leaf_nodes: Annotated[int, Field(ge=2, lt=2**31)] = 31
    min_samples_leaf: Count = 20
    l2_regularization: PositiveOrZero = 0.0
    max_features: Annotated[float, Field(gt=0, le=1)] = 1.0
    early_stopping: CountOrNone = 0

    def build(self, task: Task, seed: int) -> BaseEstimator:
        """Return scikit-learn's histogram boosting for the task."""
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        kind = by_estimator(
            task,
            classifier=HistGradientBoostingClassifier,
            regressor=HistGradientBoostingRegressor,
        )
        return kind(
            learning_rate=self.learning_rate,
            max_iter=self.max_iter,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
            l2_regularization=self.l2_regularization,
            max_features=self.max_features,
            early_stopping=self.early_stopping > 0,
            n_iter_no_change=max(1, self.early_stopping),
            categorical_features="from_dtype",
            random_state=seed,
        )

    def fit(
        self,
        estimator: BaseEstimator,
        features: pd.DataFrame,
        target: pd.Series,
        training: Training,
    ) -> BaseEstimator:
        """Fit on all training rows or, with early stopping, on those that it doesn't monitor."""
        if not self.early_stopping:
            return estimator.fit(_filled(features, features), target)
        teach = training.fit_mask(estimator, target)
        known = _filled(features, features[teach])
        estimator.fit(known[teach], target[teach], X_val=known[~teach], y_val=target[~teach])
        return _until_the_best(estimator)


def _filled(features: pd.DataFrame, fitted: pd.DataFrame) -> pd.DataFrame:
    """Return the features; numbers that are missing in all fitted rows are replaced by 0.

    scikit-learn can't bin a column without any value. A column of zeros is never used for a split.
    """
    numbers = fitted.select_dtypes("number")
    empty = numbers.columns[numbers.isna().all()]
    filled = features.copy(deep=False)
    for name in empty:
        filled[name] = 0.0
    return filled


def _until_the_best(estimator: Any) -> BaseEstimator:
    """Remove the iterations after the best one on the monitored rows from histogram boosting.

    The first score is the score before any iteration.
    """
    best = max(1, int(estimator.validation_score_.argmax()))
    estimator._predictors = estimator._predictors[:best]
    for name in ("train_score_", "validation_score_"):
        setattr(estimator, name, getattr(estimator, name)[: best + 1])
    return estimator
