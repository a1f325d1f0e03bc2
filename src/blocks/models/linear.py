"""Logistic or ridge regression on scaled, one-hot encoded inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from crivo import Count, Model, Positive, Task, block, by_estimator

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


@block
class Linear(Model):
    """A weighted sum of the inputs. Missing numbers become the median, and a column marks them.

    `C`: the inverse of the ridge penalty's weight; a smaller value shrinks the coefficients more.
    `text`: the pieces that a text is cut into (`words`, `characters` or `both`); each piece gets a
    weight.
    """

    takes_text = True

    C: Positive = 1.0
    max_iter: Count = 200
    text: Literal["words", "characters", "both"] = "words"

    def build(self, task: Task, seed: int) -> BaseEstimator:
        """Return a pipeline: impute, scale and one-hot encode, then the regression."""
        from sklearn.linear_model import LogisticRegression, Ridge
        from sklearn.pipeline import make_pipeline

        from crivo import numeric_inputs

        regression = by_estimator(
            task,
            classifier=LogisticRegression(C=self.C, max_iter=self.max_iter, random_state=seed),
            regressor=Ridge(alpha=1 / self.C, random_state=seed),
        )
        return make_pipeline(numeric_inputs(text=self.text), regression)
