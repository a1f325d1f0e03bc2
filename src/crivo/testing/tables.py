"""Helpers of contract suites: compare two tables in words, and check row-wise functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_integer_dtype, is_numeric_dtype

from crivo.core.schema import Task
from crivo.core.tasks import TASKS
from crivo.testing.contract import promise

# Sums of floating-point numbers depend on their order in the last digits.
TOLERANCE = 1e-9
# Integers from here on can't be told apart as floats.
EXACT = 2**53


@contextmanager
def unchanged(*tables: pd.DataFrame | pd.Series, doing: str) -> Iterator[None]:
    """Check that the tables are afterwards as they were before."""
    before = [table.copy(deep=True) for table in tables]
    yield
    for table, copy in zip(tables, before, strict=True):
        require_equal(copy, table, f"{doing} changed the table it was given", exact=True)


def require_equal(
    expected: pd.DataFrame | pd.Series,
    given: pd.DataFrame | pd.Series,
    finding: str,
    advice: str = "",
    **how: bool,
) -> None:
    """Raise BrokenPromise with the finding, what differs, and advice unless two tables are equal.

    `how` is what `difference` takes.
    """
    change = difference(expected, given, **how)
    promise(change is None, f"{finding} ({change}){advice and '; '}{advice}.")


def difference(
    expected: pd.DataFrame | pd.Series,
    given: pd.DataFrame | pd.Series,
    *,
    exact: bool = False,
    either_number: bool = False,
) -> str | None:
    """Return what tells two tables apart, or None when they are equal.

    Numbers may differ in their last digits unless `exact`. With `either_number`, an integer and a
    float are equal if they are the same number.

    >>> difference(pd.Series([1.0, 2.0], name="a"), pd.Series([1.0, 3.0], name="a"))
    'a differs in 1 of 2 rows: 2.0 became 3.0'
    """
    expected, given = pd.DataFrame(expected), pd.DataFrame(given)
    if list(expected.columns) != list(given.columns):
        return f"columns {list(expected.columns)} became {list(given.columns)}"
    if len(expected) != len(given):
        return f"{len(expected)} rows became {len(given)}"
    if not expected.index.equals(given.index):
        return "the index changed"
    for (name, left), (_, right) in zip(expected.items(), given.items(), strict=True):
        if either_number and _is_number(left) and _is_number(right):
            left, right = left.astype("float64"), right.astype("float64")
        if left.dtype != right.dtype:
            return f"{name} of type {left.dtype} became {right.dtype}"
        same = (left.astype("object") == right.astype("object")) | (left.isna() & right.isna())
        if _is_number(left) and not exact:
            same |= np.isclose(_floats(left), _floats(right), rtol=TOLERANCE, atol=TOLERANCE)
        if not same.all():
            first = int(np.argmin(same))
            what = f"{left.iat[first]} became {right.iat[first]}"
            return f"{name} differs in {(~same).sum()} of {len(same)} rows: {what}"
    return None


def require_valid(answer: pd.DataFrame, task: Task, classes: Iterable[object]) -> None:
    """Raise BrokenPromise unless predictions are classes or finite numbers, scores probabilities.

    The scores of more than two classes sum to one.
    """
    predictions = answer["prediction"]
    if not TASKS[task].has_classes:
        finite = np.isfinite(predictions.to_numpy(float)).all()
        promise(finite, "a prediction isn't a finite number.")
        return
    strange = set(predictions) - set(classes)
    promise(not strange, f"it predicts {strange}, which isn't a class of the target.")
    scores = answer.filter(like="score").to_numpy(float)
    promise(((scores >= 0) & (scores <= 1)).all(), "a score is not between 0 and 1.")
    if scores.shape[1] > 1:
        promise(np.allclose(scores.sum(axis=1), 1), "the scores of a row don't sum to one.")


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

    def answers_in_the_rows_index(self) -> None:
        """Each row gets its answer, whatever index the rows have."""
        renamed = self.rows.set_axis([f"row {i}" for i in range(len(self.rows))], axis="index")
        expected = self.answer.set_axis(renamed.index)
        finding = "rows with an index of names got other answers"
        require_equal(expected, self._answer(renamed.copy()), finding)

    def same_rows_same_answers(self) -> None:
        """The same rows get the same answers, every time."""
        again, advice = self._answer(self.rows.copy()), "use a hash of the id, or a fixed seed"
        require_equal(self.answer, again, "a second time the answers differ", advice, exact=True)

    def rows_may_come_in_any_order(self) -> None:
        """A row's answer doesn't depend on where it stands among the others."""
        backwards = self._answer(self.rows[::-1].copy())[::-1]
        finding = "the same rows in the opposite order got other answers"
        advice = "decide by what is in a row, not by its position"
        require_equal(self.answer, backwards, finding, advice)

    def leaves_its_rows_alone(self) -> None:
        """Answering doesn't change the rows."""
        with unchanged(self.rows, doing=self.doing):
            self._answer(self.rows)


def in_other_form(values: pd.Series) -> pd.Series:
    """Return whole numbers as floats where they are integers, else as integers; others stay."""
    if is_integer_dtype(values.dtype):
        return values.astype("float64")
    if not _is_number(values):
        return values
    numbers = _floats(values)
    whole = (numbers == np.floor(numbers)) & (np.abs(numbers) < EXACT)
    return values.astype("int64") if whole.all() else values


def _floats(values: pd.Series) -> np.ndarray:
    return values.to_numpy(float, na_value=np.nan)


def _is_number(values: pd.Series) -> bool:
    return is_numeric_dtype(values.dtype) and not is_bool_dtype(values.dtype)
