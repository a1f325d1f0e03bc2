"""The predictor: one interface for scoring raw rows, of the trained model and of its mock."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.prediction.fitted import Estimates, Fitted, Isolated
from crivo.prediction.raw import RawRows
from crivo.prediction.rows import Rows, as_table, checked_rows, read_rows, require_usable


@dataclass(frozen=True, kw_only=True)
class Predictor(ABC):
    """Scores raw rows.

    `schema` says which columns a row must have; `threshold` is the probability from which on
    the positive class is predicted, if one was chosen; `version` changes with every change of the
    model; `about` says what it was made of; `raw` turns raw rows into model rows, by the dataset
    that made the rows of the model.
    """

    schema: Schema = field(repr=False)
    threshold: float | None = None
    version: str = ""
    about: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    raw: RawRows | None = field(default=None, repr=False, compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a row must have."""
        return self.schema.features

    def predict(self, rows: Rows) -> pd.DataFrame:
        """Return a row for each row, on the rows' own index.

        `rows` is a table, one mapping from column to value, or a list of such mappings; raw rows
        too, when the dataset says how they become rows.
        Columns of the answer: `prediction`, and `score`, the probability of the positive class,
        or `score_<class>` for more than two. With a threshold, a prediction is the positive
        class where the score reaches it. CrivoError: a row doesn't fit the schema, or is such
        as `prepare` sets aside.
        """
        table = checked_rows(self.rows_of(as_table(rows)), self.schema)
        require_usable(table, self.schema, self.schema.features)
        prediction, scores = self.estimate(table)
        answer: dict[str, Any] = {"prediction": prediction}
        if scores is not None:
            task = task_of(self.schema)
            if self.threshold is not None and len(scores):
                answer["prediction"] = task.decide(scores, self.threshold)
            answer |= task.to_columns(scores)
        return pd.DataFrame(answer, index=table.index)

    def rows_of(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return rows in the schema's columns, those of raw rows too."""
        if self.raw is None or not self.raw.takes(rows, self.schema):
            return rows
        return self.raw.rows(rows, self.schema)

    def read(self, path: Path) -> pd.DataFrame:
        """Return the rows of a file to be scored, read as the dataset reads its own."""
        if self.raw is None or not self.raw.reads(path, self.schema):
            return read_rows(path, self.schema)
        return self.raw.read(path, self.schema)

    def beside(self, folder: Path) -> Self:
        """Return a predictor that makes rows with a folder's raw files, not with those kept."""
        if self.raw is None:
            raise CrivoError("The model doesn't say how its rows were made; leave out --beside.")
        return replace(self, raw=replace(self.raw, source=folder))

    @abstractmethod
    def estimate(self, rows: pd.DataFrame) -> Estimates:
        """Return the predictions and scores of rows that fit the schema."""


@dataclass(frozen=True, kw_only=True)
class TrainedPredictor(Predictor):
    """Scores raw rows with the featurizer and the model that the pipeline has fitted.

    `fitted` has both, in this process or in another.
    """

    fitted: Fitted | Isolated = field(repr=False, compare=False)

    def estimate(self, rows: pd.DataFrame) -> Estimates:
        """Return the predictions and scores, as the evaluation got them."""
        return self.fitted.estimate(rows)
