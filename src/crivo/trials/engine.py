"""Runs experiments by workers: processes of this machine, a Dask cluster, or SLURM's jobs.

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
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Self

from crivo.core.errors import CrivoError, NotRun
from crivo.core.threads import usable_cores
from crivo.records.history import History
from crivo.records.ledger import TIMES, add, entry
from crivo.records.record import Record
from crivo.records.settings import numbered
from crivo.repository.commits import EXPERIMENTS
from crivo.repository.git import Repository
from crivo.repository.running import end_children
from crivo.trials import worker
from crivo.trials.worker import Answer, Request, State, run_trial, state_of_trials

# Seconds between two looks at whether all has ended.
SHORT = 0.2
QUIET = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance")

log = logging.getLogger("crivo.engine")


@dataclass(frozen=True)
class Workers:
    """What runs trials, `count` at once; `run` has one run, and waits for it.

    `name`: of what has the workers; `lost`: the errors by which it says that a worker was lost;
    `attempts`: how often a trial is sent then, since one that ends its worker each time is at fault
    itself; `queue`: how many trials it takes, if it has a queue of its own; `end`: ends what they
    run, when it is to stop.
    """

    run: Callable[[State, Request], Answer]
    count: int
    name: str
    lost: tuple[type[BaseException], ...] = ()
    attempts: int = 1
    queue: int = 0
    end: Callable[[], object] = lambda: None


class Engine:
    """Runs experiments that start from one state of the project.

    `workers`: how many run at once; more may be submitted, and wait in their order.
    """

    def __init__(self, state: State, workers: Workers) -> None:
        self.workers = workers.count
        self._state, self._workers = state, workers
        self._threads = ThreadPoolExecutor(workers.queue or workers.count, "crivo")
        self._futures: list[Future[str]] = []
        self._writing, self._ending = Lock(), False

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
        request = Request(name, tuple(settings), message, _output() if live else None)
        future = self._threads.submit(self._run, request)
        self._futures = [one for one in self._futures if not one.done()] + [future]
        return future

    def _run(self, request: Request) -> str:
        """Have a worker run a trial, another one if that is lost, and bring the experiment home."""
        name, attempts = request.name, self._workers.attempts
        while not self._ending:
            try:
                answer = self._workers.run(self._state, request)
            except self._workers.lost as error:
                attempts -= 1
                if not attempts:
                    raise CrivoError(
                        f"Each worker that ran the experiment {name} was lost; the last error "
                        f"was: {error}. Check the workers' memory and time limits."
                    ) from None
                log.warning("The worker of the experiment %s was lost; it runs again.", name)
            except (CancelledError, BrokenExecutor):
                break
            else:
                with self._writing:
                    return self._bring_home(name, answer)
        gone = f"{self._workers.name} no longer answers"
        why = "The command is stopping" if self._ending else gone
        raise NotRun(f"{why}, so the experiment {name} was not run to its end.")

    def _bring_home(self, name: str, answer: Answer) -> str:
        """Bring an experiment from a worker's clone; of two with one name none is lost."""
        clone = Path(answer.clone)
        if not clone.resolve().is_relative_to(self._state.folder):
            raise CrivoError(
                f"The worker that ran {name} names the folder {clone}, which this command didn't "
                "make; nothing was recorded."
            )
        base = self._state.base
        place = f"{EXPERIMENTS}/{base[:2]}/{base[2:]}"
        commit = Repository(clone).commit(f"{place}/{name}")
        if commit is None:
            raise CrivoError(f"The worker that ran {name} has recorded nothing; run it again.")
        self._state.home.git("fetch", *QUIET, str(clone), f"{place}/{name}")
        ref = create_reference(self._state.home, place, name, commit)
        with suppress(OSError):  # the trial is recorded already
            add(self._state.home, *(entry(TIMES, *one) for one in answer.times.items()))
        return ref

    def __enter__(self) -> Self:
        """Begin; workers start with the first experiment."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Wait for what was submitted; after an exception, end what runs and drop what waits."""
        self._ending = kind is not None
        # A trial may start its next process after the one before was ended.
        while self._ending and not all(one.done() for one in self._futures):
            self._workers.end()
            wait(self._futures, timeout=SHORT)
        self._threads.shutdown()


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
    with (
        state_of_trials(history, record, environment=variables) as state,
        ProcessPoolExecutor(count, context, worker.begin, (os.getpid(),)) as pool,
    ):
        pool.submit(os.getpid).result()  # a process forks while it has no threads

        def run(state: State, request: Request) -> Answer:
            return pool.submit(run_trial, state, request).result()

        name = "A process that runs trials has ended and"
        with Engine(state, Workers(run, count, name, end=end_children)) as engine:
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

    kind, _, text = scheduler.partition(":")
    options = clusters.options(text) if kind == "slurm" else {}
    if kind != "slurm" and "://" not in scheduler:
        raise CrivoError(
            f"--scheduler is {scheduler!r}; expected the address of a Dask scheduler "
            "(tcp://host:8786), or slurm, with options as in slurm:partition=cpu,timeout_min=60."
        )

    @contextmanager
    def opened(history: History, jobs: int | None) -> Iterator[Engine]:
        project = history.repository.project
        slurm = kind == "slurm"
        threads = {"OMP_NUM_THREADS": str(options.get("cpus_per_task", 1))}
        with (
            clusters.slurm_workers(project, options, jobs)
            if slurm
            else clusters.dask_workers(scheduler) as workers,
            state_of_trials(history, record, elsewhere=True, environment=threads) as state,
            Engine(state, workers) as engine,
        ):
            yield engine

    return opened
