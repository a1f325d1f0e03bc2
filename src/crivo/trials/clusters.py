"""Executors elsewhere: the workers of a Dask cluster, and jobs of SLURM by submitit."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from crivo.core.errors import CrivoError, NotRun
from crivo.trials.engine import Workers
from crivo.trials.worker import SHARED, Answer, run_trial

# Seconds to wait for the scheduler and its first worker.
PATIENCE = 30
# submitit's own names; SLURM's get its prefix.
GENERAL = ("name", "nodes", "tasks_per_node", "cpus_per_task", "gpus_per_node", "mem_gb",
           "timeout_min", "stderr_to_stdout")  # fmt: skip
JOBS = 8
# Trials that wait in Dask's own queue: a worker that joins later takes some.
QUEUE = 100

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
        # Dask sends a trial to another worker by itself when one is lost.
        executor = client.get_executor(pure=False)

        def run(*asked: Any) -> Answer:
            return executor.submit(run_trial, *asked).result()

        yield Workers(
            run,
            len(threads),
            f"The Dask scheduler at {address}",
            lost=(KilledWorker,),
            queue=QUEUE,
            end=partial(executor.shutdown, wait=False, cancel_futures=True),
        )


# --- SLURM ------------------------------------------------------------------------------------


class Lost(Exception):
    """A job ended without an answer."""


class Jobs:
    """Runs a function in one of submitit's jobs, and waits for its answer."""

    def __init__(self, jobs: Any) -> None:
        self._jobs, self._running = jobs, set[Any]()

    def run(self, *asked: Any) -> Any:
        """Return what a function gives for arguments; Lost: the job ended without an answer."""
        try:
            job = self._jobs.submit(_outcome, *asked)
        except Exception as error:
            raise NotRun(f"The cluster accepts no job: {_last_line(error)}.") from error
        self._running.add(job)
        try:
            answer, failure = job.result()
        except Exception as lost:
            raise Lost(f"job {job.job_id}: {_last_line(lost)}") from lost
        finally:
            self._running.discard(job)
        if failure is not None:
            raise failure
        return answer

    def cancel(self) -> None:
        """Cancel all jobs that run now."""
        for job in [*self._running]:
            job.cancel()


def _outcome(function: Callable[..., Any], *arguments: Any) -> tuple[Any, Any]:
    """Return what a function gives, or its error: submitit would turn that into a text."""
    try:
        return function(*arguments), None
    except CrivoError as error:
        return None, error


def _last_line(error: Exception) -> str:
    last = (str(error).strip().splitlines() or [type(error).__name__])[-1]
    return last.rstrip(".?!")


@contextmanager
def slurm_workers(
    project: Path, options: Mapping[str, Any], at_once: int | None = None, *, cluster: str = "slurm"
) -> Iterator[Workers]:
    """Give jobs of SLURM, `at_once` of them; `options` are theirs, `cluster` submitit's word.

    CrivoError: the package or SLURM is missing, or an option isn't known.
    """
    try:
        import submitit
    except ImportError:
        raise CrivoError(
            "--scheduler slurm needs the package submitit; run `make extras`."
        ) from None
    count = at_once or JOBS
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
        jobs = Jobs(executor)
        run = partial(jobs.run, run_trial)
        yield Workers(run, count, "The cluster", (Lost,), attempts=3, end=jobs.cancel)


def options(text: str) -> dict[str, Any]:
    """Return options of jobs from `OPTION=VALUE,…`; CrivoError where it isn't that."""
    found: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key:
            raise CrivoError(f"--scheduler slurm: {part!r} was given; expected OPTION=VALUE.")
        found[key] = int(value) if value.isdigit() else value
    return found


def _named(options: Mapping[str, Any]) -> dict[str, Any]:
    return {key if key in GENERAL else f"slurm_{key}": value for key, value in options.items()}
