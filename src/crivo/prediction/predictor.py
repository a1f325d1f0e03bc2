"""The predictor: checks raw rows and scores them with the fitted featurizer and model.

Rows that `prepare` would set aside are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.problems import did_you_mean
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.core.wording import a_few
from crivo.prediction.fitted import Estimates
from crivo.prediction.raw import RawRows
from crivo.preparation.quarantine import invalid_reasons
from crivo.preparation.tables.columns import read_features
from crivo.preparation.tables.files import read_table_file

# One row is a mapping from column to value; several are a list of them, or a table.
Rows = pd.DataFrame | Mapping[str, Any] | Sequence[Mapping[str, Any]]

# As many columns, and as many rows, are named in a sentence.
NAMED, SHOWN = 5, 3
# Not known yet when a prediction is wanted, or of no matter to it.
LATER = ("target", "outcome", "weight")


@dataclass(frozen=True, kw_only=True)
class Predictor:
    """Scores raw rows.

    `schema` says which columns a row must have; `threshold` is the probability from which on
    the positive class is predicted, if one was chosen; `version` changes with every change of the
    model; `about` says what it was made of; `raw` turns raw rows into features, by the dataset
    that made the rows of the model; `fitted` has featurizer and model, in this process or another.
    """

    schema: Schema = field(repr=False)
    threshold: float | None = None
    version: str = ""
    about: Mapping[str, Any] = field(default_factory=dict, repr=False)
    raw: RawRows | None = field(default=None, repr=False)
    fitted: Any = field(default=None, repr=False)

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
        # A program may score a row twice, but the ids of a file name its rows.
        others = rows.drop(columns=[*schema.features, *schema.named(*LATER)], errors="ignore")
        require_usable(read_features(others, schema), schema)
        return rows

    def beside(self, folder: Path) -> Self:
        """Return a predictor that makes rows with a folder's raw files, not with those kept."""
        if not folder.is_dir():
            raise CrivoError(f"There is no folder {folder}; give one with raw files (--beside).")
        if self.raw is None:
            raise CrivoError("The model doesn't say how its rows were made; leave out --beside.")
        return replace(self, raw=replace(self.raw, source=folder))

    def estimate(self, rows: pd.DataFrame) -> Estimates:
        """Return the predictions and scores of rows that fit the schema; a mock has its own."""
        return self.fitted.estimate(rows)


def as_table(rows: Rows) -> pd.DataFrame:
    """Return rows in any accepted form as a DataFrame; CrivoError for anything else."""
    if isinstance(rows, pd.DataFrame):
        return rows
    if isinstance(rows, Mapping):
        rows = [rows]
    if isinstance(rows, Sequence) and all(isinstance(row, Mapping) for row in rows) and rows:
        return pd.DataFrame.from_records([dict(row) for row in rows])
    raise CrivoError(
        f"The rows are a {type(rows).__name__}; expected a DataFrame, a mapping from column to "
        "value for one row, or a list of such mappings."
    )


def checked_rows(table: pd.DataFrame, schema: Schema) -> pd.DataFrame:
    """Return the feature columns of raw rows, in the schema's order and types.

    Other columns are ignored; None, NaN and texts such as NA are missing values. CrivoError: a
    column is not there, a value is not of the column's type, or a row is such as `prepare` sets
    aside.
    """
    lacking = [name for name in schema.features if name not in table]
    if lacking:
        near = did_you_mean(lacking[0], [str(name) for name in table])
        raise CrivoError(
            f"The rows lack {len(lacking)} of the {len(schema.features)} columns that the model "
            f"reads: {a_few(lacking, NAMED)}{near}. Add them, with empty cells where nothing is "
            "known."
        )
    checked = read_features(table[list(schema.features)], schema)
    require_usable(checked, schema)
    return checked


def require_usable(rows: pd.DataFrame, schema: Schema) -> None:
    """Raise CrivoError when a row breaks a rule of the schema for one of the columns that it has.

    The columns must have the schema's types. Those of the target, of outcomes and of the weight
    have no say; nor have rules that only a dataset's own code knows (`unusable`).
    """
    rules = tuple(one for one in schema.columns if one.name in rows and one.role not in LATER)
    reasons = invalid_reasons(rows, schema.model_copy(update={"columns": rules}))
    wrong = np.flatnonzero(reasons != "").tolist()
    if wrong:
        examples = a_few((f"row {at + 1} ({reasons.iat[at]})" for at in wrong), SHOWN)
        raise CrivoError(
            f"These rows are like those that prepare sets aside: {examples}. The model was neither "
            "fitted nor evaluated on such rows; correct them, or leave them out."
        )
