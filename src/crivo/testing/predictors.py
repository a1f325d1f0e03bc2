"""Contract tests for predictors: the same checks for the trained model and for its mock."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.schema import Task
from crivo.core.tasks import TASKS
from crivo.prediction.predictor import Predictor
from crivo.testing.contract import promise, require_kept
from crivo.testing.examples import example_rows
from crivo.testing.tables import RowPromises, require_equal

# Rows that are also scored one by one.
ALONE = 3


@dataclass
class PredictorPromises(RowPromises):
    """A predictor and rows that fit its schema."""

    predictor: Predictor
    rows: pd.DataFrame

    doing = "predict"

    def _answer(self, rows: pd.DataFrame) -> pd.DataFrame:
        return self.predictor.predict(rows)

    @property
    def task(self) -> Task:
        return self.predictor.schema.task

    def one_row_or_many_are_equal(self) -> None:
        """A row alone gets the same answer as among others."""
        columns = self.predictor.columns
        for position in range(min(ALONE, len(self.rows))):
            row = {name: self.rows[name].iat[position] for name in columns}
            among = self.answer.iloc[[position]].reset_index(drop=True)
            finding = f"row {position + 1} alone got another answer"
            require_equal(among, self.predictor.predict(row), finding)

    def answers_are_valid(self) -> None:
        """Predictions are classes or finite numbers; scores are probabilities that sum to one."""
        predictions = self.answer["prediction"]
        if not TASKS[self.task].has_classes:
            finite = np.isfinite(predictions.to_numpy(float)).all()
            promise(finite, "a prediction isn't a finite number.")
            return
        strange = set(predictions) - set(self.predictor.schema.classes)
        promise(not strange, f"it predicts {strange}, which the schema doesn't know.")
        scores = self.answer.filter(like="score").to_numpy(float)
        promise(((scores >= 0) & (scores <= 1)).all(), "a score is not between 0 and 1.")
        if scores.shape[1] > 1:
            promise(np.allclose(scores.sum(axis=1), 1), "the scores of a row don't sum to one.")

    def decides_by_the_threshold(self) -> None:
        """The positive class is predicted where the score reaches the threshold, if any."""
        threshold = self.predictor.threshold
        if threshold is None or "score" not in self.answer:
            return
        acted = self.answer["prediction"] == self.predictor.schema.positive
        right = (acted == (self.answer["score"] >= threshold)).all()
        promise(right, f"the positive class is not predicted just where score >= {threshold}.")

    def ignores_other_columns(self) -> None:
        """Columns that the schema doesn't ask for, and the order of the others, don't matter."""
        columns = list(self.predictor.columns)
        turned = self.rows[columns[::-1]].assign(something_else=1)
        finding = "columns in another order changed the answer"
        require_equal(self.answer, self._answer(turned), finding)

    def names_a_missing_column(self) -> None:
        """Rows that lack a column are refused, and the column is named."""
        name = self.predictor.columns[0]
        self._refuses(self.rows.drop(columns=name), name, f"without the column {name}")

    def names_a_wrong_type(self) -> None:
        """A value of the wrong type is refused, and the column is named."""
        schema = self.predictor.schema
        for name in schema.features:
            if schema.column(name).type in ("number", "boolean", "date"):
                wrong = self.rows.assign(**{name: "neither here nor there"})
                self._refuses(wrong, name, f"with words for {name}")
                return

    def names_a_value_out_of_range(self) -> None:
        """A number that the schema doesn't allow is refused, by its column's name."""
        schema = self.predictor.schema
        for column in map(schema.column, schema.features):
            if column.type == "number" and column.low is not None:
                wrong = self.rows.assign(**{column.name: column.low - 1})
                self._refuses(wrong, column.name, f"with {column.name} below {column.low:g}")
                return

    def takes_no_rows(self) -> None:
        """No rows get an empty answer with the usual columns."""
        nothing = self._answer(self.rows[:0])
        promise(len(nothing) == 0, f"it answers {len(nothing)} rows.")
        usual = list(nothing) == list(self.answer)
        promise(usual, f"the columns are {list(nothing)}, not the usual ones.")

    def _refuses(self, rows: pd.DataFrame, name: str, what: str) -> None:
        """Check that rows are refused with a CrivoError that names the column."""
        try:
            self._answer(rows)
        except CrivoError as error:
            promise(name in str(error), f"rows {what} are refused, but not by its name: {error}")
            return
        promise(False, f"rows {what} got an answer.")


def check_predictor(predictor: Predictor, rows: pd.DataFrame | None = None) -> None:
    """Check that a predictor keeps every promise of its interface.

    `rows` fit its schema; without them made-up rows of `example_schema` are taken.
    ContractError: which promises it breaks, one sentence each.

    >>> from crivo.testing import FakePredictor
    >>> check_predictor(FakePredictor(threshold=0.3))
    """
    rows = example_rows(predictor.schema.task, rows=60) if rows is None else rows
    require_kept(f"predictor {type(predictor).__name__}", PredictorPromises(predictor, rows))
