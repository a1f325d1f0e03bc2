"""Checks raw rows against the schema and gives them the types that the model was taught with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.problems import did_you_mean
from crivo.core.schema import Schema
from crivo.preparation.tables.files import read_table_file
from crivo.preparation.tables.known_types import read_features

# One row is a mapping from column to value; several are a list of them, or a table.
Rows = pd.DataFrame | Mapping[str, Any] | Sequence[Mapping[str, Any]]

# As many columns are named in a sentence.
NAMED = 5


def checked_rows(rows: Rows, schema: Schema) -> pd.DataFrame:
    """Return the feature columns of raw rows, in the schema's order and types.

    Other columns are ignored; None, NaN and texts such as NA are missing values. CrivoError: a
    column is not there, or a value is not of the column's type.
    """
    table = as_table(rows)
    lacking = [name for name in schema.features if name not in table]
    if lacking:
        raise CrivoError(
            f"The rows lack {len(lacking)} of the {len(schema.features)} columns that the model "
            f"reads: {_some(lacking)}{did_you_mean(lacking[0], [str(name) for name in table])}. "
            "Add them, with empty cells where nothing is known."
        )
    return read_features(table[list(schema.features)], schema)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


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


def read_rows(path: Path, schema: Schema) -> pd.DataFrame:
    """Return the rows of a CSV or Parquet file, the cells of text read by the schema's types.

    Cells are read as in `dataset: table`. CrivoError: one is not of its column's type.
    """
    if not path.is_file():
        raise CrivoError(f"There is no file {path}; give a CSV or Parquet file of raw rows.")
    table = read_table_file(path)
    read = read_features(table, schema)
    table[read.columns] = read
    return table
