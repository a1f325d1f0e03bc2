"""Runs experiments by an executor: processes of this machine, a Dask cluster, or SLURM's jobs.

The driver decides what runs and it alone writes git in the project. A worker, wherever it is, makes
an experiment in a clone in a folder that both see, and the driver brings it home under the name
that it asked for.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from crivo.core.errors import CrivoError, NotRun
from crivo.core.threads import usable_cores
from crivo.records.history import History
from crivo.records.naming import numbered
from crivo.records.record import Record
from crivo.repository.commits import EXPERIMENTS
from crivo.repository.git import Repository
from crivo.repository.kept import keep_times
from crivo.repository.running import end_children
from crivo.trials import worker
from crivo.trials.state import State, state_of_trials
from crivo.trials.worker import Answer, Request, run_trial

# Seconds between two looks at whether all has ended.
SHORT = 0.2
QUIET = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance")
SLURM = "slurm"

log = logging.getLogger("crivo.engine")


@dataclass(frozen=True)
class Workers:
    """An executor that runs `run_trial`, and how many trials it runs at once.

    `lost`: the errors by which it says that a worker was lost; `attempts`: how often a trial is
    sent then, since one that ends its worker each time is at fault itself; `name`: of what has the
    workers; `end`: ends what they run, when it is to stop.
    """

    executor: Executor
    count: int
    name: str
    lost: tuple[type[BaseException], ...] = ()
    attempts: int = 1
    end: Callable[[], None] = field(default=lambda: None)


class Engine:
    """Runs experiments that start from one state of the project.

    `workers`: how many run at once; more may be submitted, and wait in their order.
    """

    def __init__(self, state: State, workers: Workers) -> None:
        self.workers = workers.count
        self._home, self._state, self._pool = state.home, state, workers
        # One after the other, and never in the thread by which the executor hears of its workers.
        self._driver = ThreadPoolExecutor(1, thread_name_prefix="crivo")
        self._sent: list[Future[Answer]] = []
        self._ending = False

    def submit(
        self, name: str, settings: Sequence[str], message: str = "", *, live: bool = False
    ) -> Future[str]:
        """Have an experiment run, and return the future of its reference at home.

        `settings` are `key=value`, as `dvc exp run -S` takes them. When the future is done, the
        experiment is in the project's git, and what its stages made is in the project's cache. The
        reference has another name if the one that was given is taken by then. `live`: what the
        stages print is printed here.

        The future's CrivoError: the trial failed, with the last words; nothing is recorded. A
        worker that is lost isn't a failure of the trial: the engine runs it again. NotRun: the
        engine can't run trials any more, or a worker isn't fit to.
        """
        future: Future[str] = Future()
        future.set_running_or_notify_cancel()
        output = _output() if live else None
        self._send(Request(name, tuple(settings), message, output), future, self._pool.attempts)
        return future

    def _send(self, request: Request, future: Future[str], attempts: int) -> None:
        def hear(answer: Future[Answer]) -> None:
            try:
                self._driver.submit(self._finish, request, future, attempts, answer)
            except RuntimeError:  # it was shut down meanwhile
                self._not_run(request, future)

        try:
            answer = self._pool.executor.submit(run_trial, self._state, request)
        except (RuntimeError, BrokenExecutor):
            self._not_run(request, future)
        else:
            self._sent = [one for one in self._sent if not one.done()] + [answer]
            answer.add_done_callback(hear)

    def _finish(
        self, request: Request, future: Future[str], attempts: int, answer: Future[Answer]
    ) -> None:
        try:
            future.set_result(self._bring_home(request.name, answer.result()))
        except self._pool.lost as error:
            self._after_a_loss(request, future, attempts - 1, error)
        except (CancelledError, BrokenExecutor):
            self._not_run(request, future)
        except Exception as error:  # the future tells whoever waits for it
            future.set_exception(error)

    def _after_a_loss(
        self, request: Request, future: Future[str], attempts: int, error: BaseException
    ) -> None:
        if self._ending:
            self._not_run(request, future)
        elif attempts:
            log.warning("The worker of the experiment %s was lost; it runs again.", request.name)
            self._send(request, future, attempts)
        else:
            future.set_exception(
                CrivoError(
                    f"Each worker that ran the experiment {request.name} was lost; the last error "
                    f"was: {error}. Check the workers' memory and time limits."
                )
            )

    def _not_run(self, request: Request, future: Future[str]) -> None:
        gone = f"{self._pool.name} doesn't answer any more"
        why = "The command is stopping" if self._ending else gone
        future.set_exception(
            NotRun(f"{why}, so the experiment {request.name} was not run to its end.")
        )

    def _bring_home(self, name: str, answer: Answer) -> str:
        """Bring an experiment from a worker's clone; of two with one name none is lost."""
        clone = Path(answer.clone)
        if not clone.resolve().is_relative_to(self._state.folder):
            raise CrivoError(
                f"The worker that ran {name} names the folder {clone}, which is none of those "
                "made for this command; nothing of it was recorded."
            )
        base = self._state.base
        place = f"{EXPERIMENTS}/{base[:2]}/{base[2:]}"
        commit = Repository(clone).commit(f"{place}/{name}")
        if commit is None:
            raise CrivoError(f"The worker that ran {name} has recorded nothing; run it again.")
        self._home.git("fetch", *QUIET, str(clone), f"{place}/{name}")
        ref = create_reference(self._home, place, name, commit)
        keep_times(self._home, answer.times)
        return ref

    def shutdown(self, *, cancel: bool = False) -> None:
        """Wait for what was submitted; with `cancel`, end what runs and drop what waits."""
        self._ending = cancel
        if cancel:
            self._pool.executor.shutdown(wait=False, cancel_futures=True)
            # A trial may start its next process after the one before was ended.
            while not all(one.done() for one in self._sent):
                self._pool.end()
                wait(self._sent, timeout=SHORT)
        self._pool.executor.shutdown(wait=not cancel)
        self._driver.shutdown()

    def __enter__(self) -> Self:
        """Begin; workers start with the first experiment."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Shut down, with `cancel` after an exception."""
        self.shutdown(cancel=kind is not None)


def _output() -> int:
    """Return the output to which this process prints now: with --json, that is stderr."""
    try:
        return 2 if sys.stdout.fileno() == sys.stderr.fileno() else 1
    except (OSError, ValueError):  # a test has taken it
        return 1


def create_reference(home: Repository, place: str, name: str, commit: str) -> str:
    """Name a commit, by the first name with a number that nobody has if the given one is taken.

    Returned is the reference. Git makes it only if there is none: two processes can't both.
    """
    while True:
        taken = {ref.rpartition("/")[2] for ref in home.lines("for-each-ref", place)}
        free = numbered(name, taken)
        try:
            home.git("update-ref", f"{place}/{free}", commit, "0" * len(commit))
        except CrivoError:
            if home.commit(f"{place}/{free}") is None:
                raise
            continue
        if free != name:
            log.warning("Another experiment was recorded as %s, so this one is %s.", name, free)
        return f"{place}/{free}"


EngineOf = Callable[[History, int | None], AbstractContextManager[Engine]]


@contextmanager
def local_engine(
    history: History, workers: int | None = None, record: Record | None = None
) -> Iterator[Engine]:
    """Give the engine of this machine, for trials of the workspace as it is now, or of a record."""
    count = workers or usable_cores()
    # Threads of fits that wait for one another by spinning must have cores of their own.
    variables = {"OMP_NUM_THREADS": str(max(1, usable_cores() // count))} if count > 1 else {}
    # A fork has imported all that it needs; other systems' libraries don't bear it.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    with state_of_trials(history, record, environment=variables) as state:
        pool = ProcessPoolExecutor(count, context, worker.begin, (os.getpid(),))
        here = Workers(pool, count, "A process that runs trials has ended and", end=end_children)
        with Engine(state, here) as engine:
            yield engine


def engine_of(scheduler: str | None, record: Record | None = None) -> EngineOf:
    """Return what opens the engine of a scheduler: None is this machine.

    `record`: experiments start from its code and settings, not from the workspace's. `scheduler`
    is the address of a Dask scheduler (`tcp://host:8786`) or `slurm`, which may have options of
    its jobs: `slurm:partition=cpu,timeout_min=60`. CrivoError: it is neither.
    """
    if scheduler is None:
        return lambda history, workers: local_engine(history, workers, record)
    from crivo.trials import clusters

    if "://" in scheduler:
        return lambda history, _: _elsewhere(history, record, clusters.dask_workers(scheduler), 1)
    name, _, text = scheduler.partition(":")
    if name == SLURM:
        options = clusters.options(text)
        threads = int(options.get("cpus_per_task", 1))
        return lambda history, jobs: _elsewhere(
            history, record, clusters.slurm_workers(history.repository.project, options, jobs),
            threads,
        )  # fmt: skip
    raise CrivoError(
        f"--scheduler is {scheduler!r}; expected the address of a Dask scheduler "
        "(tcp://host:8786), or slurm, with options as in slurm:partition=cpu,timeout_min=60."
    )


@contextmanager
def _elsewhere(
    history: History,
    record: Record | None,
    cluster: AbstractContextManager[Workers],
    threads: int,
) -> Iterator[Engine]:
    variables = {"OMP_NUM_THREADS": str(threads)}
    with (
        cluster as workers,
        state_of_trials(history, record, elsewhere=True, environment=variables) as state,
        Engine(state, workers) as engine,
    ):
        yield engine
