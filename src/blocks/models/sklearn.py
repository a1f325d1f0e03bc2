"""Any scikit-learn compatible estimator, by its dotted name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationInfo, field_validator

from crivo.core.blocks import Model, Names, Training, block
from crivo.core.schema import Task

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.base import BaseEstimator


@block
class Sklearn(Model):
    """Takes an estimator from a library: `estimator: sklearn.svm.SVC`, with its own `settings`.

    `settings`: those below the name of a class, `SVC: {C: 10}`, are for that estimator alone, so
    that `estimator` can change by itself; others are for any. Its package must be one of
    `packages`. `encode`: fill gaps, scale numbers, one-hot encode categories and weigh the words
    of text first, which most estimators need; false for one that takes a DataFrame with missing
    values and pandas categories.
    """

    takes_text = True

    packages: Names = ("sklearn",)
    estimator: str = "sklearn.tree.DecisionTreeClassifier"
    settings: dict[str, Any] = Field(default_factory=dict)
    encode: bool = True

    @field_validator("estimator")
    @classmethod
    def _allowed(cls, estimator: str, info: ValidationInfo) -> str:
        packages = info.data.get("packages", ())
        if not re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)+", estimator):
            raise ValueError("must be a dotted name, such as sklearn.svm.SVC")
        if not any(estimator.startswith(f"{package}.") for package in packages):
            allowed = ", ".join(packages) or "none"
            raise ValueError(f"must come from a package that `packages` lists ({allowed})")
        return estimator

    @field_validator("settings")
    @classmethod
    def _seeded(cls, settings: dict[str, Any]) -> dict[str, Any]:
        from crivo.training.estimators import unseeded

        for name in unseeded(settings):
            raise ValueError(
                f"must give {name} a number, or leave it out for the `seed` of params.yaml: with "
                "null each run would draw others"
            )
        return settings

    def build(self, task: Task, seed: int) -> BaseEstimator:
        """Return the estimator, behind an encoding unless it is switched off."""
        from sklearn.pipeline import make_pipeline

        from crivo.core.inputs import numeric_inputs
        from crivo.training.estimators import make_estimator, settings_of

        settings = settings_of(self.settings, self.estimator, self.packages)
        estimator = make_estimator(self.estimator, settings, task, seed)
        return make_pipeline(numeric_inputs(dense=True), estimator) if self.encode else estimator

    def fit(
        self,
        estimator: BaseEstimator,
        features: pd.DataFrame,
        target: pd.Series,
        training: Training,
    ) -> BaseEstimator:
        """Fit on the training rows; CrivoError when it refuses them or can't be stored safely."""
        from crivo.core.modelfile import dump_model, parse_model
        from crivo.training.estimators import REFUSALS, refused

        try:
            estimator.fit(features, target)
        except REFUSALS as error:
            raise refused(self.estimator, error) from None
        last = estimator[-1] if self.encode else estimator
        if "n_jobs" in last.get_params(deep=False):
            last.set_params(n_jobs=None)  # on several cores the order of a sum shows in it
        parse_model(dump_model(estimator), self.estimator)
        return estimator
