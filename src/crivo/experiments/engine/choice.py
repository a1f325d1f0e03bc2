"""Which engine runs experiments, by what `--scheduler` says."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from crivo.core.errors import CrivoError
from crivo.experiments.engine.interface import Engine
from crivo.experiments.engine.local import local_engine, local_record_engine
from crivo.experiments.engine.state import record_state, workspace_state
from crivo.experiments.history import History
from crivo.experiments.records import Record

EngineOf = Callable[[History, int | None], AbstractContextManager[Engine]]
SLURM = "slurm"


def engine_of(
    scheduler: str | None, record: Record | None = None, remote: str | None = None
) -> EngineOf:
    """Return what opens the engine of a scheduler: None is this machine.

    `record`: experiments start from its code and settings, not from the workspace's. `scheduler`
    is the address of a Dask scheduler (`tcp://host:8786`) or `slurm`, which may have options of
    its jobs: `slurm:partition=cpu,timeout_min=60`. `remote`: the DVC remote that Dask's workers
    share instead of the cache. CrivoError: `scheduler` is neither, or `remote` has no use.
    """
    if remote is not None and "://" not in (scheduler or ""):
        raise CrivoError(
            "--remote is for workers of a Dask cluster (--scheduler tcp://…) that can't see the "
            "project's cache; SLURM's jobs read a shared folder in any case: put the cache there."
        )
    if scheduler is None:
        if record is None:
            return local_engine
        return lambda history, workers: local_record_engine(history, record, workers)

    def state(history: History) -> AbstractContextManager[Any]:
        if record is None:
            return workspace_state(history, remote)
        return record_state(history, record, remote)

    if "://" in scheduler:
        from crivo.experiments.engine.dask import dask_engine

        return lambda history, _: dask_engine(history.repository, state(history), scheduler)
    name, _, text = scheduler.partition(":")
    if name == SLURM:
        from crivo.experiments.engine.slurm import slurm_engine

        options = _options(text)
        return lambda history, workers: slurm_engine(
            history.repository, state(history), options, workers
        )
    raise CrivoError(
        f"--scheduler is {scheduler!r}; expected the address of a Dask scheduler "
        "(tcp://host:8786), or slurm, with options as in slurm:partition=cpu,timeout_min=60."
    )


def _options(text: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key:
            raise CrivoError(f"--scheduler slurm: {part!r} is given; expected OPTION=VALUE.")
        options[key] = int(value) if value.isdigit() else value
    return options
