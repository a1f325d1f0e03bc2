"""A folder of Parquet files that is read column by column: its rows may not fit in memory."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from crivo.core.stored_table import StoredTable, is_large
from crivo.preparation.tables.excel import content_of
from crivo.preparation.tables.files import PARQUET, clean_names, table_files


def large_parquet(folder: Path, pattern: str | None = None) -> StoredTable | None:
    """Return the columns of a folder of Parquet files if they are many cells; None for others.

    They must have one form: the same columns of the same types, and names that stay as they are.
    Files of several forms are put together in memory.
    """
    paths = table_files(folder, pattern)
    if any(path.suffix.lower() not in PARQUET or content_of(path) != "parquet" for path in paths):
        return None
    import pyarrow as pa
    from pyarrow.parquet import read_schema

    try:
        first, *others = (read_schema(path) for path in paths)
        table = StoredTable(paths)
    except (OSError, pa.ArrowException):
        return None  # what reads them in memory says what is wrong
    indices = (first.pandas_metadata or {}).get("index_columns", [])
    one_form = all(other.equals(first) for other in others)
    if not one_form or any(isinstance(index, str) for index in indices):
        return None
    names = list(table)
    clean = clean_names(pd.DataFrame(columns=names)).columns.tolist()
    return table if clean == names and is_large(len(table), len(names)) else None
