"""Experiments that repeat another one: run some at once, those that are known not again."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from crivo.core.errors import CrivoError
from crivo.experiments.history import History
from crivo.experiments.records import Record, usable
from crivo.experiments.sandbox import base_of, sandbox
from crivo.repository.progress import counted

log = logging.getLogger("crivo.repeat")


class Run(NamedTuple):
    """An experiment to run: its name, its settings, and what it repeats, in words."""

    name: str
    settings: tuple[str, ...]
    title: str


def run_all(history: History, record: Record, runs: Sequence[Run], jobs: int) -> None:
    """Run experiments from a record's code and settings, some at once."""
    if not runs:
        return
    # Two fits with two threads each are much slower than with one each.
    environment = {"OMP_NUM_THREADS": "1"} if min(jobs, len(runs)) > 1 else {}
    with (
        sandbox(history.repository, record) as place,
        counted(len(runs), "Running") as step,
        ThreadPoolExecutor(max(jobs, 1)) as pool,
    ):

        def run(one: Run) -> str | None:
            log.info("Running %s ...", one.name)
            try:
                place.run(one.name, one.settings, f"{record.name}: {one.title}", environment)
            except CrivoError as error:
                return str(error)
            finally:
                step()
            return None

        failures = [failure for failure in pool.map(run, runs) if failure]
    if failures:
        raise CrivoError(f"{len(failures)} of {len(runs)} runs failed. {failures[0]}")


def known_runs(history: History, record: Record, runs: Sequence[Run]) -> dict[str, Record]:
    """Return those of the runs that are recorded already, by name."""
    base = base_of(record)
    names = {run.name for run in runs}
    return {
        one.name: one
        for one in history.trials
        if one.origin.parent == base and one.name in names and usable(one)
    }
