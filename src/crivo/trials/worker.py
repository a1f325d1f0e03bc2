"""Runs a trial in a worker process, in a clone made from the state that trials start from.

The driver's side is `engine`; processes, Dask and SLURM are in `executors`.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Thread

from pydantic import FiniteFloat

from crivo.core.errors import CrivoError, NotRun
from crivo.records.history import History
from crivo.records.record import Record
from crivo.repository.clones import clone_at, clone_of_workspace, share_cache
from crivo.repository.git import Repository
from crivo.repository.running import SHOWN, end_children
from crivo.repository.trial_run import StageFailed, Times, TrialRun
from crivo.runtime.environment import lock_differences

# The folder of the clone that the workers' are copies of.
START = "start"
# Below it, DVC keeps what git doesn't see.
SHARED = ".dvc/tmp"
LOCKFILE = "requirements.txt"
# Seconds between two looks at whether the driver lives.
LOOK = 1.0
# The signals that end a command; Windows knows no SIGHUP.
ENDING = {signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}
# A trial needs the whole process: its folder and its output.
_ALONE = Lock()


@dataclass(frozen=True)
class State:
    """Code and settings that trials start from, in folders that the workers see.

    `home`: the project; `folder`: holds the clone `START`, of which workers make theirs beside it;
    `base`: the commit that experiments belong to; `elsewhere`: workers may be on other machines;
    `threads`: how many a trial has, None for any number.
    """

    home: Repository
    folder: str
    base: str
    elsewhere: bool
    threads: int | None = None


@contextmanager
def state_of_trials(
    history: History, record: Record | None = None, *, elsewhere: bool
) -> Iterator[State]:
    """Give the state that trials start from, for as long as they run.

    `record`: its code and settings; None: the workspace's, as they are now, whatever is edited
    meanwhile. `elsewhere`: workers may be other machines, which see the project's folder.
    """
    home = history.repository
    home.require_identity()
    base = base_of(record) if record else history.head
    if base is None:
        raise CrivoError(
            "The branch that is checked out has no commit, so a trial has nothing to start from; "
            "check out one that has (`git checkout NAME`)."
        )
    place = home.project / SHARED if elsewhere else None
    if place:
        place.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix="crivo-", dir=place, ignore_cleanup_errors=True
    ) as name:
        folder = Path(name).resolve()
        if record is None:
            clone = clone_of_workspace(home, folder / START, base)
        else:
            _require_commits(home, record)
            clone = clone_at(home, folder / START, base, record.origin.revision)
        share_cache(home, clone, changed_data=record is None)
        yield State(Repository(home.top.resolve(), home.prefix), str(folder), base, elsewhere)


def _require_commits(home: Repository, record: Record) -> None:
    for one in (base_of(record), record.origin.revision):
        if home.commit(one) is None:
            raise CrivoError(
                f"{record.name} can't be run again: its commit {one[:7]} is not in this "
                "clone; fetch it first (`git fetch`, in a shallow clone with --unshallow)."
            )


def base_of(record: Record) -> str:
    """Return the commit that an experiment started from; a commit is its own."""
    return (record.origin.parent or "") if record.origin.trial else record.origin.revision


# A worker runs many trials of a command: the project is cloned for the first.
_place: dict[State, TrialRun] = {}


@dataclass(frozen=True)
class Request:
    """A trial to run; `live`: its stages print to the standard error, and not to a file."""

    name: str
    settings: tuple[str, ...]
    message: str
    live: bool


class TrialFailed(CrivoError):
    """A trial that began and did not end well; nothing of it is recorded."""


@dataclass(frozen=True)
class Answer:
    """An experiment that was made: the clone that holds it under its name, and measured times.

    `seconds`: how long the trial took.
    """

    clone: str
    times: Times
    seconds: FiniteFloat


def run_trial(state: State, request: Request) -> Answer:
    """Run a trial, and say where it is; what its stages made is in the project's cache.

    TrialFailed: it did. NotRun: this worker has another environment than the lock's, or
    doesn't see the project.
    """
    with _ALONE:
        place = _prepared(state)
        log = Path(state.folder) / f"output-{socket.gethostname()}-{os.getpid()}"
        start = time.monotonic()
        try:
            with _output(None if request.live else log):
                place.run(request.settings, request.name, request.message)
        except StageFailed as error:
            told = "; what it printed is above." if request.live else ". Its last lines:"
            first = f"The experiment {request.name} failed: {error}{told}"
            raise TrialFailed("\n".join([first, *([] if request.live else _last(log))])) from None
        return Answer(str(place.checkout.top), place.times, time.monotonic() - start)


def begin(driver: int, state: State) -> None:
    """Begin a process that runs trials for a driver: its signals aren't the driver's.

    It makes ready for the first trial, which says what is wrong.
    """
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    Thread(target=_end_with, args=[driver], daemon=True).start()
    with suppress(Exception):
        _prepared(state)


def _end_with(driver: int) -> None:
    """End this process, and what it has started, once the driver is gone."""
    while os.getppid() == driver:
        time.sleep(LOOK)
    end_children()
    signal.raise_signal(signal.SIGTERM)


def _prepared(state: State) -> TrialRun:
    if state not in _place:
        while _place:
            _place.popitem()[1].close()
        try:
            _place[state] = _prepare(state)
        except CrivoError as error:
            raise NotRun(*error.args) from error
    return _place[state]


def _prepare(state: State) -> TrialRun:
    here, folder = socket.gethostname(), Path(state.folder)
    if not folder.is_dir():
        raise CrivoError(
            f"The worker on {here} doesn't see the project in {state.home.top}; put the project "
            "into a folder that all workers have under the same path."
        )
    place = Path(tempfile.mkdtemp(dir=folder)) / "project"
    shutil.copytree(folder / START, place, symlinks=True)
    clone = Repository(place, state.home.prefix)
    lock = clone.project / LOCKFILE
    if state.elsewhere and lock.exists() and (wrong := lock_differences(lock)):
        raise CrivoError(
            f"The worker on {here} has an environment that differs from {LOCKFILE}: "
            f"{', '.join(wrong[:5])}; set it up with `make install`."
        )
    if not state.threads:  # it is the only worker
        return TrialRun(clone)
    return TrialRun(clone, {"OMP_NUM_THREADS": str(state.threads)}, folder / "turns")


@contextmanager
def _output(log: Path | None) -> Iterator[None]:
    """Let all that this process and its stages print go to a file, or to the standard error."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    try:
        if log:
            with log.open("wb") as file:
                os.dup2(file.fileno(), 2)
        os.dup2(2, 1)
        yield
    finally:
        for one, number in zip(kept, (1, 2), strict=True):
            os.dup2(one, number)
            os.close(one)


def _last(log: Path) -> list[str]:
    with log.open(encoding="utf-8", errors="replace") as lines:
        return list(deque((line.rstrip() for line in lines if line.strip()), SHOWN))
