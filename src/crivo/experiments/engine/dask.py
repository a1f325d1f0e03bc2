"""The engine that has experiments run on a team's cluster, by dask.distributed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Event, Thread

from crivo.core.errors import CrivoError
from crivo.experiments.engine.remote import RemoteEngine
from crivo.experiments.engine.state import State
from crivo.repository.git import Repository

# Seconds to wait for the scheduler and its first worker.
PATIENCE = 30
# Seconds between two looks at whether there are workers.
LOOK = 10.0

log = logging.getLogger("crivo.engine")


@contextmanager
def told_when_empty(count: Callable[[], int], address: str) -> Iterator[None]:
    """Warn when a cluster has lost all its workers: trials wait then, and nothing would say why.

    `count` returns how many workers there are.
    """
    ended = Event()

    def look() -> None:
        before = True
        while not ended.wait(LOOK):
            try:
                there = count() > 0
            except Exception:  # that the scheduler is gone is told by the trials
                return
            if before and not there:
                log.warning(
                    "The Dask cluster at %s has no worker any more, and trials wait for one; start "
                    "some with `dask worker %s --nthreads 1`.",
                    address,
                    address,
                )
            before = there

    looking = Thread(target=look, daemon=True)
    looking.start()
    try:
        yield
    finally:
        ended.set()


@contextmanager
def dask_engine(
    home: Repository, state: AbstractContextManager[State], address: str
) -> Iterator[RemoteEngine]:
    """Give the engine of a running cluster, by the address of its scheduler.

    CrivoError: the package is missing, nobody answers, or the cluster has no worker.
    """
    try:
        from distributed import Client
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise CrivoError(
            "--scheduler needs the package distributed; run `make extras`, here and where the "
            "workers are."
        ) from None
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise CrivoError(
            f"No Dask scheduler answers at {address} ({error}); start one with `dask scheduler`."
        ) from None
    with client:
        workers = sum(client.nthreads().values())
        if not workers:
            raise CrivoError(
                f"The Dask cluster at {address} has no worker; start some with `dask worker "
                f"{address} --nthreads 1`."
            )
        with (
            state as sent,
            told_when_empty(lambda: len(client.nthreads()), address),
            # Dask sends a trial to another worker by itself when one is lost.
            RemoteEngine(
                home,
                sent,
                client.get_executor(pure=False),
                workers,
                (KilledWorker,),
                attempts=1,
                name=f"The Dask scheduler at {address}",
            ) as engine,
        ):
            yield engine
