"""The trivial baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crivo import Model, Task, block, by_estimator

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


@block
class Prior(Model):
    """Predicts the same value for every row: the class shares or the mean of the training rows."""

    takes_text = True

    def build(self, task: Task, seed: int) -> BaseEstimator:
        """Return scikit-learn's dummy classifier or regressor."""
        from sklearn.dummy import DummyClassifier, DummyRegressor

        classifier = DummyClassifier(strategy="prior", random_state=seed)
        return by_estimator(task, classifier=classifier, regressor=DummyRegressor(strategy="mean"))
