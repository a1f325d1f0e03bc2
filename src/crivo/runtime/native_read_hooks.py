"""Reports files that libraries in C++ open by themselves, where Python tells no audit hook.

What is listed here is told of the paths that it is called with, when its module is imported.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from crivo.runtime.lateimports import found_by_others

if TYPE_CHECKING:
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec

# A module, and what in it opens files by their paths. pandas reads Parquet through pyarrow.
READERS: dict[str, tuple[str, ...]] = {
    "lightgbm.basic": (
        *("Booster", "Booster.predict", "Booster.refit", "Dataset"),
        "_InnerPredictor.from_model_file",  # what training continues
    ),
    "pyarrow._csv": ("open_csv", "read_csv"),
    "pyarrow._json": ("open_json", "read_json"),
    "pyarrow.dataset": ("dataset", "parquet_dataset"),
    "pyarrow.feather": ("read_feather", "read_table"),
    "pyarrow.ipc": ("open_file", "open_stream"),
    "pyarrow.lib": ("input_stream", "memory_map"),
    "pyarrow.orc": ("ORCFile", "read_table"),
    "pyarrow.parquet.core": (
        *("ParquetDataset", "ParquetFile", "read_metadata", "read_schema", "read_table"),
    ),
    "xgboost.core": (
        *("Booster", "Booster.load_model"),
        *("DMatrix", "ExtMemQuantileDMatrix", "QuantileDMatrix"),
    ),
}
# More things than these in a list are values, not paths.
MAX_PATHS = 10_000

Report = Callable[[str], None]


def report_native_reads(report: Report) -> None:
    """Call `report` with each file that one of `READERS` is asked to open; it may raise."""
    for name in READERS.keys() & sys.modules.keys():
        wrap_readers(sys.modules[name], READERS[name], report)
    sys.meta_path.insert(0, _Finder(report))


def wrap_readers(module: ModuleType, names: Sequence[str], report: Report) -> None:
    """Replace functions, methods, and the making of objects by ones that report first.

    What a library doesn't have, in another version, is left out.
    """
    for name in names:
        owner, _, attribute = name.rpartition(".")
        home: Any = getattr(module, owner, None) if owner else module
        reader = getattr(home, "__dict__", {}).get(attribute)
        if isinstance(reader, type):
            reader.__init__ = _reporting(reader.__init__, report)  # type: ignore[misc]
        elif isinstance(reader, classmethod):
            setattr(home, attribute, classmethod(_reporting(reader.__func__, report)))
        elif reader is not None:
            setattr(home, attribute, _reporting(reader, report))


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
            for file in {name, file_of_address(name)}:
                yield from _files(file)


def file_of_address(name: str) -> str:
    """Return the file that an address names: SQLite and XGBoost add options.

    >>> file_of_address("file:///rows.csv?format=csv#cache"), file_of_address("rows.csv")
    ('/rows.csv', 'rows.csv')
    """
    return name.partition("#")[0].partition("?")[0].removeprefix("file:").removeprefix("//")


def _files(name: str) -> Iterator[str]:
    """Give the file of a name, or those in a folder; nothing for a text that isn't a name."""
    try:
        folder = bool(name) and Path(name).is_dir()
    except OSError:  # too long for a name: a whole model
        return
    yield from map(str, Path(name).rglob("*")) if folder else (name,)


class _Finder:
    """Finds modules as the others do, and wraps their readers once they are loaded."""

    def __init__(self, report: Report) -> None:
        self.report = report

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module with readers; None leaves others to the next finder."""
        if name not in READERS:
            return None
        spec = found_by_others(self, name, path, target)
        if spec is not None and spec.loader is not None:
            _wrap_loader(spec.loader, READERS[name], self.report)
        return spec


def _wrap_loader(loader: Loader, names: Sequence[str], report: Report) -> None:
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        execute(module)
        wrap_readers(module, names, report)

    loader.exec_module = exec_module  # type: ignore[method-assign]
