"""Experiments that repeat another one: run some at once, those that are known not again."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple

from crivo.core.errors import CrivoError
from crivo.core.threads import usable_cores
from crivo.records.comparability import recipe_key
from crivo.records.history import History, read_history
from crivo.records.record import Record, usable
from crivo.repository.commits import Kind, commit_message
from crivo.repository.progress import counted
from crivo.trials.engine import engine_of
from crivo.trials.state import base_of
from crivo.trials.trial import free_name

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
    """Return the record of each run, in their order; those that aren't known are run."""
    known = known_runs(history, record, runs)
    new = [run for run in runs if run.name not in known]
    made = run_all(history, record, new, scheduler=scheduler, workers=workers)
    after = read_history(history.repository.project)
    return [known.get(run.name) or after.find(made[run.name]) for run in runs]


def run_all(
    history: History,
    record: Record,
    runs: Sequence[Run],
    *,
    scheduler: str | None = None,
    workers: int | None = None,
) -> dict[str, str]:
    """Run experiments from a record's code and settings, as many at once as there are workers.

    Without `workers`, as many as cores here; a cluster gets all, and its own limits decide.
    Returned are their references by the names of the runs; one whose name is taken has a number.
    """
    if not runs:
        return {}
    most = usable_cores() if scheduler is None else len(runs)
    count = min(workers or most, len(runs))
    open_engine = engine_of(scheduler, record)
    with open_engine(history, count) as engine, counted(len(runs), "Running") as step:
        futures = {}
        for one in runs:
            name = free_name(history, one.name, base_of(record))
            log.info("Running %s ...", name)
            message = commit_message(one.kind, f"{record.name}: {one.title}")
            future = futures[one.name] = engine.submit(name, one.settings, message)
            future.add_done_callback(lambda _: step())
        errors = [error for one in futures.values() if (error := one.exception()) is not None]
    for error in errors:
        if not isinstance(error, CrivoError):
            raise error
    if errors:
        raise CrivoError(f"{len(errors)} of {len(runs)} runs failed. {errors[0]}")
    return {name: one.result() for name, one in futures.items()}


def known_runs(history: History, record: Record, runs: Sequence[Run]) -> dict[str, Record]:
    """Return those of the runs that are recorded already, by the names of the runs.

    Each is of the run's kind, with the record's code, data, settings and seed but the run's.
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
    _, _, settings, inputs = recipe_key(record)
    return dict(settings) | {"seed": str(record.settings.get("seed"))}, inputs
