"""The engine that runs experiments in processes of this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Protocol

from crivo.core.errors import NotRun
from crivo.core.threads import usable_cores
from crivo.experiments.engine.interface import Engine
from crivo.experiments.history import History
from crivo.experiments.records import Record
from crivo.experiments.sandbox import Environment, sandbox, workspace_sandbox
from crivo.repository.running import end_children

# Seconds between two looks at whether all has ended.
SHORT = 0.2


class Place(Protocol):
    """What runs one experiment, for several threads at once, as `Sandbox` does."""

    def run(
        self, name: str, settings: Sequence[str], message: str, environment: Environment
    ) -> str:
        """Run it, bring it home and return its reference."""
        ...


class LocalEngine(Engine):
    """Runs experiments in processes of this machine; a thread of the driver waits for each."""

    def __init__(self, place: Place, workers: int | None = None) -> None:
        self.workers = workers or usable_cores()
        self._place = place
        # Threads of fits that wait for one another by spinning must have cores of their own.
        threads = max(1, usable_cores() // self.workers)
        self._environment = {"OMP_NUM_THREADS": str(threads)}
        self._threads = ThreadPoolExecutor(self.workers, thread_name_prefix="crivo")
        self._futures: list[Future[str]] = []
        self._ending = False

    def submit(self, name: str, settings: Sequence[str], message: str = "") -> Future[str]:
        """Have an experiment run, and return the future of its reference."""
        future = self._threads.submit(self._run, name, tuple(settings), message)
        self._futures = [one for one in self._futures if not one.done()] + [future]
        return future

    def _run(self, name: str, settings: Sequence[str], message: str) -> str:
        if self._ending:
            raise NotRun(f"The experiment {name} was not run, because the command is stopping.")
        return self._place.run(name, settings, message, self._environment)

    def shutdown(self, *, cancel: bool = False) -> None:
        """Wait for what was submitted; with `cancel`, end what runs and drop what waits."""
        if cancel:
            self._ending = True
            self._threads.shutdown(wait=False, cancel_futures=True)
            # A trial may start its next process after the one before was ended.
            while not all(one.done() for one in self._futures):
                end_children()
                wait([one for one in self._futures if not one.cancelled()], timeout=SHORT)
        self._threads.shutdown()


@contextmanager
def local_engine(history: History, workers: int | None = None) -> Iterator[LocalEngine]:
    """Give the engine of this machine, for trials of the workspace as it is now."""
    base = history.head or ""
    with (
        workspace_sandbox(history.repository, base) as place,
        LocalEngine(place, workers) as engine,
    ):
        yield engine


@contextmanager
def local_record_engine(
    history: History, record: Record, workers: int | None = None
) -> Iterator[LocalEngine]:
    """Give the engine of this machine, for runs of a record's code and settings."""
    with sandbox(history.repository, record) as place, LocalEngine(place, workers) as engine:
        yield engine
