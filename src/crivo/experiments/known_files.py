"""What the files of many records say, remembered by git's hashes: reading them takes longest."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from crivo.core import formernames, parsing, plain_yaml
from crivo.experiments import reading
from crivo.experiments.reading import Unusable
from crivo.experiments.records import PARAMS, Record
from crivo.repository import lock
from crivo.repository.lock import LOCK
from crivo.repository.remembered import Remembered, code_of, digest

CODE = (formernames, parsing, plain_yaml, reading, lock)
# Where a record keeps what it read of a file.
PARSED = {PARAMS: "_settings", LOCK: "_lock"}


def recall_parsed(records: Iterable[Record], remembered: Remembered) -> frozenset[str]:
    """Give records what is remembered of their settings and locks; return the keys of that."""
    files = _files(records)
    known = remembered.recall(list({key for _, _, key in files}))
    for record, name, key in files:
        if key in known:
            vars(record)[name] = known[key]
    return frozenset(known)


def keep_parsed(records: Iterable[Record], remembered: Remembered, known: Collection[str]) -> None:
    """Remember what records read by themselves; `known`: the keys of what was recalled."""
    kept: dict[str, Any] = {}
    for record, name, key in _files(records):
        values = vars(record).get(name)
        if key not in known and values is not None and not isinstance(values, Unusable):
            kept[key] = values
    remembered.keep(kept)


def _files(records: Iterable[Record]) -> list[tuple[Record, str, str]]:
    """Return each record with where it keeps a file's values, and the key of the file."""
    code = code_of(*CODE)
    return [
        (record, name, digest(code, name, record.files[path].hash))
        for record in records
        for path, name in PARSED.items()
        if path in record.files and record.files[path].hash
    ]
