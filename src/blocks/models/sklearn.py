"""Any scikit-learn compatible estimator, by its dotted name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationInfo, field_validator

from crivo.core.blocks import Model, Names, Training, block
from crivo.core.errors import CrivoError
from crivo.core.problems import did_you_mean
from crivo.core.schema import Task
from crivo.core.tasks import by_estimator

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.base import BaseEstimator

# What libraries raise for settings or rows that they don't take.
REFUSALS = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)


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
        from crivo.training.estimators import unseeded

        kind = self._find()
        settings = self._checked_settings(kind)
        try:
            estimator = kind(**settings)
            estimator.set_params(**dict.fromkeys(unseeded(estimator.get_params()), seed))
        except REFUSALS as error:
            raise self._refused(error) from None
        self._check_kind(estimator, task)
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

        try:
            estimator.fit(features, target)
        except REFUSALS as error:
            raise self._refused(error) from None
        last = estimator[-1] if self.encode else estimator
        if "n_jobs" in last.get_params(deep=False):
            last.set_params(n_jobs=None)  # on several cores the order of a sum shows in it
        parse_model(dump_model(estimator), self.estimator)
        return estimator

    def _find(self) -> Any:
        """Return the class of the dotted name; CrivoError when it is no estimator's."""
        import importlib
        import inspect

        module_name, _, name = self.estimator.rpartition(".")
        try:
            module = importlib.import_module(module_name)
        except ImportError as error:
            raise CrivoError(
                f"models.sklearn.estimator is {self.estimator!r}, and {module_name} can't be "
                f"imported ({error}); correct the name, or install the package."
            ) from None
        estimators = [
            known
            for known, kind in inspect.getmembers(module, inspect.isclass)
            if all(hasattr(kind, method) for method in ("fit", "predict", "_get_param_names"))
        ]
        if name not in estimators:
            hint = did_you_mean(name, estimators)
            raise CrivoError(
                f"models.sklearn.estimator is {self.estimator!r}, which is no estimator with fit "
                f"and predict{hint} (in {module_name}: {', '.join(estimators) or 'none'})."
            )
        return getattr(module, name)

    def _checked_settings(self, kind: Any) -> dict[str, Any]:
        from crivo.training.estimators import settings_of

        known = kind._get_param_names()
        settings = settings_of(self.settings, self.estimator, self.packages)
        for name in settings:
            if name not in known:
                raise CrivoError(
                    f"models.sklearn.settings.{name}: {self.estimator} has no such setting"
                    f"{did_you_mean(name, known)} (settings: {', '.join(known)}). Those of another "
                    "estimator belong below its class's name."
                )
        return settings

    def _check_kind(self, estimator: Any, task: Task) -> None:
        from sklearn.base import is_classifier, is_regressor

        fits = by_estimator(task, classifier=is_classifier, regressor=is_regressor)
        if not fits(estimator):
            wanted = by_estimator(task, classifier="classifier", regressor="regressor")
            raise CrivoError(
                f"models.sklearn.estimator: the task is {task} and {self.estimator} is no "
                f"{wanted}; name a {wanted}."
            )

    def _refused(self, error: Exception) -> CrivoError:
        reason = " ".join(str(error).split())
        return CrivoError(
            f"{self.estimator} refused its settings or the training rows: {reason} "
            "Correct models.sklearn."
        )
