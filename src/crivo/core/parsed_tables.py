"""Tables that a process has parsed before it forks, so that its forks need not parse them.

A fork gets a table only while its file is the very one that was parsed, unchanged since. It opens
that file all the same: what watches for undeclared reads sees it. Nothing here starts a thread,
as a process with threads of its own can't be forked safely.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

# Of the memory that is free, so much may be tables that wait for forks.
SHARE = 1 / 8
# What a value takes in memory at most, as a rule: a number 8 bytes, a short text some more.
BYTES = 16
# Where Linux says how much memory a container may have, and how much it has.
LIMITS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)

# The file that is this, and not another one of its name, nor the same after it was written to.
Identity = tuple[int, ...]


class Wanted(NamedTuple):
    """A table as it is read: the file's full path, and its columns, None for all."""

    path: str
    columns: tuple[str, ...] | None = None


class _Parsed(NamedTuple):
    identity: Identity
    table: pd.DataFrame
    size: int


_parsed: dict[Wanted, _Parsed] = {}
_read: dict[Wanted, None] = {}


def read_tables() -> list[Wanted]:
    """Return the tables that this process has asked for, in their order."""
    return [*_read]


def take(path: Path, columns: Sequence[str] | None) -> pd.DataFrame | None:
    """Return a table that was parsed before this process was forked, or None; each only once.

    Whoever reads it again gets one of his own, whatever became of the first. CrivoError: the stage
    doesn't declare that it reads the file.
    """
    wanted = Wanted(os.path.abspath(path), None if columns is None else tuple(columns))  # noqa: PTH100
    _read[wanted] = None
    parsed = _parsed.pop(wanted, None)
    if parsed is None:
        return None
    with path.open("rb") as file:
        same = _identity(os.fstat(file.fileno())) == parsed.identity
    return parsed.table if same else None


def hold(tables: Iterable[Wanted]) -> bool:
    """Parse tables that aren't parsed yet, as far as memory allows, and drop all others.

    Returns whether anything was parsed. A file that can't be read says why where it is needed.
    """
    wanted, new = dict.fromkeys(tables), False
    for one in _parsed.keys() - wanted:
        del _parsed[one]
    for one in wanted:
        held = _parsed.pop(one, None)
        with suppress(Exception):
            identity = _identity(Path(one.path).stat())
            if held is None or held.identity != identity:
                held, new = _parse(one, identity), True
            _parsed[one] = held
    return new


def _identity(status: os.stat_result) -> Identity:
    times = status.st_mtime_ns, status.st_ctime_ns
    return (status.st_dev, status.st_ino, status.st_size, *times)


def _parse(wanted: Wanted, identity: Identity) -> _Parsed:
    """Parse a table as pandas does, but in this thread; MemoryError for one that is too large."""
    import pyarrow.parquet as pq

    columns = None if wanted.columns is None else [*wanted.columns]
    with pq.ParquetFile(wanted.path, pre_buffer=False) as file:
        metadata = file.metadata
        count = metadata.num_columns if columns is None else len(columns)
        if BYTES * metadata.num_rows * count > _room():
            raise MemoryError
        content = file.read(columns, use_threads=False, use_pandas_metadata=True)
    if columns is not None:  # in the order that was asked for, and not in the file's
        rest = [name for name in content.column_names if name not in columns]
        content = content.select([*columns, *rest])
    table: pd.DataFrame = content.to_pandas(use_threads=False)
    if _identity(Path(wanted.path).stat()) != identity:
        raise OSError(f"{wanted.path} was written to meanwhile.")
    return _Parsed(identity, table, int(table.memory_usage(deep=True).sum()))


def _room() -> float:
    return SHARE * _free_memory() - sum(one.size for one in _parsed.values())


def _free_memory() -> int:
    """Return how many bytes the machine, or the container, has left."""
    import psutil

    free = int(psutil.virtual_memory().available)
    for limit, used in LIMITS:
        with suppress(OSError, ValueError):  # `max`, where there is no limit
            free = min(free, int(Path(limit).read_text()) - int(Path(used).read_text()))
    return free
