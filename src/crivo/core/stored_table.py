"""Tables in Parquet files that may not fit in memory: one column at a time, or few rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    import pyarrow as pa

# A table of more cells (rows times columns) than this isn't held in memory as a whole.
MAX_CELLS = 100_000_000
# Rows of which all columns are in memory at once.
BATCH_ROWS = 2**17
# Rows of a row group, as pandas and pyarrow write them: the file's bytes depend on it.
GROUP_ROWS = 2**20


class StoredTable:
    """Columns of a Parquet file, in the form of a data frame; `[name]` reads one of them."""

    def __init__(self, path: Path, columns: Sequence[str] | None = None) -> None:
        """Open a file; OSError or ValueError when it can't be read, KeyError for an unknown name.

        Without `columns` it has those of the file.
        """
        import pyarrow.parquet as pq

        metadata = pq.read_metadata(path)
        schema = metadata.schema.to_arrow_schema()
        names = schema.names if columns is None else list(columns)
        self._path = path
        self._types = {name: schema.field(name).type for name in names}
        self.columns = pd.Index(names, dtype="object")
        self.index = pd.RangeIndex(metadata.num_rows)

    def __len__(self) -> int:
        return len(self.index)

    def __contains__(self, name: object) -> bool:
        return name in self._types

    @overload
    def __getitem__(self, name: str) -> pd.Series: ...
    @overload
    def __getitem__(self, name: list[str]) -> StoredTable: ...
    def __getitem__(self, name: str | list[str]) -> pd.Series | StoredTable:
        """Return a column, in memory, or the same table with some of the columns."""
        if isinstance(name, list):
            return StoredTable(self._path, name)
        if name not in self:
            raise KeyError(name)
        values: pd.Series = pd.read_parquet(self._path, columns=[name])[name]
        return values

    def arrow(self, name: str) -> pa.ChunkedArray:
        """Return a column as pyarrow holds it."""
        import pyarrow.parquet as pq

        return pq.read_table(self._path, columns=[name]).column(0)

    def in_memory(self) -> pd.DataFrame:
        """Return all rows as a data frame, of which no part is in memory twice."""
        return pd.DataFrame({name: self[name] for name in self.columns}, copy=False)

    def take(self, places: np.ndarray) -> pd.DataFrame:
        """Return the rows at some places, in memory; their index is the places."""
        return pd.DataFrame({name: self[name].take(places) for name in self.columns})

    def head(self, count: int) -> pd.DataFrame:
        """Return the first rows, in memory."""
        parts = []
        for batch in self.batches(count):
            parts.append(batch)
            if sum(map(len, parts)) >= count:
                break
        return pd.concat(parts).head(count)

    def batches(self, rows: int | None = None) -> Iterator[pd.DataFrame]:
        """Give all columns of so many rows at a time, each column of the type that all have."""
        import pyarrow.parquet as pq

        start = 0
        with self._path.open("rb") as file:
            size = rows or BATCH_ROWS
            for part in pq.ParquetFile(file).iter_batches(size, columns=list(self._types)):
                batch = part.select(list(self._types)).to_pandas().astype(self._dtypes)
                yield batch.set_axis(pd.RangeIndex(start, start + len(batch)))
                start += len(batch)

    @cached_property
    def _dtypes(self) -> dict[str, Any]:
        """The types of columns whose type in a batch depends on its rows.

        Whole numbers are floats where others of their column are missing, and a category may lack
        levels.
        """
        import pyarrow.parquet as pq
        import pyarrow.types as types

        gaps = _columns_with_gaps(pq.read_metadata(self._path))
        return {
            name: self[name].dtype
            for name, kind in self._types.items()
            if types.is_dictionary(kind)
            or (name in gaps and (types.is_integer(kind) or types.is_boolean(kind)))
        }


# What the stages before it have written: in memory, or on disk when it is large.
Rows = pd.DataFrame | StoredTable


def in_memory(rows: Rows) -> pd.DataFrame:
    """Return all rows of a table as a data frame."""
    return rows.in_memory() if isinstance(rows, StoredTable) else rows


def shared_texts(values: pd.Series) -> pd.Series:
    """Return a column of the same values, in which equal texts are one object.

    A library that asks pandas for objects would else get a new text for each row, and again with
    each call. Columns of other types are returned as they are.
    """
    if not isinstance(values.dtype, pd.StringDtype):
        return values
    codes, texts = pd.factorize(values, use_na_sentinel=False)
    kind = pd.StringDtype("python", na_value=values.dtype.na_value)
    objects = np.asarray(texts, dtype=object)[codes]
    return pd.Series(objects, values.index, kind, values.name, copy=False)


def is_large(rows: int, columns: int) -> bool:
    """Return whether so many rows and columns are too many to be held in memory as a whole."""
    return rows * columns > MAX_CELLS


def _columns_with_gaps(metadata: pa.parquet.FileMetaData) -> set[str]:
    """Return the columns of which a value is missing, or may be."""
    found = set()
    for group in range(metadata.num_row_groups):
        for number in range(metadata.num_columns):
            column = metadata.row_group(group).column(number)
            known = column.statistics
            if known is None or not known.has_null_count or known.null_count:
                found.add(column.path_in_schema)
    return found
