"""The contract suites of splitters and predictors: both give each row an answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from crivo.core.blocks import Splitter
from crivo.core.errors import CrivoError
from crivo.core.schema import Schema, Task
from crivo.core.tasks import TASKS as TASK_TYPES
from crivo.prediction.predictor import Predictor
from crivo.preparation.prepared import check_split_labels
from crivo.testing.contract import (
    SettingsPromises,
    promise,
    require_columns,
    require_equal,
    require_kept,
    unchanged,
)
from crivo.testing.fakes import TASKS, example_rows, example_schema

# Rows that are also scored one by one.
ALONE = 3


class RowPromises(ABC):
    """What gives each row an answer, and rows: a split, model inputs or a prediction."""

    rows: pd.DataFrame
    doing: ClassVar[str]

    @abstractmethod
    def _answer(self, rows: pd.DataFrame) -> pd.DataFrame | pd.Series:
        """Return the answers to rows."""

    @cached_property
    def answer(self) -> Any:
        return self._answer(self.rows.copy())

    def keeps_the_index_of_the_rows(self) -> None:
        """The result has one entry for each row, and the same index as the rows."""
        renamed = self.rows.set_axis([f"row {i}" for i in range(len(self.rows))], axis="index")
        expected = self.answer.set_axis(renamed.index)
        finding = "rows with another index get other results"
        require_equal(expected, self._answer(renamed.copy()), finding)

    def same_rows_same_results(self) -> None:
        """The same rows always get the same results."""
        again, advice = self._answer(self.rows.copy()), "use a hash of the id, or a fixed seed"
        require_equal(self.answer, again, "the second results differ", advice, exact=True)

    def rows_may_come_in_any_order(self) -> None:
        """The result for a row doesn't depend on the order of the rows."""
        backwards = self._answer(self.rows[::-1].copy())[::-1]
        finding = "the same rows in reverse order get other results"
        advice = "use the content of a row, not its position"
        require_equal(self.answer, backwards, finding, advice)

    def leaves_its_rows_alone(self) -> None:
        """The rows aren't changed."""
        with unchanged(self.rows, doing=f"`{self.doing}`"):
            self._answer(self.rows)


@dataclass
class SplitterPromises(RowPromises):
    """A splitter and the rows that it deals out."""

    block: Splitter
    schema: Schema
    rows: pd.DataFrame
    where: str = ""

    doing = "split"

    def _answer(self, rows: pd.DataFrame) -> pd.Series:
        return self.block.split(rows, self.schema)

    def each_row_gets_a_split(self) -> None:
        """Rows get `train`, `valid` or `test`; no split is empty, no class lacks training rows.

        A row may be missing where `sets_aside` says why.
        """
        kind, aside = type(self.answer).__name__, self.block.sets_aside is not None
        finding = f"it returned a {kind}; return a Series with the rows' index."
        promise(isinstance(self.answer, pd.Series), finding)
        name = type(self.block).__name__
        check_split_labels(self.answer, self.rows, self.schema, name, may_set_aside=aside)


def check_splitter(
    block: Splitter,
    *,
    tasks: Sequence[Task] = TASKS,
    schema: Schema | None = None,
    rows: pd.DataFrame | None = None,
) -> None:
    """Check that a splitter keeps every promise of its interface.

    `schema` and `rows` are those it is made for, without them a made-up table of each of the
    `tasks`, with a time column and groups.
    ContractError: which promises it breaks, one sentence each.

    >>> from crivo.testing import FakeSplitter
    >>> check_splitter(FakeSplitter())
    """
    require_columns(block, schema or example_schema())
    if schema is not None and rows is not None:
        suites = [SplitterPromises(block, schema, rows)]
    else:
        suites = [
            SplitterPromises(
                block, example_schema(task), example_rows(task), f"For the task {task}: "
            )
            for task in tasks
        ]
    require_kept(f"splitter {type(block).__name__}", SettingsPromises(block), *suites)


@dataclass
class PredictorPromises(RowPromises):
    """A predictor and rows that fit its schema."""

    predictor: Predictor
    rows: pd.DataFrame

    doing = "predict"

    def _answer(self, rows: pd.DataFrame) -> pd.DataFrame:
        return self.predictor.predict(rows)

    def a_single_row_gets_the_same_result(self) -> None:
        """A row that is passed alone gets the same result as among other rows."""
        columns = self.predictor.columns
        for position in range(min(ALONE, len(self.rows))):
            row = {name: self.rows[name].iat[position] for name in columns}
            among = self.answer.iloc[[position]].reset_index(drop=True)
            finding = f"row {position + 1} alone gets another result"
            require_equal(among, self.predictor.predict(row), finding)

    def predictions_are_valid(self) -> None:
        """Predictions are classes or finite numbers; scores are probabilities that sum to one."""
        schema = self.predictor.schema
        require_valid(self.answer, schema.task, schema.classes)

    def names_a_missing_column(self) -> None:
        """Rows that lack a column are refused with a CrivoError that names it."""
        name = self.predictor.columns[0]
        try:
            self._answer(self.rows.drop(columns=name))
        except CrivoError as error:
            promise(
                name in str(error), f"the error for rows without the column {name} doesn't name it."
            )
            return
        promise(False, f"rows without the column {name} aren't refused.")


def check_predictor(predictor: Predictor, rows: pd.DataFrame | None = None) -> None:
    """Check that a predictor keeps every promise of its interface.

    `rows` fit its schema; without them made-up rows of `example_schema` are taken.
    ContractError: which promises it breaks, one sentence each.

    >>> from crivo.testing import FakePredictor
    >>> check_predictor(FakePredictor(threshold=0.3))
    """
    rows = example_rows(predictor.schema.task, rows=60) if rows is None else rows
    require_kept(f"predictor {type(predictor).__name__}", PredictorPromises(predictor, rows))


def require_valid(answer: pd.DataFrame, task: Task, classes: Iterable[object]) -> None:
    """Raise BrokenPromise unless predictions are classes or finite numbers, scores probabilities.

    The scores of more than two classes sum to one.
    """
    predictions = answer["prediction"]
    if not TASK_TYPES[task].has_classes:
        finite = np.isfinite(predictions.to_numpy(float)).all()
        promise(finite, "some predictions aren't finite numbers.")
        return
    strange = set(predictions) - set(classes)
    promise(not strange, f"it predicts {strange}, which the target's classes don't include.")
    scores = answer.filter(like="score").to_numpy(float)
    promise(((scores >= 0) & (scores <= 1)).all(), "some scores aren't between 0 and 1.")
    if scores.shape[1] > 1:
        promise(np.allclose(scores.sum(axis=1), 1), "the scores of some rows don't sum to one.")
