"""Executors: processes of this machine, the workers of a Dask cluster, and SLURM's jobs."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from threading import current_thread, main_thread
from typing import Any

from crivo.core.errors import CrivoError, NotRun
from crivo.core.threads import usable_cores
from crivo.repository.running import end_children
from crivo.trials.worker import ENDING, Answer, Request, State, begin, run_trial

# Seconds to wait for the scheduler and its first worker.
PATIENCE = 30
# submitit's own names; SLURM's get its prefix.
GENERAL = ("name", "nodes", "tasks_per_node", "cpus_per_task", "gpus_per_node", "mem_gb",
           "timeout_min", "stderr_to_stdout")  # fmt: skip
JOBS = 8


@dataclass(frozen=True)
class Workers:
    """What runs trials, `count` at once; `run` has one run, and waits for it.

    `lost`: the errors by which `run` says that a worker was lost; `attempts`: how often a trial is
    sent then, since one that ends its worker each time is at fault itself; `end`: ends what they
    run, when it is to stop.
    """

    run: Callable[[Request], Answer]
    count: int
    lost: tuple[type[BaseException], ...] = ()
    attempts: int = 1
    end: Callable[[], object] = lambda: None


Open = Callable[[State, int | None], AbstractContextManager[Workers]]


def executor_of(scheduler: str | None) -> Open:
    """Return what opens the workers of a scheduler for a state, by default as many as there are.

    None is this machine. CrivoError: the scheduler isn't known.
    """
    if scheduler is None:
        return process_workers
    kind, _, text = scheduler.partition(":")
    if kind == "slurm":
        return partial(slurm_workers, options=options(text))
    if "://" in scheduler:
        return partial(dask_workers, address=scheduler)
    raise CrivoError(
        f"--scheduler is {scheduler!r}; expected the address of a Dask scheduler "
        "(tcp://host:8786), or slurm, with options as in slurm:partition=cpu,timeout_min=60."
    )


@contextmanager
def process_workers(state: State, count: int | None) -> Iterator[Workers]:
    """Give processes of this machine, as many as it has cores; they make ready at once."""
    count = count or usable_cores()
    if count > 1:
        # Each fit has cores of its own: threads of several fits on one core wait for one another.
        state = replace(state, threads=max(1, usable_cores() // count))
    # A fork has imported all that it needs; other systems' libraries don't bear it.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
    with ProcessPoolExecutor(count, context, begin, (os.getpid(), state)) as pool:
        with held_signals():
            pool.submit(os.getpid)  # all processes fork now, while this one has no threads

        def run(request: Request) -> Answer:
            return pool.submit(run_trial, state, request).result()

        yield Workers(run, count, end=end_children)


@contextmanager
def held_signals() -> Iterator[None]:
    """Let the signals that end a command wait: within a fork, Python ignores what they raise."""
    came: list[int] = []
    wanted = ENDING if current_thread() is main_thread() else set()
    before = {number: signal.signal(number, lambda one, _: came.append(one)) for number in wanted}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


# --- Dask -------------------------------------------------------------------------------------


@contextmanager
def dask_workers(state: State, count: int | None, address: str) -> Iterator[Workers]:
    """Give the workers of a running cluster, by the address of its scheduler.

    CrivoError: the package is missing, nobody answers, the cluster has no worker, or one of them
    would run several trials in one process.
    """
    try:
        from distributed import Client
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise CrivoError(
            "--scheduler needs the package `distributed`; run `make extras`, here and where the "
            "workers are."
        ) from None
    try:
        client = Client(address, timeout=PATIENCE)
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
        executor, state = client.get_executor(), replace(state, threads=1)

        def run(request: Request) -> Answer:
            return executor.submit(run_trial, state, request).result()

        end = partial(executor.shutdown, wait=False)
        yield Workers(run, len(threads), lost=(KilledWorker,), end=end)


# --- SLURM ------------------------------------------------------------------------------------


class Lost(Exception):
    """A job ended without an answer."""


def _run_job(jobs: Any, running: set[Any], state: State, request: Request) -> Answer:
    """Run a trial in one of submitit's jobs, and wait for it; Lost: it ended without an answer."""
    try:
        job = jobs.submit(_outcome, state, request)
    except Exception as error:
        raise NotRun(f"The cluster accepts no job: {_last_line(error)}.") from error
    running.add(job)
    try:
        answer, failure = job.result()
    except Exception as lost:
        raise Lost(f"job {job.job_id}: {_last_line(lost)}") from lost
    finally:
        running.discard(job)
    if failure is not None:
        raise failure
    return answer


def _outcome(state: State, request: Request) -> tuple[Answer | None, CrivoError | None]:
    """Return what a trial gives, or its error: submitit would turn that into a text."""
    try:
        return run_trial(state, request), None
    except CrivoError as error:
        return None, error


def _last_line(error: Exception) -> str:
    last = (str(error).strip().splitlines() or [type(error).__name__])[-1]
    return last.rstrip(".?!")


@contextmanager
def slurm_workers(
    state: State, count: int | None, options: Mapping[str, Any], *, cluster: str = "slurm"
) -> Iterator[Workers]:
    """Give jobs of SLURM, `count` of them; `options` are theirs, `cluster` submitit's word.

    CrivoError: the package or SLURM is missing, or an option isn't known.
    """
    try:
        import submitit
    except ImportError:
        raise CrivoError(
            "--scheduler slurm needs the package `submitit`; run `make extras`."
        ) from None
    try:
        # The folder of the state, which this lies in, is removed with all that it holds.
        executor = submitit.AutoExecutor(tempfile.mkdtemp(dir=state.folder), cluster=cluster)
        prefixed = {one if one in GENERAL else f"slurm_{one}": options[one] for one in options}
        executor.update_parameters(**prefixed)
    except (RuntimeError, NameError, TypeError, ValueError, AssertionError) as error:
        reason = str(error).partition("\n")[0]  # before submitit's advice
        raise CrivoError(f"--scheduler slurm: {reason.rstrip('.?!')}.") from None
    state = replace(state, threads=int(options.get("cpus_per_task", 1)))
    running = set[Any]()
    run = partial(_run_job, executor, running, state)

    def cancel() -> None:
        for job in [*running]:
            job.cancel()

    yield Workers(run, count or JOBS, (Lost,), attempts=3, end=cancel)


def options(text: str) -> dict[str, Any]:
    """Return options of jobs from `OPTION=VALUE,…`; CrivoError where it isn't that."""
    found: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key:
            raise CrivoError(f"--scheduler slurm: {part!r} was given; expected OPTION=VALUE.")
        found[key] = int(value) if value.isdigit() else value
    return found
