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
    from pyarrow.parquet import FileMetaData

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

        self._metadata = metadata = pq.read_metadata(path)
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
        return read_column(self._path, name, self._metadata)

    def arrow(self, name: str) -> pa.ChunkedArray:
        """Return a column as pyarrow holds it."""
        return _column(self._path, name, self._metadata).column(name)

    def has_values(self, name: str) -> bool:
        """Return whether any value of a column isn't missing."""
        gaps = _gaps(self._metadata).get(name)
        return bool(self[name].notna().any()) if gaps is None else gaps < len(self)

    def in_memory(self) -> pd.DataFrame:
        """Return all rows as a data frame, of which no part is in memory twice."""
        return pd.DataFrame({name: self[name] for name in self.columns}, copy=False)

    def take(self, places: np.ndarray) -> pd.DataFrame:
        """Return the rows at some places, in memory; their index is the places."""
        return pd.DataFrame({name: self._taken(name, places) for name in self.columns})

    def _taken(self, name: str, places: np.ndarray) -> pd.Series:
        """Return the values of a column at some places; only these leave Arrow's memory."""
        import pyarrow as pa

        kind = self._types[name]
        if getattr(kind, "tz", None) is not None or name in self._typed_by_gaps:
            return self[name].take(places)
        table = _column(self._path, name, self._metadata).take(pa.array(places))
        values: pd.Series = table.to_pandas()[name]
        return values.set_axis(places)

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
        import pyarrow.types as types

        levels = [name for name, kind in self._types.items() if types.is_dictionary(kind)]
        return {name: self[name].dtype for name in [*levels, *self._typed_by_gaps]}

    @cached_property
    def _typed_by_gaps(self) -> list[str]:
        import pyarrow.types as types

        return [
            name
            for name, count in _gaps(self._metadata).items()
            if count != 0
            and (kind := self._types.get(name)) is not None
            and (types.is_integer(kind) or types.is_boolean(kind))
        ]


# What the stages before it have written: in memory, or on disk when it is large.
Rows = pd.DataFrame | StoredTable


def in_memory(rows: Rows) -> pd.DataFrame:
    """Return all rows of a table as a data frame."""
    return rows.in_memory() if isinstance(rows, StoredTable) else rows


def has_values(rows: Rows, name: str) -> bool:
    """Return whether any value of a column isn't missing; a file's end says it without a read."""
    return (
        rows.has_values(name) if isinstance(rows, StoredTable) else bool(rows[name].notna().any())
    )


def shared_texts(values: pd.Series) -> pd.Series:
    """Return a column of the same values, in which equal texts are one object.

    A library that asks pandas for objects would else get a new text for each row, and again with
    each call. Columns of other types are returned as they are.
    """
    if not isinstance(values.dtype, pd.StringDtype):
        return values
    codes, texts = pd.factorize(values, use_na_sentinel=False)
    objects = np.asarray(texts, dtype=object)[codes]
    return pd.Series(objects, values.index, _of_objects(values.dtype), values.name, copy=False)


def with_shared_levels(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of the same values, in which equal texts of a category are one object.

    It is to categories what `shared_texts` is to texts. pandas calls the types of both different.
    """
    shared = table.copy(deep=False)
    for name in table.select_dtypes("category").columns:
        shared[name] = _with_shared_levels(table[name])
    return shared


def _with_shared_levels(values: pd.Series) -> pd.Series:
    kind: Any = values.dtype
    if not isinstance(kind.categories.dtype, pd.StringDtype):
        return values
    levels = kind.categories.astype(_of_objects(kind.categories.dtype))
    shared = pd.CategoricalDtype(levels, kind.ordered)
    column = pd.Categorical.from_codes(values.array.codes, dtype=shared, validate=False)
    return pd.Series(column, values.index, name=values.name, copy=False)


def _of_objects(kind: pd.StringDtype) -> Any:
    return pd.StringDtype("python", na_value=kind.na_value)


def is_large(rows: int, columns: int) -> bool:
    """Return whether so many rows and columns are too many to be held in memory as a whole."""
    return rows * columns > MAX_CELLS


def read_column(path: Path, name: str, metadata: FileMetaData) -> pd.Series:
    """Return a column as pandas reads it; `metadata` is the file's, which isn't read again."""
    table = _column(path, name, metadata)
    # pandas names time zones in its own way.
    zoned = getattr(table.schema.field(name).type, "tz", None) is not None
    rows = pd.read_parquet(path, columns=[name]) if zoned else table.to_pandas()
    values: pd.Series = rows[name]
    return values


def _column(path: Path, name: str, metadata: FileMetaData) -> pa.Table:
    """Return a column as a table: it knows the type that the column had in pandas."""
    import pyarrow.parquet as pq

    with path.open("rb") as file:
        # One column has nothing to share among threads.
        table = pq.ParquetFile(file, metadata=metadata).read([name], use_threads=False)
    return table.select([name])  # `a` may have brought `a.b` along


def _gaps(metadata: FileMetaData) -> dict[str, int | None]:
    """Return how many values of each column are missing; None where the file doesn't say."""
    found: dict[str, int | None] = {}
    for group in range(metadata.num_row_groups):
        for number in range(metadata.num_columns):
            column = metadata.row_group(group).column(number)
            known, before = column.statistics, found.get(column.path_in_schema, 0)
            told = known is not None and known.has_null_count and before is not None
            found[column.path_in_schema] = before + known.null_count if told else None
    return found
