"""The start of a command's trials: a commit of the project, or its workspace as it is."""

from __future__ import annotations

import hashlib
import platform
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType

import crivo
from crivo.core.errors import CrivoError
from crivo.records.history import History
from crivo.records.record import Record
from crivo.repository.clones import clone_at, clone_of_workspace, share_cache
from crivo.repository.git import Repository
from crivo.repository.running import end_children

# The folder of the clone that the workers' are copies of.
START = "start"
# Below it, DVC keeps what git doesn't see.
SHARED = ".dvc/tmp"


@dataclass(frozen=True)
class State:
    """Code and settings that trials start from, in folders that the workers see.

    `top` and `prefix`: the project's repository and its place in it; `folder`: holds the clone
    `START`, of which workers make theirs beside it; `base`: the commit that experiments belong to;
    `environment`: variables of the stages; `python` and `library`: those of the driver, or empty
    where workers are its own processes.
    """

    top: str
    prefix: str
    folder: str
    base: str
    environment: tuple[tuple[str, str], ...] = ()
    python: str = ""
    library: str = ""

    @property
    def home(self) -> Repository:
        """The project's repository."""
        return Repository(Path(self.top), self.prefix)


@contextmanager
def state_of_trials(
    history: History,
    record: Record | None = None,
    *,
    elsewhere: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Iterator[State]:
    """Give the state that trials start from, for as long as they run.

    `record`: its code and settings; None: the workspace's, as they are now, whatever is edited
    meanwhile. `elsewhere`: workers may be other machines, which see the project's folder.
    """
    home = history.repository
    home.require_identity()
    base = base_of(record) if record else history.head or ""
    with temporary_folder(home.project / SHARED if elsewhere else None) as folder:
        if record is None:
            clone = clone_of_workspace(home, folder / START, base)
        else:
            _require_commits(home, record)
            clone = clone_at(home, folder / START, base, record.origin.revision)
        share_cache(home, clone, changed_data=record is None)
        yield State(
            str(home.top.resolve()),
            home.prefix,
            str(folder),
            base,
            tuple((environment or {}).items()),
            platform.python_version() if elsewhere else "",
            library_digest() if elsewhere else "",
        )


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


@contextmanager
def temporary_folder(place: Path | None = None) -> Iterator[Path]:
    """Give a folder, by default of the system's temporary one, and remove it with all in it."""
    if place:
        place.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="crivo-", dir=place)).resolve()
    try:
        with _stops():
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _stops() -> Iterator[None]:
    """Let a signal that ends this process end what it has started, too, and clean up."""
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    before = {
        number: signal.getsignal(number)
        for number in (getattr(signal, name) for name in names if hasattr(signal, name))
        if current_thread() is main_thread()
    }
    # One that is ignored, as under `nohup`, stays ignored.
    before = {number: then for number, then in before.items() if then is not signal.SIG_IGN}

    def stop(number: int, frame: FrameType | None) -> None:
        end_children()
        then = before[signal.Signals(number)]
        if callable(then):
            then(number, frame)
        sys.exit(128 + number)

    for number in before:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, then in before.items():
            signal.signal(number, then)


@cache
def library_digest() -> str:
    """Return a hash of the library's code."""
    folder = Path(crivo.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()
