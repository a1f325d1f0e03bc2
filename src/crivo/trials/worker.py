"""A worker: runs trials in its own clone, as a process here, of Dask's or of SLURM's."""

from __future__ import annotations

import os
import platform
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Thread

from crivo.core.errors import CrivoError, NotRun
from crivo.repository.git import Repository
from crivo.repository.kept import Times
from crivo.repository.running import SHOWN, end_children
from crivo.repository.trial_run import StageFailed, TrialRun
from crivo.runtime.environment import lock_differences
from crivo.trials.state import START, State, library_digest

LOCKFILE = "requirements.txt"
# Seconds between two looks at whether the driver lives.
LOOK = 1.0

# A worker runs many trials of a command: the project is cloned for the first.
_place: dict[State, TrialRun] = {}
# A trial needs the whole process: its folder and its output.
_ALONE = Lock()


@dataclass(frozen=True)
class Request:
    """A trial to run; `live`: to which of 1 and 2 its stages print, None for a file."""

    name: str
    settings: tuple[str, ...]
    message: str
    live: int | None = None


@dataclass(frozen=True)
class Answer:
    """An experiment that was made: the clone that holds it under its name, and measured times."""

    clone: str
    times: Times


def run_trial(state: State, request: Request) -> Answer:
    """Run a trial, and say where it is; what its stages made is in the project's cache.

    CrivoError: the trial failed. NotRun: this worker has another Python, library or environment
    than the driver, or doesn't see the project.
    """
    with _ALONE:
        place = _prepared(state)
        log = Path(state.folder) / f"output-{socket.gethostname()}-{os.getpid()}"
        try:
            with _output(request.live or log):
                place.run(request.settings, request.name, request.message)
        except StageFailed as error:
            told = "; what it printed is above." if request.live else ". Its last lines:"
            first = f"The experiment {request.name} failed: {error}{told}"
            raise CrivoError("\n".join([first, *([] if request.live else _last(log))])) from None
        return Answer(str(place.checkout.top), place.times)


def begin(driver: int) -> None:
    """Begin a process that runs trials for a driver: its signals aren't the driver's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    Thread(target=_end_with, args=[driver], daemon=True).start()


def _end_with(driver: int) -> None:
    """End this process, and what it has started, once the driver is gone."""
    while os.getppid() == driver:
        time.sleep(LOOK)
    end_children()
    os._exit(1)


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
            f"The worker on {here} doesn't see the project in {state.top}; put the project into a "
            "folder that all workers have under the same path."
        )
    if state.library:
        _require_same(here, "Python", platform.python_version(), state.python)
        _require_same(here, "library code", library_digest()[:12], state.library[:12])
    place = Path(tempfile.mkdtemp(dir=folder)) / "project"
    shutil.copytree(folder / START, place, symlinks=True)
    clone = Repository(place, state.prefix)
    lock = clone.project / LOCKFILE
    if state.library and lock.exists() and (wrong := lock_differences(lock)):
        raise CrivoError(
            f"The worker on {here} has an environment that differs from {LOCKFILE}: "
            f"{', '.join(wrong[:5])}; set it up with `make install`."
        )
    return TrialRun(clone, dict(state.environment), folder / "turns")


def _require_same(host: str, what: str, here: str, there: str) -> None:
    if here != there:
        raise CrivoError(
            f"The worker on {host} has {what} {here} and the driver has {there}; start the worker "
            "in the same environment and from the same commit."
        )


@contextmanager
def _output(place: Path | int) -> Iterator[None]:
    """Let all that this process and its stages print go to a file, or one of its outputs."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    try:
        if isinstance(place, int):
            os.dup2(place, 1)
        else:
            with place.open("wb") as file:
                os.dup2(file.fileno(), 1)
        os.dup2(1, 2)
        yield
    finally:
        for one, number in zip(kept, (1, 2), strict=True):
            os.dup2(one, number)
            os.close(one)


def _last(log: Path) -> list[str]:
    with log.open(encoding="utf-8", errors="replace") as lines:
        return list(deque((line.rstrip() for line in lines if line.strip()), SHOWN))
