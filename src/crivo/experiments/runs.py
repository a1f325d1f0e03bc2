"""Experiments that repeat another one: run some at once, those that are known not again."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple

from crivo.core.errors import CrivoError
from crivo.core.threads import usable_cores
from crivo.experiments.comparability import recipe_key
from crivo.experiments.engine.choice import engine_of
from crivo.experiments.history import History
from crivo.experiments.records import Record, usable
from crivo.experiments.sandbox import base_of
from crivo.repository.progress import counted

log = logging.getLogger("crivo.repeat")


class Run(NamedTuple):
    """An experiment to run: its name, its settings, and what it repeats, in words."""

    name: str
    settings: tuple[str, ...]
    title: str


def run_all(
    history: History,
    record: Record,
    runs: Sequence[Run],
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    remote: str | None = None,
) -> None:
    """Run experiments from a record's code and settings, as many at once as there are workers.

    Without `workers`, as many as cores here; a cluster gets all, and its own limits decide.
    """
    if not runs:
        return
    most = usable_cores() if scheduler is None else len(runs)
    count = min(workers or most, len(runs))
    open_engine = engine_of(scheduler, record, remote)
    with open_engine(history, count) as engine, counted(len(runs), "Running") as step:
        futures = []
        for one in runs:
            log.info("Running %s ...", one.name)
            future = engine.submit(one.name, one.settings, f"{record.name}: {one.title}")
            future.add_done_callback(lambda _: step())
            futures.append(future)
        errors = [error for one in futures if (error := one.exception()) is not None]
    for error in errors:
        if not isinstance(error, CrivoError):
            raise error
    if errors:
        raise CrivoError(f"{len(errors)} of {len(runs)} runs failed. {errors[0]}")


def known_runs(history: History, record: Record, runs: Sequence[Run]) -> dict[str, Record]:
    """Return those of the runs whose names are recorded already, by name."""
    base = base_of(record)
    names = {run.name for run in runs}
    return {
        one.name: one
        for one in history.trials
        if one.origin.parent == base and one.name in names and usable(one)
    }


def repeats(one: Record, record: Record, run: Run) -> bool:
    """Whether an experiment is this run: a record's code, data, settings and seed, but the run's.

    Its name may be that of a run of an experiment that was removed, or of another split.
    """
    changed = dict(text.lstrip("+").split("=", 1) for text in run.settings)
    settings, inputs = _recipe(one)
    expected, code = _recipe(record)
    return settings == expected | changed and inputs == code


def _recipe(record: Record) -> tuple[dict[str, str], object]:
    _, _, settings, inputs = recipe_key(record)
    return dict(settings) | {"seed": str(record.settings.get("seed"))}, inputs
