"""Tables in Parquet files that may not fit in memory: one column at a time, or few rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    import pyarrow as pa

# A table of more cells (rows times columns) than this isn't held in memory as a whole.
MAX_CELLS = 100_000_000
# Rows of which all columns are in memory at once.
BATCH_ROWS = 2**17
# Rows of a row group, as pandas and pyarrow write them: the file's bytes depend on it.
GROUP_ROWS = 2**20


class StoredTable:
    """Columns of Parquet files of one form, as of a data frame; `[name]` reads one of them."""

    def __init__(self, files: Path | Sequence[Path], columns: Sequence[str] | None = None) -> None:
        """Open files; OSError or ValueError when one can't be read, KeyError for an unknown name.

        Without `columns` it has those of the files.
        """
        from pyarrow.dataset import dataset

        self.paths = [files] if isinstance(files, Path) else list(files)
        self._data = dataset(self.paths, format="parquet")
        schema = self._data.schema
        names = schema.names if columns is None else list(columns)
        self._types = {name: schema.field(name).type for name in names}
        self.columns = pd.Index(names, dtype="object")
        self.index = pd.RangeIndex(self._data.count_rows())

    def __len__(self) -> int:
        return len(self.index)

    def __contains__(self, name: object) -> bool:
        return name in self._types

    def __iter__(self) -> Iterator[str]:
        return iter(self._types)

    @overload
    def __getitem__(self, name: str) -> pd.Series: ...
    @overload
    def __getitem__(self, name: list[str]) -> StoredTable: ...
    def __getitem__(self, name: str | list[str]) -> pd.Series | StoredTable:
        """Return a column, in memory, or the same table with some of the columns."""
        if isinstance(name, list):
            return StoredTable(self.paths, name)
        values: pd.Series = self._read(name).to_pandas()[name]
        return values.reset_index(drop=True)

    def drop(self, columns: Sequence[str], errors: str = "raise") -> StoredTable:
        """Return the same table without some columns."""
        return self[[name for name in self if name not in columns]]

    def has_values(self, name: str) -> bool:
        """Return whether any value of a column isn't missing."""
        return self._known(name) > 0

    def in_memory(self) -> pd.DataFrame:
        """Return all rows as a data frame, of which no part is in memory twice."""
        return pd.DataFrame({name: self[name] for name in self}, copy=False)

    def take(self, places: np.ndarray) -> pd.DataFrame:
        """Return the rows at some places, in memory; their index is the places."""
        return pd.DataFrame({name: self[name].take(places) for name in self})

    def head(self, count: int) -> pd.DataFrame:
        """Return the first rows, in memory."""
        rows: pd.DataFrame = self._data.head(count, columns=[*self]).to_pandas()
        return rows.astype(self._dtypes).reset_index(drop=True)

    def batches(self, rows: int | None = None) -> Iterator[pd.DataFrame]:
        """Give all columns of so many rows at a time, each column of the type that all have."""
        import pyarrow.parquet as pq

        start = 0
        for path in self.paths:  # a dataset would read several batches ahead
            with path.open("rb") as file:
                parts = pq.ParquetFile(file).iter_batches(rows or BATCH_ROWS, columns=[*self])
                for part in parts:
                    batch = part.select([*self]).to_pandas().astype(self._dtypes)
                    yield batch.set_axis(pd.RangeIndex(start, start + len(batch)))
                    start += len(batch)

    @cached_property
    def _dtypes(self) -> dict[str, Any]:
        """The types of columns whose type in a batch depends on its rows.

        Whole numbers are floats where others of their column are missing, and a category may lack
        levels.
        """
        import pyarrow.types as types

        def by_gaps(kind: Any) -> bool:
            return bool(types.is_integer(kind) or types.is_boolean(kind))

        return {
            name: self[name].dtype
            for name, kind in self._types.items()
            if types.is_dictionary(kind) or (by_gaps(kind) and self._known(name) < len(self))
        }

    def _known(self, name: str) -> int:
        """Return how many values of a column aren't missing."""
        from pyarrow.dataset import field

        count: int = self._data.count_rows(filter=field(name).is_valid())
        return count

    def _read(self, name: str) -> pa.Table:
        """Return a column as a table: it knows the type that the column had in pandas."""
        if name not in self:
            raise KeyError(name)
        try:
            # One column has nothing to share among threads.
            return self._data.to_table(columns=[name], use_threads=False)
        except (OSError, ValueError) as error:
            raise CrivoError(f"{self.paths[0].parent}: {name} can't be read ({error}).") from None


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
        levels = table[name].cat.categories
        if isinstance(levels.dtype, pd.StringDtype):
            objects = levels.astype(_of_objects(levels.dtype))
            shared[name] = table[name].cat.rename_categories(objects)
    return shared


def _of_objects(kind: pd.StringDtype) -> Any:
    return pd.StringDtype("python", na_value=kind.na_value)


def is_large(rows: int, columns: int) -> bool:
    """Return whether so many rows and columns are too many to be held in memory as a whole."""
    return rows * columns > MAX_CELLS
