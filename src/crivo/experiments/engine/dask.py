"""The engine that has experiments run on a team's cluster, by dask.distributed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from crivo.core.errors import CrivoError
from crivo.experiments.engine.remote import RemoteEngine
from crivo.experiments.engine.state import State
from crivo.repository.git import Repository

# Seconds to wait for the scheduler and its first worker.
PATIENCE = 30


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
