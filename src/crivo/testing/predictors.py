"""Contract tests for predictors: the same checks for the trained model and for its mock."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.prediction.predictor import Predictor
from crivo.testing.contract import promise, require_kept
from crivo.testing.examples import example_rows
from crivo.testing.tables import RowPromises, require_equal, require_valid

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
        schema = self.predictor.schema
        require_valid(self.answer, schema.task, schema.classes)

    def names_a_missing_column(self) -> None:
        """Rows that lack a column are refused with a CrivoError that names it."""
        name = self.predictor.columns[0]
        try:
            self._answer(self.rows.drop(columns=name))
        except CrivoError as error:
            promise(name in str(error), f"rows without {name} are refused, but not by its name.")
            return
        promise(False, f"rows without the column {name} got an answer.")


def check_predictor(predictor: Predictor, rows: pd.DataFrame | None = None) -> None:
    """Check that a predictor keeps every promise of its interface.

    `rows` fit its schema; without them made-up rows of `example_schema` are taken.
    ContractError: which promises it breaks, one sentence each.

    >>> from crivo.testing import FakePredictor
    >>> check_predictor(FakePredictor(threshold=0.3))
    """
    rows = example_rows(predictor.schema.task, rows=60) if rows is None else rows
    require_kept(f"predictor {type(predictor).__name__}", PredictorPromises(predictor, rows))
