"""Results that are known before a trial runs: by its settings, made by the workspace's code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from crivo.records.history import History
from crivo.records.record import Record, usable
from crivo.records.settings import used

Key = frozenset[tuple[str, Any]]


def key_of(settings: Mapping[str, Any]) -> Key:
    """Return what equal settings have in common: those that the pipeline reads."""
    return frozenset((name, _hashable(value)) for name, value in used(settings).items())


def _hashable(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return tuple(map(_hashable, value))
    # 1 and 1.0 are one setting, 1 and true are two.
    return (bool, value) if isinstance(value, bool) else value


class Known:
    """The records of a history by their settings; the history is read once."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._whole: dict[Key, list[Record]] = defaultdict(list)
        self._of_this_code: dict[str, bool] = {}
        self._by_revision: dict[str, Record] = {}
        self._add(history.records)

    def _add(self, records: Iterable[Record]) -> None:
        for record in records:
            self._by_revision[record.origin.revision] = record
            if record.kind != "stopped":  # of a search that stopped trials early, as older ones did
                self._whole[key_of(record.settings)].append(record)

    def add(self, record: Record) -> None:
        """Take up a trial that has just been run."""
        self._of_this_code[record.origin.revision] = True
        self._add([record])

    def record(self, revision: str) -> Record | None:
        """Return the record of a commit, if there is one."""
        return self._by_revision.get(revision)

    def find(self, settings: Mapping[str, Any]) -> Record | None:
        """Return an evaluated record with these settings, made by the workspace's code."""
        for record in self._whole.get(key_of(settings), ()):
            if usable(record) and self._made_here(record):
                return record
        return None

    def _made_here(self, record: Record) -> bool:
        revision = record.origin.revision
        if revision not in self._of_this_code:
            self._of_this_code[revision] = made_by_this_code(self._history, record)
        return self._of_this_code[revision]


def made_by_this_code(history: History, record: Record) -> bool:
    """Whether the files that the record's stages read are those of the workspace."""
    paths = [*record.inputs()]
    if not paths:
        return False
    paths += [f"{path}.dvc" for path in paths] + ["dvc.yaml"]
    prefix = history.repository.prefix
    files = [prefix + path for path in paths]
    return not history.repository.files_changed_since(record.origin.revision, files)
