"""Estimators that are found by their dotted names, and their settings."""

from __future__ import annotations

import difflib
import importlib
import inspect
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.problems import did_you_mean
from crivo.core.schema import Task
from crivo.core.tasks import by_estimator

# What libraries raise for settings or rows that they don't take.
REFUSALS = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)
# The names of classes; those of settings are shorter (C) or begin with a small letter.
CLASS_NAME = re.compile(r"[A-Z]\w+")
# From this similarity on the name of a class looks like a misspelling of another.
NEAR = 0.8


def settings_of(
    settings: Mapping[str, Any], estimator: str, packages: Sequence[str]
) -> dict[str, Any]:
    """Return the settings for one estimator: the plain ones, and those below its class's name.

    CrivoError: there are none below its name, but below one that looks like a misspelling of it.

    >>> settings = {"verbose": 1, "SVC": {"C": 10.0}, "Ridge": {"alpha": 2.0}}
    >>> settings_of(settings, "sklearn.svm.SVC", ["sklearn"])
    {'verbose': 1, 'C': 10.0}
    """
    sections = {key: value for key, value in settings.items() if _is_section(key, value)}
    plain = {key: value for key, value in settings.items() if key not in sections}
    name = estimator.rpartition(".")[2]
    if name not in sections:
        for near in difflib.get_close_matches(name, sections, cutoff=NEAR):
            if not _is_class(near, packages):
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
    try:
        made = kind(**settings)
        made.set_params(**dict.fromkeys(unseeded(made.get_params()), seed))
    except REFUSALS as error:
        raise refused(estimator, error) from None
    _check_kind(made, estimator, task)
    return made


def refused(estimator: str, error: Exception) -> CrivoError:
    """Return the error that says what an estimator refused."""
    reason = " ".join(str(error).split())
    if "dense data is required" in reason:
        reason += " With featurizers.tabular.keep_text=false a text becomes dense numbers."
    return CrivoError(
        f"{estimator} refused its settings or the training rows: {reason} Correct models.sklearn."
    )


def unseeded(values: Any, path: str = "") -> Iterator[str]:
    """Yield the name of each `random_state` that is null, in lists and mappings too."""
    if isinstance(values, Mapping):
        for key, value in values.items():
            name = f"{path}.{key}" if path else str(key)
            if value is None and str(key).rpartition("__")[2] == "random_state":
                yield name
            yield from unseeded(value, name)
    elif isinstance(values, list | tuple):
        for number, value in enumerate(values):
            yield from unseeded(value, f"{path}.{number}")


def _is_section(key: str, value: Any) -> bool:
    return bool(CLASS_NAME.fullmatch(key)) and (value is None or isinstance(value, Mapping))


def _is_class(name: str, packages: Sequence[str]) -> bool:
    """Whether a module of the packages that is loaded has a class of this name."""
    loaded = [module for key, module in sys.modules.items() if key.startswith(tuple(packages))]
    return any(isinstance(vars(module).get(name), type) for module in loaded)


def _find(estimator: str) -> Any:
    """Return the class of the dotted name; CrivoError when it isn't an estimator's."""
    module_name, _, name = estimator.rpartition(".")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise CrivoError(
            f"models.sklearn.estimator is {estimator!r}, and {module_name} can't be imported "
            f"({error}); correct the name, or install the package."
        ) from None
    estimators = [
        known
        for known, kind in inspect.getmembers(module, inspect.isclass)
        if all(hasattr(kind, method) for method in ("fit", "predict", "_get_param_names"))
    ]
    if name not in estimators:
        hint = did_you_mean(name, estimators)
        raise CrivoError(
            f"models.sklearn.estimator is {estimator!r}, which isn't an estimator with fit and "
            f"predict{hint} (in {module_name}: {', '.join(estimators) or 'none'})."
        )
    return getattr(module, name)


def _check_kind(made: Any, estimator: str, task: Task) -> None:
    from sklearn.base import is_classifier, is_regressor

    fits = by_estimator(task, classifier=is_classifier, regressor=is_regressor)
    if not fits(made):
        wanted = by_estimator(task, classifier="classifier", regressor="regressor")
        raise CrivoError(
            f"models.sklearn.estimator: the task is {task} and {estimator} isn't a {wanted}; "
            f"name a {wanted}."
        )
