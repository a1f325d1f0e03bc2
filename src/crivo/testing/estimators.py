"""The contract suite of featurizers and models: both build an estimator of scikit-learn."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from pandas.api.types import is_float_dtype, is_integer_dtype

from crivo.core.blocks import Featurizer, Model, Training
from crivo.core.errors import CrivoError
from crivo.core.inputs import check_inputs, texts_of
from crivo.core.schema import Schema, Task
from crivo.core.tasks import TASKS as TASK_TYPES
from crivo.modelfile.canonical import dump_model, parse_model
from crivo.testing.contract import (
    SettingsPromises,
    promise,
    require_columns,
    require_equal,
    require_kept,
    unchanged,
)
from crivo.testing.fakes import TASKS, example_features, example_rows, example_schema
from crivo.testing.rows import ALONE, RowPromises, require_valid

SEED = 7
# Integers from here on can't be told apart as floats.
EXACT = 2**53
# Every so many training rows one that early stopping may watch.
EARLY_STOPPING_STEP = 5
# What a value that training never saw may look like, by the column's type.
NEVER_SEEN: dict[str, Any] = {
    "category": "never seen",
    "text": "words that were never seen before",
    "number": 1e6,
    "date": pd.Timestamp("2031-05-17"),
}


@dataclass
class EstimatorPromises(RowPromises):
    """A block that builds an estimator for a task or a schema, and rows of that.

    Every second row is for training, and the others, `rows`, are never seen. `doing` is what the
    estimator is asked for; `answers` are what that gives.
    """

    block: Any
    made_for: Any
    features: pd.DataFrame
    target: pd.Series

    answers: ClassVar[str]

    def __post_init__(self) -> None:
        self.rows = self.features[1::2].reset_index(drop=True)
        self.features = self.features[::2].reset_index(drop=True)
        self.target = self.target[::2].reset_index(drop=True)

    def _build(self) -> Any:
        return self.block.build(self.made_for, SEED)

    def _fit_on(self, features: pd.DataFrame, target: pd.Series) -> Any:
        """Return a new estimator, fitted as the stage does it."""
        return self._build().fit(features, target)

    @abstractmethod
    def _asked(self, estimator: Any, features: pd.DataFrame) -> pd.DataFrame:
        """Return the answers for some rows as a table."""

    def _answer(self, rows: pd.DataFrame) -> pd.DataFrame:
        return self._asked(self.fitted, rows)

    def _fit(self) -> Any:
        return self._fit_on(self.features.copy(), self.target.copy())

    @cached_property
    def fitted(self) -> Any:
        return self._fit()

    def builds_an_unfitted_estimator(self) -> None:
        """`build` returns a new, unfitted estimator that is compatible with scikit-learn."""
        from sklearn.base import clone

        built = self._build()
        for method in ("fit", self.doing):
            promise(hasattr(built, method), f"it returned {built!r}, which has no {method}.")
        try:
            clone(built)
        except Exception as error:  # it isn't of scikit-learn's kind
            promise(False, f"its constructor must store each parameter unchanged: {error}.")
        with suppress(Exception):  # an unfitted estimator refuses in its own way
            getattr(built, self.doing)(self.rows.copy())
            built = None
        promise(
            built is not None,
            f"its `{self.doing}` works before `fit`; return an unfitted estimator.",
        )

    def fitting_leaves_its_inputs_alone(self) -> None:
        """Fitting doesn't change the tables that it gets."""
        with unchanged(self.features, self.target, doing="`fit`"):
            self._fit_on(self.features, self.target)

    def rows_are_independent(self) -> None:
        """The result for a row doesn't depend on other rows."""
        alone = self._asked(self.fitted, self.rows[:1].copy())
        finding = f"a row alone gets other {self.answers} than among other rows"
        advice = f"learn from training rows in `fit`, not in `{self.doing}`"
        require_equal(self.answer[:1], alone, finding, advice)

    def accepts_missing_values(self) -> None:
        """Rows without any value are accepted, even if no value was missing in training."""
        gaps = self.rows.mask(np.ones(self.rows.shape, bool))
        applied = self._asked(self.fitted, gaps.copy())
        require_equal(self.answer[:0], applied[:0], "rows without any value get other columns")

    def gives_the_same_after_loading(self) -> None:
        """A stored and loaded estimator gives the same results."""
        loaded = parse_model(dump_model(self.fitted), "The stored estimator")
        finding = f"after loading, the {self.answers} differ"
        require_equal(self.answer, self._asked(loaded, self.rows.copy()), finding, exact=True)

    def same_seed_same_file(self) -> None:
        """The same seed and the same rows give the same file, byte for byte."""
        promise(
            dump_model(self._fit()) == dump_model(self._fit()),
            f"two fits with seed {SEED} are stored as different files; pass `seed` to each random "
            "part, and store nothing that differs from run to run.",
        )


@dataclass
class ModelPromises(EstimatorPromises):
    """A model with features of one task."""

    doing = "predict"
    answers = "predictions"

    @property
    def where(self) -> str:
        """The start of a finding."""
        return f"For the task {self.made_for}: "

    def _fit_on(self, features: pd.DataFrame, target: pd.Series) -> Any:
        stopping_mask = np.arange(len(features)) % EARLY_STOPPING_STEP == 0
        training = Training(stopping_mask, log=lambda metrics: None)
        return self.block.fit(self._build(), features, target, training)

    def _asked(self, estimator: Any, features: pd.DataFrame) -> pd.DataFrame:
        """Return predictions and, where there are any, probabilities."""
        predicted = np.asarray(estimator.predict(features)).ravel()
        asked, given = len(features), len(predicted)
        promise(given == asked, f"{given} predictions were returned for {asked} rows.")
        table = pd.DataFrame({"prediction": predicted}, index=features.index)
        if hasattr(estimator, "predict_proba"):
            scores = pd.DataFrame(np.asarray(estimator.predict_proba(features)), features.index)
            table = table.join(scores.add_prefix("score_"))
        promise(not table.isna().any(axis=None), "some predictions are missing.")
        return table

    def predictions_are_valid(self) -> None:
        """Predictions are training classes or finite numbers, and probabilities sum to one."""
        require_valid(self.answer, self.made_for, self.target)
        ordered = hasattr(self.fitted, "classes_") or not hasattr(self.fitted, "predict_proba")
        promise(ordered, "it has `predict_proba`, but no `classes_` with the order of its columns.")


@dataclass
class FeaturizerPromises(EstimatorPromises):
    """A featurizer with rows of one schema."""

    doing = "transform"
    answers = "inputs"

    def _asked(self, estimator: Any, features: pd.DataFrame) -> pd.DataFrame:
        """Return the inputs of some rows; CrivoError when they aren't a table of inputs."""
        return check_inputs(estimator.transform(features), features)

    def accepts_integers_and_floats(self) -> None:
        """Whole numbers give the same inputs whether they are stored as integers or as floats.

        A new row alone has integers where the training rows had floats: with gaps or fractions.
        """
        taught = self._fit_on(self.features.apply(in_other_form), self.target)
        finding = "integers instead of floats (or the reverse) give other inputs"
        advice = "don't let the inputs depend on the type of a column's numbers"
        for place in self.rows.index[:ALONE]:
            row = self.rows.loc[[place]]
            for transformer in (self.fitted, taught):
                inputs, others = (
                    self._asked(transformer, form.copy())
                    for form in (row, row.apply(in_other_form))
                )
                require_equal(inputs, others, finding, advice)

    def same_columns_for_all_rows(self) -> None:
        """All rows get the same columns, types and categories as the training rows.

        Values that don't occur in the training rows are accepted, too.
        """
        taught = self._asked(self.fitted, self.features.copy())
        kinds = {name: self.made_for.column(name).type for name in self.made_for.features}
        new = {name: NEVER_SEEN[kind] for name, kind in kinds.items() if kind in NEVER_SEEN}
        for finding, rows in (
            ("rows that weren't fitted on differ", self.rows),
            ("rows with new values differ", self.rows.assign(**new)),
        ):
            applied = self._asked(self.fitted, rows.copy()).reset_index(drop=True)
            require_equal(taught[:0], applied[:0], finding)


def in_other_form(values: pd.Series) -> pd.Series:
    """Return whole numbers as floats where they are integers, else as integers; others stay."""
    if is_float_dtype(values.dtype):
        numbers = values.to_numpy(float, na_value=np.nan)
        whole = (numbers == np.floor(numbers)) & (np.abs(numbers) < EXACT)
        return values.astype("int64") if whole.all() else values
    return values.astype("float64") if is_integer_dtype(values.dtype) else values


def check_model(
    block: Model,
    *,
    tasks: Sequence[Task] | None = None,
    features: pd.DataFrame | None = None,
    target: pd.Series | None = None,
) -> None:
    """Check that a model keeps every promise of its interface.

    `tasks` are those it is made for, by default those that it doesn't refuse; `features` and
    `target` are those of training rows of one task. Made-up ones are used without them, and where
    the block can't take them: a target less than its `smallest_target`, or text.
    ContractError: which promises it breaks, one sentence each.

    >>> from crivo.testing import FakeModel
    >>> check_model(FakeModel(), tasks=["binary"])
    """
    asked = tasks_of(block) if tasks is None else tasks
    suites = [_of_task(block, task, features, target) for task in asked]
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


def check_featurizer(
    block: Featurizer,
    *,
    schema: Schema | None = None,
    rows: pd.DataFrame | None = None,
) -> None:
    """Check that a featurizer keeps every promise of its interface.

    `schema` and `rows` are those it is made for, without them a made-up table with a column
    of each type; the test is skipped where they lack columns that the block `needs`.
    ContractError: which promises it breaks, one sentence each.

    >>> from crivo.testing import FakeFeaturizer
    >>> check_featurizer(FakeFeaturizer())
    """
    if schema is None or rows is None:
        schema, rows = example_schema(), example_rows()
    require_columns(block, schema)
    suite = FeaturizerPromises(block, schema, rows[[*schema.features]], rows[schema.target])
    require_kept(f"featurizer {type(block).__name__}", SettingsPromises(block), suite)


def _of_task(
    block: Model, task: Task, features: pd.DataFrame | None, target: pd.Series | None
) -> ModelPromises:
    """Return the suite with given rows, or with made-up ones where the block can't take them."""
    low = None if TASK_TYPES[task].has_classes else block.smallest_target
    if features is not None and target is not None:
        too_low = low is not None and target.min() < low
        if not too_low and (block.takes_text or not texts_of(features)):
            return ModelPromises(block, task, features, target)
    rows = example_rows(task)
    made = rows["target"] if low is None else rows["target"] - rows["target"].min() + low
    return ModelPromises(block, task, example_features(rows, text=block.takes_text), made)
