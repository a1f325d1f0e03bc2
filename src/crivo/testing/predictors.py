"""What a predictor promises: the same checks for the trained model and for its mock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.schema import Task
from crivo.core.tasks import TASKS
from crivo.prediction.predictor import Predictor
from crivo.testing.contract import find_breaches, promise, require_none
from crivo.testing.examples import example_rows
from crivo.testing.tables import difference, unchanged

# Rows that are also scored one by one.
ALONE = 3


@dataclass
class PredictorCase:
    """A predictor and rows that fit its schema."""

    predictor: Predictor
    rows: pd.DataFrame

    def predict(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the answer for a copy of some rows."""
        return self.predictor.predict(rows.copy())

    @cached_property
    def answer(self) -> pd.DataFrame:
        return self.predict(self.rows)

    @property
    def task(self) -> Task:
        return self.predictor.schema.task


def check_predictor(predictor: Predictor, rows: pd.DataFrame | None = None) -> None:
    """Check that a predictor keeps every promise of its interface.

    `rows` fit its schema; without them made-up rows of `example_schema` are taken.
    ContractError: which promises it breaks, one sentence each.

    >>> from crivo.testing import FakePredictor
    >>> check_predictor(FakePredictor(threshold=0.3))
    """
    rows = example_rows(predictor.schema.task, rows=60) if rows is None else rows
    breaches = find_breaches(PREDICTOR_CHECKS, PredictorCase(predictor, rows))
    require_none(f"predictor {type(predictor).__name__}", breaches)


def answers_in_the_rows_index(case: PredictorCase) -> None:
    """The answer has a row for each row, in the rows' order and with their index."""
    renamed = case.rows.set_axis([f"row {i}" for i in range(len(case.rows))], axis="index")
    change = difference(case.answer.set_axis(renamed.index), case.predict(renamed))
    promise(change is None, f"rows with an index of names got another answer ({change}).")


def one_row_or_many_are_equal(case: PredictorCase) -> None:
    """A row alone gets the same answer as among others."""
    columns = case.predictor.columns
    for position in range(min(ALONE, len(case.rows))):
        alone = case.predictor.predict({name: case.rows[name].iat[position] for name in columns})
        among = case.answer.iloc[[position]].reset_index(drop=True)
        change = difference(among, alone)
        promise(change is None, f"row {position + 1} alone got another answer ({change}).")


def same_rows_same_answer(case: PredictorCase) -> None:
    """The same rows get the same answer, every time."""
    change = difference(case.answer, case.predict(case.rows), exact=True)
    promise(change is None, f"a second time the answer differs ({change}).")


def answers_are_valid(case: PredictorCase) -> None:
    """Predictions are classes or finite numbers; scores are probabilities that sum to one."""
    predictions = case.answer["prediction"]
    if not TASKS[case.task].has_classes:
        promise(
            np.isfinite(predictions.to_numpy(float)).all(), "a prediction isn't a finite number."
        )
        return
    strange = set(predictions) - set(case.predictor.schema.classes)
    promise(not strange, f"it predicts {strange}, which the schema doesn't know.")
    scores = case.answer.filter(like="score").to_numpy(float)
    promise(((scores >= 0) & (scores <= 1)).all(), "a score is not between 0 and 1.")
    if scores.shape[1] > 1:
        promise(np.allclose(scores.sum(axis=1), 1), "the scores of a row don't sum to one.")


def decides_by_the_threshold(case: PredictorCase) -> None:
    """The positive class is predicted where the score reaches the threshold, if there is one."""
    threshold = case.predictor.threshold
    if threshold is None or "score" not in case.answer:
        return
    acted = case.answer["prediction"] == case.predictor.schema.positive
    promise(
        (acted == (case.answer["score"] >= threshold)).all(),
        f"the positive class is not predicted just where score >= {threshold}.",
    )


def ignores_other_columns(case: PredictorCase) -> None:
    """Columns that the schema doesn't ask for, and the order of the others, don't matter."""
    columns = list(case.predictor.columns)
    turned = case.rows[columns[::-1]].assign(something_else=1)
    change = difference(case.answer, case.predict(turned))
    promise(change is None, f"columns in another order changed the answer ({change}).")


def leaves_its_rows_alone(case: PredictorCase) -> None:
    """Predicting doesn't change the rows."""
    with unchanged(case.rows, doing="predict"):
        case.predictor.predict(case.rows)


def names_a_missing_column(case: PredictorCase) -> None:
    """Rows that lack a column are refused, and the column is named."""
    name = case.predictor.columns[0]
    _refuses(case, case.rows.drop(columns=name), name, f"without the column {name}")


def names_a_wrong_type(case: PredictorCase) -> None:
    """A value of the wrong type is refused, and the column is named."""
    schema = case.predictor.schema
    for name in schema.features:
        if schema.column(name).type in ("number", "boolean", "date"):
            wrong = case.rows.assign(**{name: "neither here nor there"})
            _refuses(case, wrong, name, f"with words for {name}")
            return


def names_a_value_out_of_range(case: PredictorCase) -> None:
    """A number that the schema doesn't allow is refused as in `prepare`, by its column's name."""
    schema = case.predictor.schema
    for column in map(schema.column, schema.features):
        if column.type == "number" and column.low is not None:
            wrong = case.rows.assign(**{column.name: column.low - 1})
            _refuses(case, wrong, column.name, f"with {column.name} below {column.low:g}")
            return


def takes_no_rows(case: PredictorCase) -> None:
    """No rows get an empty answer with the usual columns."""
    nothing = case.predict(case.rows[:0])
    promise(len(nothing) == 0, f"it answers {len(nothing)} rows.")
    promise(
        list(nothing) == list(case.answer), f"the columns are {list(nothing)}, not the usual ones."
    )


PREDICTOR_CHECKS: Sequence[Callable[[PredictorCase], None]] = (
    answers_in_the_rows_index,
    one_row_or_many_are_equal,
    same_rows_same_answer,
    answers_are_valid,
    decides_by_the_threshold,
    ignores_other_columns,
    leaves_its_rows_alone,
    names_a_missing_column,
    names_a_wrong_type,
    names_a_value_out_of_range,
    takes_no_rows,
)


def _refuses(case: PredictorCase, rows: pd.DataFrame, name: str, what: str) -> None:
    """Check that rows are refused with a CrivoError that names the column."""
    try:
        case.predict(rows)
    except CrivoError as error:
        promise(name in str(error), f"rows {what} are refused, but not by its name: {error}")
        return
    promise(False, f"rows {what} got an answer.")
