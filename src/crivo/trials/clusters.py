"""Executors elsewhere: the workers of a Dask cluster, and jobs of SLURM by submitit."""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

from crivo.core.errors import CrivoError, NotRun
from crivo.trials.engine import Workers
from crivo.trials.state import SHARED

# Seconds to wait for the scheduler and its first worker.
PATIENCE = 30
# Seconds between two looks at whether there are workers.
LOOK = 10.0
# Seconds between two looks at the jobs; SLURM's own answer is kept for longer.
LOOK_AT_JOBS = 1.0
# submitit's own names; SLURM's get its prefix.
GENERAL = ("name", "nodes", "tasks_per_node", "cpus_per_task", "gpus_per_node", "mem_gb",
           "timeout_min", "stderr_to_stdout")  # fmt: skip
JOBS = 8

log = logging.getLogger("crivo.engine")

# --- Dask -------------------------------------------------------------------------------------


@contextmanager
def dask_workers(address: str) -> Iterator[Workers]:
    """Give the workers of a running cluster, by the address of its scheduler.

    CrivoError: the package is missing, nobody answers, the cluster has no worker, or one of them
    would run several trials in one process.
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
        threads = client.nthreads()
        if not threads:
            raise CrivoError(
                f"The Dask cluster at {address} has no worker; start some with `dask worker "
                f"{address} --nthreads 1`."
            )
        if any(number > 1 for number in threads.values()):
            raise CrivoError(
                f"A worker of the Dask cluster at {address} has several threads, and a trial needs "
                f"a process of its own; start workers with `dask worker {address} --nthreads 1 "
                "--nworkers NUMBER`."
            )
        with told_when_empty(lambda: len(client.nthreads()), address):
            # Dask sends a trial to another worker by itself when one is lost.
            executor = client.get_executor(pure=False)
            name = f"The Dask scheduler at {address}"
            yield Workers(executor, len(threads), name, (KilledWorker,))


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


# --- SLURM ------------------------------------------------------------------------------------


class Lost(Exception):
    """A job ended without an answer."""


class JobExecutor(Executor):
    """Gives submitit's jobs as futures; `jobs` is how many are queued or run at once."""

    def __init__(self, jobs: Any, count: int) -> None:
        self._jobs, self._count = jobs, count
        self._waiting: list[tuple[Future[Any], Callable[[], Any]]] = []
        self._running: dict[Future[Any], Any] = {}
        self._cancelled: set[Future[Any]] = set()
        self._open, self._dropping = True, False
        self._looking = Thread(target=self._look, daemon=True)
        self._looking.start()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Have a function called in a job."""
        if not self._open:
            raise RuntimeError("it is shut down")
        future: Future[Any] = Future()
        self._waiting.append(
            (future, lambda: self._jobs.submit(_outcome, function, *arguments, **named))
        )
        return future

    def _look(self) -> None:
        while self._open or self._waiting or self._running:
            if self._dropping:
                self._drop()
            for future, job in list(self._running.items()):
                if job.done():
                    del self._running[future]
                    _tell(future, job)
            while self._waiting and len(self._running) < self._count:
                future, begin = self._waiting.pop(0)
                if future.set_running_or_notify_cancel():
                    try:
                        self._running[future] = begin()
                    except Exception as error:  # the future tells whoever waits for it
                        why = f"The cluster takes no job: {_last_line(error)}"
                        future.set_exception(NotRun(f"{why}."))
            time.sleep(LOOK_AT_JOBS)

    def _drop(self) -> None:
        """Drop what waits, and cancel what runs, once each."""
        while self._waiting:
            self._waiting.pop(0)[0].cancel()
        for future, job in self._running.items():
            if future not in self._cancelled:
                self._cancelled.add(future)
                job.cancel()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for the jobs, or cancel them."""
        # The thread that begins jobs drops them, too: none is begun meanwhile and forgotten.
        self._dropping = not wait or cancel_futures
        self._open = False
        self._looking.join()


def _outcome(function: Callable[..., Any], *arguments: Any, **named: Any) -> tuple[Any, Any]:
    """Return what a function gives, or its error: submitit would turn that into a text."""
    try:
        return function(*arguments, **named), None
    except CrivoError as error:
        return None, error


def _tell(future: Future[Any], job: Any) -> None:
    try:
        answer, error = job.result()
    except Exception as lost:
        future.set_exception(Lost(f"job {job.job_id}: {_last_line(lost)}"))
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(answer)


def _last_line(error: Exception) -> str:
    last = (str(error).strip().splitlines() or [type(error).__name__])[-1]
    return last.rstrip(".?!")


@contextmanager
def slurm_workers(
    project: Path, options: Mapping[str, Any], jobs: int | None = None, *, cluster: str = "slurm"
) -> Iterator[Workers]:
    """Give jobs of SLURM; `options` are theirs, `jobs` how many at once, `cluster` submitit's word.

    CrivoError: the package or SLURM is missing, or an option isn't known.
    """
    try:
        import submitit
    except ImportError:
        raise CrivoError(
            "--scheduler slurm needs the package submitit; run `make extras`."
        ) from None
    count = jobs or JOBS
    place = project / SHARED
    place.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix="crivo-jobs-", dir=place, ignore_cleanup_errors=True
    ) as folder:
        try:
            executor = submitit.AutoExecutor(folder=folder, cluster=cluster)
            executor.update_parameters(**_named(options))
        except (RuntimeError, NameError, TypeError, ValueError) as error:
            raise CrivoError(f"--scheduler slurm: {_last_line(error)}.") from None
        yield Workers(JobExecutor(executor, count), count, "The cluster", (Lost,), attempts=3)


def options(text: str) -> dict[str, Any]:
    """Return options of jobs from `OPTION=VALUE,…`; CrivoError where it isn't that."""
    found: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key:
            raise CrivoError(f"--scheduler slurm: {part!r} is given; expected OPTION=VALUE.")
        found[key] = int(value) if value.isdigit() else value
    return found


def _named(options: Mapping[str, Any]) -> dict[str, Any]:
    return {key if key in GENERAL else f"slurm_{key}": value for key, value in options.items()}
