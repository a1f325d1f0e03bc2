"""Checks raw rows against the schema and gives them the types that the model was taught with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype

from crivo.core.errors import CrivoError
from crivo.core.problems import did_you_mean
from crivo.core.schema import Schema, Type
from crivo.preparation.tables.columns import Reading, as_text
from crivo.preparation.tables.decimals import guess_decimal
from crivo.preparation.tables.files import read_table_file
from crivo.preparation.tables.known_types import read_cells

# One row is a mapping from column to value; several are a list of them, or a table.
Rows = pd.DataFrame | Mapping[str, Any] | Sequence[Mapping[str, Any]]

# As many columns are named in a sentence.
NAMED = 5

EXPECTED: dict[Type, str] = {
    "number": "a number",
    "boolean": "true or false",
    "date": "a date such as 2013-09-01 or 2013-09-01T08:30",
    "category": "text",
    "text": "text",
}

WORDS = {"true": True, "false": False, "1": True, "0": False, "1.0": True, "0.0": False}


def checked_rows(rows: Rows, schema: Schema) -> pd.DataFrame:
    """Return the feature columns of raw rows, in the schema's order and types.

    Other columns are ignored; None and NaN are missing values. CrivoError: a column is not
    there, or a value is not of the column's type.
    """
    table = as_table(rows)
    lacking = [name for name in schema.features if name not in table]
    if lacking:
        raise CrivoError(
            f"The rows lack {len(lacking)} of the {len(schema.features)} columns that the model "
            f"reads: {_some(lacking)}{did_you_mean(lacking[0], [str(name) for name in table])}. "
            "Add them, with empty cells where nothing is known."
        )
    columns = {name: _checked(table[name], schema.column(name).type) for name in schema.features}
    return pd.DataFrame(columns, index=table.index)


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

    Padding is cut off, and cells such as NA count as missing, as in `dataset: table`.
    """
    if not path.is_file():
        raise CrivoError(f"There is no file {path}; give a CSV or Parquet file of raw rows.")
    table = read_table_file(path)
    read = [name for name in schema.features if name in table]
    reading = Reading(decimal=guess_decimal(table[read]))
    for name in read:
        table[name] = read_cells(table[name], reading, schema.column(name).type)
    return table


def _checked(values: pd.Series, kind: Type) -> pd.Series:
    """Return a column in its type; CrivoError with the first value that is none."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(values.dtype.categories.dtype)
    converted = CONVERT[kind](values)
    wrong = converted.isna() & values.notna()
    if wrong.any():  # an empty text is nothing
        wrong[wrong] = as_text(values[wrong]).str.strip() != ""
    if wrong.any():
        at = int(np.argmax(wrong.to_numpy()))
        value = values.iat[at]
        value = value.item() if isinstance(value, np.generic) else value
        more = f" and {wrong.sum() - 1} more" if wrong.sum() > 1 else ""
        raise CrivoError(
            f"Column {values.name} has {value!r} in row {at + 1}{more}; expected "
            f"{EXPECTED[kind]}, or nothing where it is not known."
        )
    return converted


def _numbers(values: pd.Series) -> pd.Series:
    if is_bool_dtype(values.dtype) or is_datetime64_any_dtype(values.dtype):
        return _none(values)
    if is_numeric_dtype(values.dtype):
        return values
    return pd.to_numeric(_without(values, bool), errors="coerce")


def _booleans(values: pd.Series) -> pd.Series:
    if is_bool_dtype(values.dtype) and values.notna().all():
        return values.astype("bool")
    flags = as_text(values).str.strip().str.lower().map(WORDS)
    return flags.astype("bool") if flags.notna().all() else flags.astype("boolean")


def _dates(values: pd.Series) -> pd.Series:
    if is_datetime64_any_dtype(values.dtype):
        return values
    if is_numeric_dtype(values.dtype) and values.notna().any():
        return _none(values)
    return pd.to_datetime(_without(values, int | float), format="ISO8601", errors="coerce")


def _texts(values: pd.Series) -> pd.Series:
    return as_text(values)


def _without(values: pd.Series, kind: type | UnionType) -> pd.Series:
    """Return a column of mixed objects without those of a kind."""
    if values.dtype != object:
        return values
    return values.mask(values.map(lambda value: isinstance(value, kind)).astype("bool"))


def _none(values: pd.Series) -> pd.Series:
    """Return a column in which no value was of the type."""
    return pd.Series(np.nan, index=values.index, name=values.name)


CONVERT: dict[Type, Callable[[pd.Series], pd.Series]] = {
    "number": _numbers,
    "boolean": _booleans,
    "date": _dates,
    "category": _texts,
    "text": _texts,
}
