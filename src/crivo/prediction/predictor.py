"""The predictor: scores raw rows with the featurizer and the model that the pipeline has fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.prediction.fitted import Estimates
from crivo.prediction.raw import RawRows
from crivo.prediction.rows import Rows, as_table, checked_rows, require_usable_file
from crivo.preparation.tables.files import read_table_file


@dataclass(frozen=True, kw_only=True)
class Predictor:
    """Scores raw rows.

    `schema` says which columns a row must have; `threshold` is the probability from which on
    the positive class is predicted, if one was chosen; `version` changes with every change of the
    model; `about` says what it was made of; `raw` turns raw rows into model rows, by the dataset
    that made the rows of the model; `fitted` has featurizer and model, in this process or another.
    """

    schema: Schema = field(repr=False)
    threshold: float | None = None
    version: str = ""
    about: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    raw: RawRows | None = field(default=None, repr=False, compare=False)
    fitted: Any = field(default=None, repr=False, compare=False)

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
        table = as_table(rows)
        table = table if self.raw is None else self.raw.model_rows(table, self.schema)
        table = checked_rows(table, self.schema)
        prediction, scores = self.estimate(table)
        answer: dict[str, Any] = {"prediction": prediction}
        if scores is not None:
            task = task_of(self.schema)
            if self.threshold is not None and len(scores):
                answer["prediction"] = task.decide(scores, self.threshold)
            answer |= task.to_columns(scores)
        return pd.DataFrame(answer, index=table.index)

    def read(self, path: Path) -> pd.DataFrame:
        """Return the rows of a file to be scored, read as the dataset reads its own.

        CrivoError: one is such as `prepare` sets aside, for its id, say.
        """
        if not path.is_file():
            raise CrivoError(f"There is no file {path}; give a CSV or Parquet file of raw rows.")
        raw, schema = self.raw, self.schema
        rows = read_table_file(path) if raw is None else raw.read(path, schema)
        require_usable_file(rows, schema)
        return rows

    def beside(self, folder: Path) -> Self:
        """Return a predictor that makes rows with a folder's raw files, not with those kept."""
        if self.raw is None:
            raise CrivoError("The model doesn't say how its rows were made; leave out --beside.")
        return replace(self, raw=replace(self.raw, source=folder))

    def estimate(self, rows: pd.DataFrame) -> Estimates:
        """Return the predictions and scores of rows that fit the schema."""
        return self.fitted.estimate(rows)
