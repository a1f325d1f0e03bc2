"""`Engine`: has experiments run by the workers of an executor, and fetches them into the project.

The driver decides what runs and it alone writes git in the project. A worker, wherever it is, makes
an experiment in a clone in a folder that both see, and the driver fetches it under the name that it
asked for.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import Lock
from typing import NamedTuple, Self

from crivo.core.errors import CrivoError, NotRun
from crivo.records.history import History
from crivo.records.ledger import COST, TIMES, add, entry
from crivo.records.record import Record
from crivo.records.settings import numbered
from crivo.repository.commits import EXPERIMENTS
from crivo.repository.git import Repository
from crivo.trials.answers import clone_of, require_asked_for
from crivo.trials.executors import Workers, executor_of
from crivo.trials.worker import Answer, Request, State, TrialFailed, state_of_trials

# Seconds between two looks at whether all has ended.
SHORT = 0.2
QUIET = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance")

log = logging.getLogger(__name__)


class Made(NamedTuple):
    """An experiment at home: its reference, and how many seconds its trial took."""

    reference: str
    seconds: float


class Engine:
    """Runs experiments that start from one state of the project.

    `workers`: how many run at once; more may be submitted, and wait in their order.
    """

    def __init__(self, state: State, workers: Workers) -> None:
        self.workers = workers.count
        self._state, self._workers = state, workers
        self._threads = ThreadPoolExecutor(workers.count)
        self._futures: list[Future[Made]] = []
        self._writing, self._ending = Lock(), False

    def submit(
        self, name: str, settings: Sequence[str], message: str, *, live: bool = False
    ) -> Future[Made]:
        """Have an experiment run, and return the future of its reference at home.

        `settings` are `key=value`, as `dvc exp run -S` takes them. When the future is done, the
        experiment is in the project's git, and what its stages made is in the project's cache. The
        reference has another name if the one that was given is taken by then. `live`: what the
        stages print goes to the standard error.

        The future's TrialFailed: the trial failed, with the last words; nothing is recorded. A
        worker that is lost isn't a failure of the trial: the engine runs it again. NotRun: the
        engine can't run trials any more, or a worker isn't fit to.
        """
        request = Request(name, tuple(settings), message, live)
        future = self._threads.submit(self._run, request)
        self._futures.append(future)
        return future

    def _run(self, request: Request) -> Made:
        """Have a worker run a trial, another one if that is lost, and bring the experiment home."""
        name, attempts = request.name, self._workers.attempts
        while not self._ending:
            try:
                answer = self._workers.run(request)
            except self._workers.lost as error:
                attempts -= 1
                if not attempts:
                    raise TrialFailed(
                        f"Each worker that ran the experiment {name} was lost; the last error "
                        f"was: {error}. Check the workers' memory and time limits."
                    ) from None
                log.warning("The worker of the experiment %s was lost; it runs again.", name)
            except (CancelledError, BrokenExecutor):
                break
            else:
                with self._writing:
                    return self._bring_home(request, answer)
        raise NotRun(
            f"The experiment {name} didn't finish: the workers no longer answer, or the "
            "command is stopping."
        )

    def _bring_home(self, request: Request, answer: Answer) -> Made:
        """Bring an experiment from a worker's clone; of two with one name none is lost."""
        name, base, home = request.name, self._state.base, self._state.home
        clone = clone_of(answer, request, self._state)
        place = f"{EXPERIMENTS}/{base[:2]}/{base[2:]}"
        names = (f"{place}/{name}", f"{place}/{name}^{{commit}}")
        given, commit = Repository(clone).hashes(names).values()
        if commit is None or given != commit:  # it could be a tag of one
            raise CrivoError(f"The worker that ran {name} has recorded no commit; run it again.")
        home.git("fetch", *QUIET, str(clone), f"{place}/{name}")
        require_asked_for(commit, request, self._state)
        ref = create_reference(home, place, name, commit)
        with suppress(OSError):  # the trial is recorded already
            times = (entry(TIMES, *one) for one in answer.times.items())
            add(home, entry(COST, commit, answer.seconds), *times)
        return Made(ref, answer.seconds)

    def __enter__(self) -> Self:
        """Begin; workers start with the first experiment."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Wait for what was submitted; after an exception, end what runs and drop what waits."""
        self._ending = kind is not None
        while self._ending:
            self._workers.end()
            # A trial may start its next process after the one before was ended.
            if not wait(self._futures, timeout=SHORT).not_done:
                break
        self._threads.shutdown()


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


def engine_of(scheduler: str | None = None, record: Record | None = None) -> EngineOf:
    """Return what opens the engine of a scheduler: None is this machine.

    `record`: experiments start from its code and settings, not from the workspace's as they are
    when the engine opens. `scheduler` is the address of a Dask scheduler (`tcp://host:8786`) or
    `slurm`, which may have options of its jobs: `slurm:partition=cpu,timeout_min=60`. CrivoError:
    it is neither.
    """
    opened, elsewhere = executor_of(scheduler), scheduler is not None

    @contextmanager
    def engine(history: History, count: int | None = None) -> Iterator[Engine]:
        with (
            state_of_trials(history, record, elsewhere=elsewhere) as state,
            opened(state, count) as workers,
            Engine(state, workers) as engine,
        ):
            yield engine

    return engine


local_engine = engine_of()
