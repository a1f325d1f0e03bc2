"""The columns of a table on disk: one is in memory at a time, or all columns of few rows.

On disk they have narrow types where no value changes: each byte is written and read twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from crivo.core.artifacts import written
from crivo.core.stored_table import BATCH_ROWS, GROUP_ROWS

if TYPE_CHECKING:
    import pyarrow as pa

PLACE = "place"
# So many values show of most columns that a narrower type doesn't hold them, or that texts repeat.
LOOK = 1_000


class StoredColumns:
    """A table whose columns are files of a folder; `[name]` reads one, as of a data frame."""

    def __init__(self, folder: Path, columns: Iterable[pd.Series]) -> None:
        self._folder = folder
        folder.mkdir(parents=True)
        self._first: dict[str, pd.Series] = {}
        self._schemas: dict[str, pa.Schema] = {}
        count = 0
        for values in columns:
            self._write(len(self._first), values)
            self._first[str(values.name)] = values.iloc[:1].copy()  # not a view
            count = len(values)
        self.columns = pd.Index(self._first)
        self.index = pd.RangeIndex(count)

    def __len__(self) -> int:
        return len(self.index)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> pd.Series:
        """Return a column as it was stored."""
        return self._mapped(name).cast(self._schemas[name]).to_pandas()[name]

    def missing(self, name: str) -> np.ndarray:
        """Return which values of a column are missing."""
        missing: np.ndarray = self._mapped(name).column(0).is_null().to_numpy()
        return missing

    def take(self, places: np.ndarray) -> pd.DataFrame:
        """Return the rows at some places, in memory."""
        import pyarrow as pa

        chosen = np.zeros(len(self), dtype=bool)
        chosen[places] = True
        order = np.argsort(np.argsort(places))  # where each place is among the chosen ones
        columns = {}
        for name, first in self._first.items():
            part = self._mapped(name).filter(pa.array(chosen)).cast(self._schemas[name])
            values = part.to_pandas()[name]
            columns[name] = values.astype(first.dtype).take(order).reset_index(drop=True)
        return pd.DataFrame(columns)

    def batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Give some columns of so many rows at a time, from the first on."""
        import pyarrow as pa

        with ExitStack() as stack:
            files = [stack.enter_context(self._path(name).open("rb")) for name in names]
            readers = [pa.ipc.open_file(file) for file in files]
            for i in range(readers[0].num_record_batches):
                arrays = [reader.get_batch(i).column(0) for reader in readers]
                yield pa.RecordBatch.from_arrays(arrays, list(names))

    def write_rows(self, files: Sequence[tuple[Path, np.ndarray]], names: Sequence[str]) -> None:
        """Write Parquet files with the rows at some places each, in the order of the places.

        A row is in one file at most. The bytes are those of a data frame with these rows.
        """
        import pyarrow.parquet as pq

        groups, place, firsts = _groups(len(self), [places for _, places in files])
        self._deal(groups, place, names)
        schema = self._schema(names)
        for (path, places), first in zip(files, firsts, strict=True):
            with written(path) as beside, pq.ParquetWriter(beside, schema) as writer:
                for group in range(first, first + _group_count(len(places))):
                    table = self._sorted(group).select(list(names))
                    table = table.cast(schema).combine_chunks()
                    writer.write_table(table, row_group_size=GROUP_ROWS)

    def _deal(self, groups: np.ndarray, place: np.ndarray, names: Sequence[str]) -> None:
        """Write the rows of each group into a file of their own, with their places in it."""
        import pyarrow as pa

        start = 0
        with ExitStack() as stack:
            writers: dict[int, pa.ipc.RecordBatchStreamWriter] = {}
            for batch in self.batches(names):
                here = slice(start, start + len(batch))
                start += len(batch)
                for group in np.unique(groups[here]):
                    if group < 0:
                        continue
                    chosen = np.flatnonzero(groups[here] == group)
                    part = batch.take(pa.array(chosen))
                    part = part.append_column(PLACE, pa.array(place[here][chosen]))
                    if group not in writers:
                        file = stack.enter_context(self._group_path(group).open("wb"))
                        writer = pa.ipc.new_stream(file, part.schema)
                        writers[group] = stack.enter_context(writer)
                    writers[group].write_batch(part)

    def _sorted(self, group: int) -> pa.Table:
        """Return the rows of a group in the order of their places, and forget them."""
        import pyarrow as pa

        path = self._group_path(group)
        with path.open("rb") as file:
            table = pa.ipc.open_stream(file).read_all()
        path.unlink()
        return table.take(pa.array(np.argsort(table.column(PLACE).to_numpy(), kind="stable")))

    def _schema(self, names: Sequence[str]) -> pa.Schema:
        """Return the columns' types, and what pandas notes of a data frame that has them."""
        import pyarrow as pa

        frame = pd.DataFrame({name: self._first[name] for name in names})
        return pa.Table.from_pandas(frame, preserve_index=False).schema

    def _write(self, number: int, values: pd.Series) -> None:
        import pyarrow as pa

        table = pa.Table.from_pandas(values.to_frame(), preserve_index=False)
        self._schemas[str(values.name)] = table.schema
        narrow = narrowed(table.column(0))
        table = pa.table([narrow], [str(values.name)]).combine_chunks()
        with (
            (self._folder / f"{number}.arrow").open("wb") as file,
            pa.ipc.new_file(file, table.schema) as writer,
        ):
            writer.write_table(table, max_chunksize=BATCH_ROWS)

    def _mapped(self, name: str) -> pa.Table:
        """Return a column whose file is mapped: what isn't looked at takes no memory."""
        import pyarrow as pa

        with pa.memory_map(str(self._path(name))) as file:
            return pa.ipc.open_file(file).read_all()

    def _path(self, name: str) -> Path:
        return self._folder / f"{self.columns.get_loc(name)}.arrow"

    def _group_path(self, group: int) -> Path:
        return self._folder / f"group-{group}.arrows"


def narrowed(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return values in a narrower type from which they can be cast back without a change."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_int64(values.type):
        ends = pc.min_max(values).as_py()
        widths = ((8 * 2**i, getattr(pa, f"int{8 * 2**i}")()) for i in range(3))
        fitting = (kind for bits, kind in widths if _within(ends, 2 ** (bits - 1)))
        return values.cast(next(fitting, values.type))
    if pa.types.is_float64(values.type) and _are_narrow(values[:LOOK]) and _are_narrow(values):
        return values.cast(pa.float32(), safe=False)
    if pa.types.is_large_string(values.type) and len(values[:LOOK].unique()) < LOOK / 10:
        return values.dictionary_encode()
    return values


def _within(ends: dict[str, int | None], bound: int) -> bool:
    low, high = ends["min"], ends["max"]
    return low is None or high is None or (-bound <= low and high < bound)


def _are_narrow(values: pa.ChunkedArray) -> bool:
    """Return whether each float that isn't missing is one of 32 bits."""
    import pyarrow as pa
    import pyarrow.compute as pc

    equal = pc.equal(values.cast(pa.float32(), safe=False).cast(pa.float64()), values)
    return pc.all(equal).as_py() is not False


def _group_count(rows: int) -> int:
    return -(-rows // GROUP_ROWS)


def _groups(count: int, files: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Return the row group and the place in it of each row, and the first group of each file.

    The group of a row that is in no file is -1.
    """
    groups, place = np.full(count, -1, "int32"), np.zeros(count, "int32")
    firsts, first = [], 0
    for places in files:
        order = np.arange(len(places))
        groups[places], place[places] = first + order // GROUP_ROWS, order % GROUP_ROWS
        firsts.append(first)
        first += _group_count(len(places))
    return groups, place, firsts
