"""Reads the cells of new rows: their columns' types are known, and nothing is guessed."""

from __future__ import annotations

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.schema import Schema, Type
from crivo.preparation.tables.columns import Reading, clean, is_text, typed


def read_cells(values: pd.Series, reading: Reading, kind: Type) -> pd.Series:
    """Return a column of text in its type; as clean text when a cell is not of the type."""
    if not is_text(values):
        return values
    cells = clean(values, reading.missing)
    try:
        converted = typed(cells, reading, kind)
    except CrivoError:
        return cells
    return cells if (converted.isna() & cells.notna()).any() else converted


def read_features(raw: pd.DataFrame, reading: Reading, schema: Schema) -> pd.DataFrame:
    """Return the columns of raw rows that the schema has, but for the target, in their types."""
    kinds = {column.name: column.type for column in schema.columns}
    read = {
        str(name): read_cells(raw[name], reading, kinds[str(name)])
        for name in raw
        if name in kinds and name != schema.target
    }
    return pd.DataFrame(read, index=raw.index)
