"""Runs experiments that vary another one (`confirm`, `repeat`), unless their results are known.

`Known` finds an earlier result of the same settings and code, also for `crivo try` and searches.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from crivo.core.errors import CrivoError
from crivo.core.threads import usable_cores
from crivo.records.comparability import recipe_key
from crivo.records.history import History, read_history
from crivo.records.record import Record, usable
from crivo.records.settings import used
from crivo.repository.commits import Kind, commit_message
from crivo.repository.progress import counted
from crivo.trials.engine import engine_of
from crivo.trials.worker import base_of

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
        for record in history.records:
            self._whole[key_of(record.settings)].append(record)

    def add(self, record: Record) -> None:
        """Take up a trial that has just been run."""
        self._of_this_code[record.origin.revision] = True
        self._whole[key_of(record.settings)].append(record)

    def find(self, settings: Mapping[str, Any]) -> Record | None:
        """Return an evaluated record with these settings, made by the workspace's code."""
        for record in self._whole.get(key_of(settings), ()):
            if usable(record) and self._made_here(record):
                return record
        return None

    def _made_here(self, record: Record) -> bool:
        """Whether the files that the record's stages read are those of the workspace."""
        revision, paths = record.origin.revision, [*record.inputs()]
        if revision not in self._of_this_code:
            same = bool(paths) and not changed_here(self._history, revision, paths)
            self._of_this_code[revision] = same
        return self._of_this_code[revision]


def changed_here(history: History, revision: str, paths: Sequence[str]) -> list[str]:
    """Return which of the files that stages read the workspace has otherwise than a commit."""
    every = dict.fromkeys((*paths, *(f"{path}.dvc" for path in paths), "dvc.yaml"))
    files = [history.repository.prefix + path for path in every]
    return history.repository.files_changed_since(revision, files)


log = logging.getLogger("crivo.repeat")


class Run(NamedTuple):
    """An experiment to run: its kind, name and settings, and what it repeats, in words."""

    kind: Kind
    name: str
    settings: tuple[str, ...]
    title: str


def runs_of(
    history: History,
    record: Record,
    runs: Sequence[Run],
    *,
    scheduler: str | None = None,
    workers: int | None = None,
) -> list[Record]:
    """Return the record of each run, in their order; those that aren't known are run.

    They run from a record's code and settings, as many at once as there are workers. Without
    `workers`, as many as cores here; a cluster gets all, and its own limits decide.
    """
    known = known_runs(history, record, runs)
    new = [run for run in runs if run.name not in known]
    if not new:
        return [known[run.name] for run in runs]
    most = usable_cores() if scheduler is None else len(new)
    open_engine, futures = engine_of(scheduler, record), {}
    with (
        open_engine(history, min(workers or most, len(new))) as engine,
        counted(len(new), "Running") as step,
    ):
        for one in new:
            log.info("Running %s ...", one.name)
            message = commit_message(one.kind, f"{record.name}: {one.title}")
            future = futures[one.name] = engine.submit(one.name, one.settings, message)
            future.add_done_callback(lambda _: step())
        errors = [error for one in futures.values() if (error := one.exception()) is not None]
    for error in errors:
        if not isinstance(error, CrivoError):
            raise error
    if errors:
        raise CrivoError(f"{len(errors)} of {len(new)} runs failed. {errors[0]}")
    after = read_history(history.repository.project)
    return [known.get(run.name) or after.find(futures[run.name].result().reference) for run in runs]


def known_runs(history: History, record: Record, runs: Sequence[Run]) -> dict[str, Record]:
    """Return those of the runs that are recorded already, by the names of the runs.

    Each is of the run's kind, with the record's code, data, definition of metrics, and settings and
    seed but the run's.
    """
    base, (expected, code) = base_of(record), _recipe(record)
    found: dict[str, Record] = {}
    for one in history.trials:
        alike = [run for run in runs if run.kind == one.kind and one.origin.parent == base]
        settings, inputs = _recipe(one) if alike and usable(one) else ({}, None)
        for run in alike:
            changed = dict(text.lstrip("+").split("=", 1) for text in run.settings)
            if settings == expected | changed and inputs == code:
                found.setdefault(run.name, one)
    return found


def _recipe(record: Record) -> tuple[dict[str, str], object]:
    _, definition, settings, inputs = recipe_key(record)
    return dict(settings) | {"seed": str(record.settings.get("seed"))}, (definition, inputs)
