"""Temporary files, one per column, by which `prepare` splits a table larger than memory."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from crivo.core.artifacts import COLUMNS, written
from crivo.core.stored_table import GROUP_ROWS

if TYPE_CHECKING:
    import pyarrow as pa


@contextmanager
def stored(columns: Iterable[pd.Series]) -> Iterator[StoredColumns]:
    """Keep columns, which come one after the other, on disk for as long as they are needed."""
    shutil.rmtree(COLUMNS, ignore_errors=True)  # of a run that was killed
    try:
        yield StoredColumns(COLUMNS, columns)
    finally:
        shutil.rmtree(COLUMNS, ignore_errors=True)


class StoredColumns:
    """A table whose columns are files of a folder; `[name]` reads one, as of a data frame."""

    def __init__(self, folder: Path, columns: Iterable[pd.Series]) -> None:
        import pyarrow as pa

        self._folder = folder
        folder.mkdir(parents=True)
        self._first: dict[str, pd.Series] = {}
        count = 0
        for values in columns:
            table = pa.Table.from_pandas(values.to_frame(), preserve_index=False)
            _write(self._file(len(self._first)), table)
            self._first[str(values.name)] = values.iloc[:1].copy()  # not a view
            count = len(values)
        self.columns = pd.Index(self._first)
        self.index = pd.RangeIndex(count)

    def __len__(self) -> int:
        return len(self.index)

    def __contains__(self, name: object) -> bool:
        return name in self._first

    def __getitem__(self, name: str) -> pd.Series:
        """Return a column as it was stored."""
        values: pd.Series = self._read(name).to_pandas()[name]
        return values

    def take(self, places: np.ndarray) -> pd.DataFrame:
        """Return the rows at some places, in memory."""
        return pd.DataFrame({name: self[name].take(places) for name in self.columns})

    def write_rows(self, path: Path, places: np.ndarray, names: Sequence[str]) -> None:
        """Write a Parquet file with the rows at some places, in the order of the places.

        The bytes are those of a data frame with these rows.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        files = [self._folder / f"sorted-{number}.arrow" for number in range(len(names))]
        for file, name in zip(files, names, strict=True):
            _write(file, self._read(name).take(pa.array(places)))
        schema = self._schema(names)
        with written(path) as beside, pq.ParquetWriter(beside, schema) as writer:
            for group in range(-(-len(places) // GROUP_ROWS)):
                columns = [_piece(file, group) for file in files]
                rows = pa.Table.from_arrays(columns, list(names)).cast(schema)
                writer.write_table(rows, row_group_size=GROUP_ROWS)

    def _schema(self, names: Sequence[str]) -> pa.Schema:
        """Return the columns' types, and what pandas notes of a data frame that has them."""
        import pyarrow as pa

        frame = pd.DataFrame({name: self._first[name] for name in names})
        return pa.Table.from_pandas(frame, preserve_index=False).schema

    def _read(self, name: str) -> pa.Table:
        import pyarrow as pa

        if name not in self:
            raise KeyError(name)
        with self._file(list(self._first).index(name)).open("rb") as file:
            return pa.ipc.open_file(file).read_all()

    def _file(self, number: int) -> Path:
        return self._folder / f"{number}.arrow"


def _write(path: Path, table: pa.Table) -> None:
    """Write a table of one column, in pieces of so many rows as a row group has."""
    import pyarrow as pa

    with path.open("wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table.combine_chunks(), max_chunksize=GROUP_ROWS)


def _piece(path: Path, number: int) -> pa.Array:
    """Return a piece that `_write` has written."""
    import pyarrow as pa

    with path.open("rb") as file:
        return pa.ipc.open_file(file).get_batch(number).column(0)
