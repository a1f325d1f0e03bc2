"""A folder of Parquet files, read column by column: its rows may not fit in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import pandas as pd
from pandas.api.types import is_numeric_dtype

from crivo.core.errors import CrivoError
from crivo.core.stored_table import BATCH_ROWS, is_large, read_column
from crivo.preparation.tables.excel import content_of
from crivo.preparation.tables.files import PARQUET, clean_names, table_files

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import FileMetaData


class ParquetColumns:
    """Files of one form; a column is read when it is asked for, as `[name]`, from all of them."""

    def __init__(self, files: Mapping[Path, FileMetaData], columns: Sequence[str]) -> None:
        """Take files with what their ends say: each column would else read it again."""
        self.columns = list(columns)
        self.files = files
        self._dtypes: dict[str, Any] = {}

    @property
    def empty(self) -> bool:
        return not any(metadata.num_rows for metadata in self.files.values())

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    @overload
    def __getitem__(self, name: str) -> pd.Series: ...
    @overload
    def __getitem__(self, name: list[str]) -> pd.DataFrame: ...
    def __getitem__(self, name: str | list[str]) -> pd.Series | pd.DataFrame:
        """Return a column, or a table of some; CrivoError when a file can't be read."""
        if isinstance(name, list):
            return pd.DataFrame({one: self[one] for one in name})
        parts = [_read(path, name, metadata) for path, metadata in self.files.items()]
        values = parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)
        self._dtypes[name] = values.dtype
        return values

    def drop(self, columns: Sequence[str], errors: str = "raise") -> ParquetColumns:
        """Return the same files without some columns."""
        left = [name for name in self.columns if name not in columns]
        return ParquetColumns(self.files, left)

    def maybe_texts(self) -> ParquetColumns:
        """Return the same files with the columns whose type leaves it open that they are text."""
        first = next(iter(self.files.values())).schema.to_arrow_schema()
        return self.drop([name for name in self.columns if _is_no_text(first.field(name).type)])

    def batches(self) -> Iterator[pd.DataFrame]:
        """Give all columns of so many rows at a time, each column of one type in all of them."""
        import pyarrow.parquet as pq

        kinds = {name: self._dtype(name) for name in self.columns}
        # Whole numbers are floats where others of their column are missing.
        numbers = {name: kind for name, kind in kinds.items() if is_numeric_dtype(kind)}
        for path in self.files:
            with path.open("rb") as file:
                parts = pq.ParquetFile(file).iter_batches(BATCH_ROWS, columns=self.columns)
                for part in parts:
                    yield part.to_pandas().astype(numbers)

    def _dtype(self, name: str) -> Any:
        return self._dtypes[name] if name in self._dtypes else self[name].dtype


def large_parquet(folder: Path, pattern: str | None = None) -> ParquetColumns | None:
    """Return the columns of a folder of Parquet files if they are many cells; None for others.

    They must have one form: the same columns of the same types, and names that stay as they are.
    Files of several forms are put together in memory.
    """
    paths = table_files(folder, pattern)
    if any(path.suffix.lower() not in PARQUET or content_of(path) != "parquet" for path in paths):
        return None
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = [pq.read_metadata(path) for path in paths]
    except (OSError, pa.ArrowException):
        return None  # what reads them in memory says what is wrong
    forms = [one.schema.to_arrow_schema() for one in found]
    rows = sum(one.num_rows for one in found)
    names = forms[0].names
    if not is_large(rows, len(names)) or not all(form.equals(forms[0]) for form in forms):
        return None
    indices = (forms[0].pandas_metadata or {}).get("index_columns", [])
    if any(isinstance(index, str) for index in indices):
        return None
    clean = clean_names(pd.DataFrame(columns=names)).columns.tolist()
    files = dict(zip(paths, found, strict=True))
    return ParquetColumns(files, names) if clean == names else None


def _is_no_text(kind: pa.DataType) -> bool:
    """Return whether pandas gives numbers or times for an Arrow type, whatever the values are."""
    import pyarrow.types as types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_timestamp(kind))


def _read(path: Path, name: str, metadata: FileMetaData) -> pd.Series:
    try:
        return read_column(path, name, metadata).reset_index(drop=True)
    except (OSError, ValueError) as error:
        raise CrivoError(f"{path.name} can't be read ({error}); fix the file.") from None
