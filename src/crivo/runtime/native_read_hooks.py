"""Reports files that pyarrow opens by itself, in C++, where Python tells no audit hook.

pandas reads Parquet through it.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

# The modules, and what in them opens files by their paths. A name that a version lacks is left out.
PARQUET = ("ParquetDataset", "ParquetFile", "read_metadata", "read_schema", "read_table")
READERS: dict[str, tuple[str, ...]] = {
    "pyarrow": ("input_stream", "memory_map"),
    "pyarrow.csv": ("open_csv", "read_csv"),
    "pyarrow.json": ("open_json", "read_json"),
    "pyarrow.dataset": ("dataset", "parquet_dataset"),
    "pyarrow.feather": ("read_feather", "read_table"),
    "pyarrow.ipc": ("open_file", "open_stream"),
    "pyarrow.orc": ("ORCFile", "read_table"),
    "pyarrow.parquet": PARQUET,
}
# More things than these in a list are values, not paths.
MAX_PATHS = 10_000

Report = Callable[[str], None]


def report_native_reads(report: Report) -> None:
    """Call `report` with each file that one of `READERS` is asked to open; it may raise."""
    for name, readers in READERS.items():
        module = import_module(name)
        for attribute in readers:
            reader = getattr(module, attribute, None)
            if isinstance(reader, type):
                reader.__init__ = _reporting(reader.__init__, report)  # type: ignore[misc]
            elif reader is not None:
                setattr(module, attribute, _reporting(reader, report))


def _reporting(reader: Callable[..., Any], report: Report) -> Callable[..., Any]:
    @functools.wraps(reader)
    def read(*arguments: Any, **options: Any) -> Any:
        for path in _paths((*arguments, *options.values())):
            report(path)
        return reader(*arguments, **options)

    return read


def _paths(values: Sequence[Any]) -> Iterator[str]:
    """Give the files among some values, those in lists and those in folders too."""
    for value in values:
        if isinstance(value, list | tuple) and len(value) <= MAX_PATHS:
            yield from _paths(value)
        elif isinstance(value, str | bytes | os.PathLike):
            name = os.fsdecode(value)
            folder = bool(name) and Path(name).is_dir()
            yield from map(str, Path(name).rglob("*")) if folder else (name,)
