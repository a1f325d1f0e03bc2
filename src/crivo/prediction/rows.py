"""Checks raw rows to be scored: their types, and the rules by which `prepare` sets rows aside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.layout import a_few
from crivo.core.problems import did_you_mean
from crivo.core.schema import Schema
from crivo.preparation.quarantine import invalid_reasons
from crivo.preparation.tables.columns import read_features

# One row is a mapping from column to value; several are a list of them, or a table.
Rows = pd.DataFrame | Mapping[str, Any] | Sequence[Mapping[str, Any]]

# As many columns are named in a sentence.
NAMED = 5
# As many rows are named in a sentence.
SHOWN = 3
# Not known yet when a prediction is wanted, or of no matter to it.
LATER = ("target", "outcome", "weight")


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


def require_usable_file(rows: pd.DataFrame, schema: Schema) -> None:
    """Raise CrivoError when a file's row breaks a rule for a column that no model asks for.

    Rules for the id, say, count for a file only: a program may score one row twice.
    """
    others = rows.drop(columns=list(schema.features), errors="ignore")
    require_usable(read_features(others, schema), schema)
