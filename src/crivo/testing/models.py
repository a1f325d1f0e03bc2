"""The contract suite of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.blocks import Model, Training
from crivo.core.errors import CrivoError
from crivo.core.inputs import texts_of
from crivo.core.schema import Task
from crivo.core.tasks import TASKS as TASK_TYPES
from crivo.core.tasks import by_estimator
from crivo.testing.block_settings import SettingsPromises
from crivo.testing.contract import promise, require_kept, without_excuses
from crivo.testing.estimators import SEED, EstimatorPromises
from crivo.testing.examples import TASKS, example_features, example_rows

# Every so many training rows one that early stopping may watch.
EARLY_STOPPING_STEP = 5


@dataclass
class ModelPromises(EstimatorPromises):
    """A model with features of one task."""

    task: Task

    method = "predict"
    answers = "predictions"

    @property
    def where(self) -> str:
        """The start of a finding."""
        return f"For {self.task}, "

    def _build(self) -> Any:
        """Return what the model builds for the task."""
        return self.block.build(self.task, SEED)

    def _fit_on(self, features: pd.DataFrame, target: pd.Series) -> Any:
        """Return a new estimator, fitted as the train stage does it."""
        stopping_mask = np.arange(len(features)) % EARLY_STOPPING_STEP == 0
        return self.block.fit(self._build(), features, target, Training(stopping_mask, _take))

    def _apply(self, estimator: Any, features: pd.DataFrame) -> pd.DataFrame:
        """Return predictions and, where there are any, probabilities."""
        features = features.copy()
        predicted = np.asarray(estimator.predict(features)).ravel()
        promise(
            len(predicted) == len(features),
            f"{len(features)} rows gave {len(predicted)} predictions.",
        )
        table = pd.DataFrame({"prediction": predicted}, index=features.index)
        if hasattr(estimator, "predict_proba"):
            scores = pd.DataFrame(np.asarray(estimator.predict_proba(features)), features.index)
            table = table.join(scores.add_prefix("score_"))
        promise(not table.isna().any(axis=None), "some predictions are missing.")
        return table

    def builds_for_the_task(self) -> None:
        """`build` returns a classifier for classes, and a regressor for numbers."""
        from sklearn.base import is_classifier, is_regressor

        built = self._build()
        right = by_estimator(self.task, classifier=is_classifier, regressor=is_regressor)
        kind = by_estimator(self.task, classifier="classifier", regressor="regressor")
        promise(right(built), f"it returned {type(built).__name__}, which isn't a {kind}.")

    def predictions_are_valid(self) -> None:
        """Predictions are classes that were taught, or finite numbers; probabilities sum to one."""
        predictions = self.applied
        if not TASK_TYPES[self.task].has_classes:
            numbers = predictions["prediction"].to_numpy(float)
            promise(bool(np.isfinite(numbers).all()), "some predictions aren't finite numbers.")
            return
        strange = set(predictions["prediction"]) - set(self.target)
        promise(not strange, f"it predicts {strange}, which isn't a class of the target.")
        if not hasattr(self.fitted, "predict_proba"):
            return
        classes = getattr(self.fitted, "classes_", None)
        promise(classes is not None, "it has predict_proba but no classes_, the columns' order.")
        scores = predictions.drop(columns="prediction").to_numpy(float)
        right = np.allclose(scores.sum(axis=1), 1) and bool((scores >= 0).all())
        promise(right, "the probabilities of a row are negative or don't sum to one.")


def check_model(
    block: Model,
    *,
    tasks: Sequence[Task] | None = None,
    features: pd.DataFrame | None = None,
    target: pd.Series | None = None,
    expected_failures: Mapping[str, str] | None = None,
) -> None:
    """Check that a model keeps every promise of its interface.

    `tasks` are those it is made for, by default those that it doesn't refuse; `features` and
    `target` are those of training rows of one task. Made-up ones are used without them, and where
    the block can't take them: a target less than its `smallest_target`, or text.
    `expected_failures` does nothing and will go.
    ContractError: which promises it breaks, one sentence each.

    >>> from crivo.testing import FakeModel
    >>> check_model(FakeModel(), tasks=["binary"])
    """
    without_excuses(expected_failures)
    asked = tasks_of(block) if tasks is None else tasks
    suites = [_suite(block, task, features, target) for task in asked]
    require_kept(f"model {type(block).__name__}", SettingsPromises(block), *suites)


def tasks_of(block: Model) -> list[Task]:
    """Return the tasks that a model is made for: it refuses the others with a CrivoError.

    CrivoError: it refuses all of them, as without an optional package.
    """
    found: list[Task] = []
    for task in TASKS:
        try:
            block.build(task, SEED)
        except CrivoError as error:
            refusal = error
            continue
        except Exception:  # what a check tells
            pass
        found.append(task)
    if not found:
        raise refusal
    return found


def _suite(
    block: Model, task: Task, features: pd.DataFrame | None, target: pd.Series | None
) -> ModelPromises:
    """Return the suite with given rows, every second of them for training, or with made-up ones."""
    low = None if TASK_TYPES[task].has_classes else block.smallest_target
    if features is not None and target is not None:
        too_low = low is not None and target.min() < low
        if not too_low and (block.takes_text or not texts_of(features)):
            taught, unseen = (features[start::2].reset_index(drop=True) for start in (0, 1))
            return ModelPromises(block, taught, target[::2].reset_index(drop=True), unseen, task)
    rows, new = example_rows(task), example_rows(task, rows=60, seed=9)
    taught, unseen = (example_features(some, text=block.takes_text) for some in (rows, new))
    made = rows["target"] if low is None else rows["target"] - rows["target"].min() + low
    return ModelPromises(block, taught, made, unseen, task)


def _take(metrics: Mapping[str, float]) -> None:
    """Take what a fit logs: numbers by name."""
    for name, value in metrics.items():
        promise(isinstance(name, str), f"fit logs a metric named {name!r}; a name is text.")
        promise(np.isscalar(value), f"fit logs {name} = {value!r}; a metric is a number.")
