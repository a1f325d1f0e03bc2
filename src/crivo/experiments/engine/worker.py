"""What a worker does, on this machine or another: it runs trials and sends back their commits."""

from __future__ import annotations

import platform
import shutil
import socket
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.util import Finalize
from pathlib import Path
from threading import Lock

from crivo.core.environment import lock_differences
from crivo.core.errors import CrivoError, NotRun
from crivo.experiments.engine.state import IDENTITY, State, library_digest
from crivo.experiments.sandbox import Sandbox
from crivo.repository.bundles import repository_from, write_bundle
from crivo.repository.clone_data import share_cache, use_cache, use_remote
from crivo.repository.clones import clone_at
from crivo.repository.git import Repository
from crivo.repository.remote_files import remote_at
from crivo.repository.times import Times, kept_times

LOCKFILE = "requirements.txt"

# A worker runs many trials of a search: the project is unpacked for the first.
_PLACES: dict[State, Sandbox] = {}
_MAKING = Lock()


@dataclass(frozen=True)
class Request:
    """A trial to run; `environment` is that of its stages."""

    name: str
    settings: tuple[str, ...]
    message: str
    environment: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Answer:
    """An experiment that was made: its reference, and its commit as a file of git's.

    `times`: how long models took that this worker has fitted.
    """

    ref: str
    bundle: bytes
    times: Times


def run_trial(state: State, request: Request) -> Answer:
    """Run a trial here, and return its commit; what its stages made is in the cache or remote.

    CrivoError: the trial failed. NotRun: see `unpacked`.
    """
    place = unpacked(state)
    environment = dict(request.environment)
    ref = place.run(request.name, request.settings, request.message, environment)
    return Answer(ref, _bundle(place.home, ref, (state.base,)), kept_times(place.home))


def unpacked(state: State) -> Sandbox:
    """Return the place where the project is unpacked here, for the first that asks.

    NotRun: this worker has another Python, library or environment than the driver, or no access
    to the project's cache.
    """
    with _MAKING:
        if state not in _PLACES:
            try:
                _PLACES[state] = _unpack(state)
            except CrivoError as error:
                raise NotRun(*error.args) from error
        return _PLACES[state]


def _bundle(home: Repository, ref: str, without: Sequence[str]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="crivo-") as folder:
        place = Path(folder) / "experiment.bundle"
        write_bundle(home, place, ref, without)
        # The trial may run here again, when the driver has lost the answer.
        home.git("update-ref", "-d", ref)
        return place.read_bytes()


def _unpack(state: State) -> Sandbox:
    here = socket.gethostname()
    if state.remote is None and not state.bundle.is_file():
        raise CrivoError(
            f"The worker on {here} can't read the project's DVC cache {state.cache}; put the cache "
            "into a folder that all workers see (`dvc cache dir --local FOLDER`), or name a DVC "
            "remote that they reach with --remote."
        )
    _require_same(here, "Python", platform.python_version(), state.python)
    _require_same(here, "library code", library_digest()[:12], state.library[:12])
    folder = Path(tempfile.mkdtemp(prefix="crivo-worker-"))
    # Not atexit, of which processes of multiprocessing's know nothing, as Dask's workers are.
    Finalize(None, shutil.rmtree, (folder, True), exitpriority=0)
    files = remote_at(state.remote, folder / "remote") if state.remote else None
    bundle = state.bundle
    if files:
        files.get(state.key, bundle := folder / "state.bundle")
    home = repository_from(bundle, folder / "home", state.prefix)
    for key, value in zip(IDENTITY, state.identity, strict=True):
        home.git("config", key, value)
    lock = home.project / LOCKFILE
    if wrong := lock_differences(lock) if lock.exists() else []:
        raise CrivoError(
            f"The worker on {here} has another environment than {LOCKFILE}: {', '.join(wrong[:5])}"
            "; set it up with `make install`."
        )
    if state.remote:
        use_remote(home, state.remote)
    else:
        use_cache(home, Path(state.cache))

    def make(place: Path) -> Repository:
        clone = clone_at(home, place, state.base, state.revision)
        share_cache(home, clone)
        return clone

    sandbox = Sandbox(home, state.base, folder, make, files)
    Finalize(None, sandbox.close, exitpriority=1)
    return sandbox


def _require_same(host: str, what: str, here: str, there: str) -> None:
    if here != there:
        raise CrivoError(
            f"The worker on {host} has {what} {here} and the driver has {there}; start the worker "
            "in the same environment and from the same commit."
        )
