"""`EstimatorModel`: a model block for any estimator, by its dotted name (`model: sklearn`)."""

from __future__ import annotations

import difflib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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
# The names of classes; those of settings are shorter (C) or begin with a small letter.
CLASS_NAME = re.compile(r"[A-Z]\w+")
# The characters of a library's error that are shown: a stack of calls may follow.
MAX_REASON = 400
# From this similarity on the name of a class looks like a misspelling of another.
NEAR = 0.8


@block
class EstimatorModel(Model):
    """An estimator chosen by its dotted name; `src/blocks/models/sklearn.py` defines a subclass."""

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

    def build(self, task: Task, seed: int) -> BaseEstimator:
        """Return the estimator, behind an encoding unless it is switched off."""
        from sklearn.pipeline import make_pipeline

        from crivo.core.inputs import numeric_inputs

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
        from crivo.modelfile.canonical import dump_model, parse_model

        with refusing(self.estimator, "models.sklearn", REFUSALS):
            estimator.fit(features, target)
        last = estimator[-1] if self.encode else estimator
        if "n_jobs" in last.get_params(deep=False):
            last.set_params(n_jobs=None)  # on several cores the order of a sum shows in it
        parse_model(dump_model(estimator), self.estimator)
        return estimator


def settings_of(
    settings: Mapping[str, Any], estimator: str, packages: Sequence[str]
) -> dict[str, Any]:
    """Return the settings for one estimator: the plain ones, and those below its class's name.

    CrivoError: there are none below its name, but below one that looks like a misspelling of it.

    >>> settings = {"class_weight": None, "SVC": {"C": 10.0}, "Ridge": None}
    >>> settings_of(settings, "sklearn.svm.SVC", ["sklearn"])
    {'class_weight': None, 'C': 10.0}
    """
    sections = {
        key: value
        for key, value in settings.items()
        if CLASS_NAME.fullmatch(key) and isinstance(value, Mapping | None)
    }
    plain = {key: value for key, value in settings.items() if key not in sections}
    name = estimator.rpartition(".")[2]
    if name not in sections:
        for near in difflib.get_close_matches(name, sections, cutoff=NEAR):
            # Another class of the packages, whose settings may stay.
            loaded = (part for key, part in sys.modules.items() if key.startswith(tuple(packages)))
            if not any(isinstance(vars(part).get(near), type) for part in loaded):
                raise CrivoError(
                    f"models.sklearn.settings.{near}: the estimator is {name}; did you mean "
                    f"`{name}`?"
                )
    return plain | dict(sections.get(name) or {})


def make_estimator(estimator: str, settings: Mapping[str, Any], task: Task, seed: int) -> Any:
    """Return an estimator of a package by its dotted name, seeded, with its settings.

    CrivoError: there is none of the name, it is for another task, or it refuses a setting.
    """
    kind = _find(estimator)
    known = kind._get_param_names()
    for name in settings:
        if name not in known:
            raise CrivoError(
                f"models.sklearn.settings.{name}: {estimator} has no such setting"
                f"{did_you_mean(name, known)} (settings: {', '.join(known)}). Those of another "
                "estimator belong below its class's name."
            )
    with refusing(estimator, "models.sklearn", REFUSALS):
        made = kind(**settings)
        unseeded = [
            name
            for name, value in made.get_params().items()
            if value is None and name.rpartition("__")[2] == "random_state"
        ]
        made.set_params(**dict.fromkeys(unseeded, seed))
    _check_kind(made, estimator, task)
    return made


@contextmanager
def refusing(
    what: str, section: str, kinds: type[Exception] | tuple[type[Exception], ...]
) -> Iterator[None]:
    """Turn the error of a library that refuses its settings or rows into one sentence."""
    try:
        yield
    except kinds as error:
        reason = " ".join(str(error).split())[:MAX_REASON].removesuffix(".")
        if "dense data is required" in reason:
            reason += ". With featurizers.tabular.keep_text=false, text becomes dense numbers"
        raise CrivoError(
            f"{what} refused its settings or the training rows: {reason}. Correct {section}."
        ) from None


def _find(estimator: str) -> Any:
    """Return the class of the dotted name; CrivoError when it isn't an estimator's."""
    try:
        kind = pkgutil.resolve_name(estimator)
    except (ImportError, AttributeError) as error:
        of = getattr(error, "obj", None)  # the module, where a name in it is unknown
        hint = did_you_mean(error.name or "", dir(of)) if of else ""
        raise CrivoError(
            f"models.sklearn.estimator is {estimator!r}, which can't be imported ({error}); "
            f"correct the name, or install the package{hint or '.'}"
        ) from None
    methods = ("fit", "predict", "_get_param_names")
    if not inspect.isclass(kind) or not all(hasattr(kind, method) for method in methods):
        raise CrivoError(
            f"models.sklearn.estimator is {estimator!r}, which isn't an estimator with fit and "
            "predict; name another."
        )
    return kind


def _check_kind(made: Any, estimator: str, task: Task) -> None:
    from sklearn.base import is_classifier, is_regressor

    fits = by_estimator(task, classifier=is_classifier, regressor=is_regressor)
    if not fits(made):
        wanted = by_estimator(task, classifier="classifier", regressor="regressor")
        raise CrivoError(
            f"models.sklearn.estimator: the task is {task} and {estimator} isn't a {wanted}; "
            f"name a {wanted}."
        )
