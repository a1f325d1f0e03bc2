"""The engine that has each experiment run as a job of SLURM, by submitit."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

from crivo.core.errors import CrivoError, NotRun
from crivo.experiments.engine.remote import RemoteEngine
from crivo.experiments.engine.state import State
from crivo.repository.git import Repository

# Seconds between two looks at the jobs; SLURM's own answer is kept for longer.
LOOK = 1.0
# submitit's own names; SLURM's get its prefix.
GENERAL = ("name", "nodes", "tasks_per_node", "cpus_per_task", "gpus_per_node", "mem_gb",
           "timeout_min", "stderr_to_stdout")  # fmt: skip
JOBS = 8


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
            time.sleep(LOOK)

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
def slurm_engine(
    home: Repository,
    state: AbstractContextManager[State],
    options: Mapping[str, Any],
    jobs: int | None = None,
    *,
    cluster: str = "slurm",
) -> Iterator[RemoteEngine]:
    """Give the engine of SLURM; `options` are those of its jobs, `cluster` is submitit's word.

    CrivoError: the package or SLURM is missing, or an option isn't known.
    """
    try:
        import submitit
    except ImportError:
        raise CrivoError(
            "--scheduler slurm needs the package submitit; run `make extras`."
        ) from None
    count = jobs or JOBS
    with state as sent:
        folder = Path(sent.cache) / "crivo" / f"jobs-{sent.key}"
        try:
            executor = submitit.AutoExecutor(folder=folder, cluster=cluster)
            executor.update_parameters(**_named(options))
            threads = int(options.get("cpus_per_task", 1))
        except (RuntimeError, NameError, TypeError, ValueError) as error:
            raise CrivoError(f"--scheduler slurm: {_last_line(error)}.") from None
        try:
            with RemoteEngine(
                home, sent, JobExecutor(executor, count), count, (Lost,), threads=threads
            ) as engine:
                yield engine
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _named(options: Mapping[str, Any]) -> dict[str, Any]:
    return {key if key in GENERAL else f"slurm_{key}": value for key, value in options.items()}
