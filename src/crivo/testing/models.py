"""What a model promises: one suite of small checks for every model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.blocks import Model, Training
from crivo.core.modelfile import dump_model, parse_model
from crivo.core.schema import Task
from crivo.core.tasks import TASKS as TASK_TYPES
from crivo.core.tasks import by_estimator
from crivo.testing.block_settings import settings_breaches
from crivo.testing.contract import find_breaches, promise, require_none
from crivo.testing.decoys import in_two_projects
from crivo.testing.examples import TASKS, example_features, example_rows
from crivo.testing.scikit import follows_scikit_learn
from crivo.testing.stored import promise_equal_files, unseeded
from crivo.testing.tables import difference, unchanged

SEED = 7
# Every so many training rows one that early stopping may watch.
EARLY_STOPPING_STEP = 5


@dataclass
class ModelCase:
    """A model and a task, with training rows and rows that it has never seen."""

    block: Model
    task: Task
    expected_failures: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rows, unseen = example_rows(self.task), example_rows(self.task, rows=60, seed=9)
        text = self.block.takes_text
        self.features, self.target = example_features(rows, text=text), rows["target"]
        self.unseen = example_features(unseen, text=text)

    def fit(self) -> Any:
        """Return a new estimator, fitted on a copy of the training rows."""
        return self.fit_on(self.features.copy(), self.target.copy())

    def fit_on(self, features: pd.DataFrame, target: pd.Series) -> Any:
        """Return a new estimator, fitted as the train stage does it."""
        stopping_mask = np.arange(len(features)) % EARLY_STOPPING_STEP == 0
        estimator = self.block.build(self.task, SEED)
        return self.block.fit(estimator, features, target, Training(stopping_mask, _take))

    @cached_property
    def fitted(self) -> Any:
        return self.fit()

    @cached_property
    def again(self) -> Any:
        return self.fit()


def check_model(
    block: Model,
    *,
    tasks: Sequence[Task] = TASKS,
    expected_failures: Mapping[str, str] | None = None,
) -> None:
    """Check that a model keeps every promise of its interface.

    `tasks` are those it is made for; `expected_failures` are checks of scikit-learn's
    `check_estimator` that it fails for a good reason, and the reason.
    ContractError: which promises it breaks, one sentence each.

    >>> from crivo.testing import FakeModel
    >>> check_model(FakeModel(), tasks=["binary"])
    """
    breaches = settings_breaches(block)
    for task in tasks:
        case = ModelCase(block, task)
        breaches += find_breaches(MODEL_CHECKS, case, f"For {task}, ")
    # scikit-learn's many checks come last: they say little of a model that is broken anyway.
    for task in [] if breaches else _one_of_a_kind(tasks):
        case = ModelCase(block, task, expected_failures or {})
        breaches += find_breaches([follows_scikit_learns_rules], case, f"For {task}, ")
    require_none(f"model {type(block).__name__}", breaches)


def builds_an_unfitted_estimator(case: ModelCase) -> None:
    """`build` returns a new, unfitted scikit-learn classifier or regressor."""
    from sklearn.base import is_classifier, is_regressor

    estimator = case.block.build(case.task, SEED)
    right = by_estimator(case.task, classifier=is_classifier, regressor=is_regressor)
    kind = by_estimator(case.task, classifier="classifier", regressor="regressor")
    promise(hasattr(estimator, "fit"), f"it returned {estimator!r}, which has no fit.")
    promise(right(estimator), f"it returned {type(estimator).__name__}, which isn't a {kind}.")
    promise(
        not _is_fitted(estimator, case.unseen),
        "what it returned predicts already; return an estimator that no row has taught.",
    )


def takes_typed_columns(case: ModelCase) -> None:
    """`fit` takes what featurizers give: numbers with gaps, categories, text where it says so."""
    predictions = _said(case.fitted, case.unseen)
    promise(
        len(predictions) == len(case.unseen),
        f"{len(case.unseen)} rows gave {len(predictions)} predictions.",
    )


def same_seed_same_result(case: ModelCase) -> None:
    """The same seed and the same rows give the same predictions."""
    change = difference(_said(case.fitted, case.unseen), _said(case.again, case.unseen))
    promise(
        change is None,
        f"two fits with seed {SEED} disagree ({change}); give `seed` to each random part"
        f"{unseeded(case.again)}.",
    )


def leaves_its_inputs_alone(case: ModelCase) -> None:
    """Fitting and predicting change no table."""
    with unchanged(case.features, case.target, doing="fit"):
        fitted = case.fit_on(case.features, case.target)
    with unchanged(case.unseen, doing="predict"):
        fitted.predict(case.unseen)


def a_row_gives_a_prediction(case: ModelCase) -> None:
    """A row's prediction is its own: the rows that stand beside it don't change it."""
    everything = _said(case.fitted, case.unseen)
    backwards = _said(case.fitted, case.unseen[::-1])[::-1].reset_index(drop=True)
    change = difference(everything, backwards)
    promise(change is None, f"the same rows in another order gave other predictions ({change}).")
    alone = _said(case.fitted, case.unseen[:1])
    change = difference(everything[:1], alone)
    promise(change is None, f"a row alone got another prediction than among others ({change}).")


def predictions_are_valid(case: ModelCase) -> None:
    """Predictions are classes that were taught, or finite numbers; probabilities sum to one."""
    predictions = _said(case.fitted, case.unseen)
    if not TASK_TYPES[case.task].has_classes:
        numbers = predictions["prediction"].to_numpy(float)
        promise(bool(np.isfinite(numbers).all()), "some predictions aren't finite numbers.")
        return
    strange = set(predictions["prediction"]) - set(case.target)
    promise(not strange, f"it predicts {strange}, which isn't a class of the target.")
    if not hasattr(case.fitted, "predict_proba"):
        return
    classes = getattr(case.fitted, "classes_", None)
    promise(classes is not None, "it has predict_proba but no classes_, the columns' order.")
    scores = predictions.drop(columns="prediction").to_numpy(float)
    right = np.allclose(scores.sum(axis=1), 1) and bool((scores >= 0).all())
    promise(bool(right), "the probabilities of a row are negative or don't sum to one.")


def looks_at_no_other_rows(case: ModelCase) -> None:
    """A fit sees the training rows it is given, never validation or test rows."""
    fits = in_two_projects(lambda: (case.fit(), case.fit()), case.task)
    one, again, other = (_said(model, case.unseen) for model in (*fits[0], fits[1][0]))
    if difference(one, again):
        return  # fits that differ by themselves say nothing of files
    change = difference(one, other)
    promise(
        change is None,
        f"other files under data/ gave another model ({change}); read no file in `fit`.",
    )


def takes_missing_values(case: ModelCase) -> None:
    """Missing values are taken, also where training had none."""
    gaps = case.unseen.mask(np.ones(case.unseen.shape, bool))
    predictions = _said(case.fitted, gaps)
    promise(
        not predictions.isna().to_numpy().any(), "rows without any value got missing predictions."
    )


def same_seed_same_file(case: ModelCase) -> None:
    """The same seed and the same rows give the same file, to the byte."""
    one, other = case.fit(), case.fit()  # that nobody has used
    promise_equal_files(
        one,
        other,
        (dump_model(one), dump_model(other)),
        f"two fits with seed {SEED} are stored as different files; keep nothing in the estimator "
        "that differs from run to run",
    )


def predicting_teaches_nothing(case: ModelCase) -> None:
    """Predicting leaves the model as it was."""
    before = dump_model(case.fitted)
    loaded = parse_model(before, "The stored model")
    _said(case.fitted, case.unseen)
    promise_equal_files(
        loaded,
        case.fitted,
        (before, dump_model(case.fitted)),
        "the model's file differs after a prediction",
    )


def comes_back_from_its_file(case: ModelCase) -> None:
    """A stored and loaded model predicts the same."""
    loaded = parse_model(dump_model(case.fitted), "The stored model")
    change = difference(_said(case.fitted, case.unseen), _said(loaded, case.unseen), exact=True)
    promise(change is None, f"after loading, predictions differ ({change}).")


def follows_scikit_learns_rules(case: ModelCase) -> None:
    """What `build` returns passes scikit-learn's own check_estimator.

    A model that stops early is built as one that doesn't: the check fits on few rows, and gives it
    none to watch.
    """
    follows_scikit_learn(
        _without_early_stopping(case.block).build(case.task, SEED),
        expected_failures=case.expected_failures,
        two_classes=TASK_TYPES[case.task].max_classes == 2,
    )


def _without_early_stopping(block: Any) -> Any:
    is_setting = is_dataclass(block) and any(one.name == "early_stopping" for one in fields(block))
    if is_setting and type(block.early_stopping) is int:
        with suppress(ValueError):  # one that always stops early
            return replace(block, early_stopping=0)
    return block


MODEL_CHECKS: Sequence[Callable[[ModelCase], None]] = (
    builds_an_unfitted_estimator,
    takes_typed_columns,
    same_seed_same_result,
    leaves_its_inputs_alone,
    a_row_gives_a_prediction,
    predictions_are_valid,
    looks_at_no_other_rows,
    takes_missing_values,
    comes_back_from_its_file,
    same_seed_same_file,
    predicting_teaches_nothing,
)


def _one_of_a_kind(tasks: Sequence[Task]) -> list[Task]:
    """Return one classification task and regression, as far as they are among the tasks."""
    kinds = {TASK_TYPES[name].has_classes: name for name in reversed(tasks)}
    return list(kinds.values())


def _take(metrics: Mapping[str, float]) -> None:
    """Take what a fit logs: numbers by name."""
    for name, value in metrics.items():
        promise(isinstance(name, str), f"fit logs a metric named {name!r}; a name is text.")
        promise(np.isscalar(value), f"fit logs {name} = {value!r}; a metric is a number.")


def _said(estimator: Any, features: pd.DataFrame) -> pd.DataFrame:
    """Return predictions and, where there are any, probabilities, as a table."""
    features = features.copy()
    table = pd.DataFrame({"prediction": np.asarray(estimator.predict(features)).ravel()})
    if hasattr(estimator, "predict_proba"):
        scores = np.asarray(estimator.predict_proba(features))
        table = table.join(pd.DataFrame(scores).add_prefix("score_"))
    return table


def _is_fitted(estimator: Any, features: pd.DataFrame) -> bool:
    try:
        estimator.predict(features)
    except Exception:  # an unfitted estimator refuses in its own way
        return False
    return True
