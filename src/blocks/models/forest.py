"""A random forest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from crivo import Count, Model, Task, Training, block, by_estimator

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.base import BaseEstimator


@block
class Forest(Model):
    """Averages deep trees grown on bootstrap samples, and accepts missing values.

    `max_samples`: the share of the rows that each tree sees; `max_features`: the share of the
    features tried at each split.
    """

    trees: Count = 100
    min_samples_leaf: Count = 20
    max_features: Annotated[float, Field(gt=0, le=1)] = 0.3
    max_samples: Annotated[float, Field(gt=0, le=1)] = 0.5

    def build(self, task: Task, seed: int) -> BaseEstimator:
        """Return a pipeline: categories as numbers, then the forest."""
        from sklearn.compose import make_column_selector, make_column_transformer
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OrdinalEncoder

        encode = make_column_transformer(
            (
                OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
                make_column_selector(dtype_include="category"),
            ),
            remainder="passthrough",
        )
        kind = by_estimator(
            task, classifier=RandomForestClassifier, regressor=RandomForestRegressor
        )
        forest = kind(
            n_estimators=self.trees,
            min_samples_leaf=self.min_samples_leaf,
            max_features=self.max_features,
            max_samples=self.max_samples,
            random_state=seed,
        )
        return make_pipeline(encode, forest)

    def fit(
        self,
        estimator: BaseEstimator,
        features: pd.DataFrame,
        target: pd.Series,
        training: Training,
    ) -> BaseEstimator:
        """Grow the trees on several cores, but predict on one.

        The order in which the trees' predictions are added up changes the last digits.
        """
        forest = estimator[-1]
        forest.set_params(n_jobs=training.threads)
        estimator.fit(features, target)
        forest.set_params(n_jobs=1)
        return estimator
