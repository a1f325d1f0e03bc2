"""Runs experiments, new ones and past ones with other settings, in temporary clones.

A clone stands at the workspace's state or at a past experiment's own code and settings, and the
workspace is not touched. Only the finished experiment comes back, as a reference of git's. A
killed run leaves nothing in the project. What only DVC can run, DVC runs in such a clone.
"""

from __future__ import annotations

import logging
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock, current_thread, main_thread
from types import FrameType

from crivo.core.errors import CrivoError
from crivo.experiments.records import Record
from crivo.repository.cache_store import Files
from crivo.repository.clone_data import push_outputs, share_cache
from crivo.repository.clones import clone_at, clone_like, clone_of_workspace
from crivo.repository.commits import EXPERIMENTS
from crivo.repository.definitions import Unsupported
from crivo.repository.git import Repository
from crivo.repository.pipeline_run import StageFailed
from crivo.repository.running import SHOWN, end_children, run_dvc, show_dvc
from crivo.repository.times import keep_times
from crivo.repository.trial_run import TrialRun

log = logging.getLogger("crivo.try")

Environment = Mapping[str, str]

# Several threads may run experiments; DVC's objects, which share the cache, aren't made for that.
ONE_AT_A_TIME = Lock()


class NameTaken(CrivoError):
    """Another experiment was recorded under a trial's name while the trial ran."""


def name_taken(name: str) -> NameTaken:
    """Return the error that says so."""
    return NameTaken(
        f"Another experiment was recorded as {name} while this one ran, so this one was not kept; "
        "run it again with another name (`crivo try --name`). What its stages computed is in the "
        "cache."
    )


class Sandbox:
    """Where experiments run: in temporary clones, which `make` makes, as many as run at once.

    `remote`: where their files come from and go to, for a cache that nobody else sees.
    """

    def __init__(
        self,
        home: Repository,
        base: str,
        folder: Path,
        make: Callable[[Path], Repository],
        remote: Files | None = None,
    ) -> None:
        self.home, self.base, self.folder, self.make = home, base, folder, make
        self.remote = remote
        self._idle: list[tuple[Environment, TrialRun]] = []
        self._by_dvc = False

    def run(
        self,
        name: str,
        settings: Sequence[str],
        message: str = "",
        environment: Mapping[str, str] | None = None,
        *,
        live_output: bool = False,
    ) -> str:
        """Run one experiment, bring it home and return its reference.

        `live_output`: print what the stages print. CrivoError: it failed, with the last words
        unless they were shown; or its name was taken meanwhile.
        """
        if not self._by_dvc:
            try:
                return self._run(name, settings, message, environment or {}, live_output)
            except Unsupported as why:
                log.info("DVC runs the experiment: %s", why)
                self._by_dvc = True
        return self._run_by_dvc(name, settings, message, environment, live_output)

    def _run(
        self,
        name: str,
        settings: Sequence[str],
        message: str,
        environment: Mapping[str, str],
        live_output: bool,
    ) -> str:
        words = deque[str](maxlen=SHOWN)

        def show(line: str) -> None:
            if live_output:
                print(line, end="", flush=True)
            elif line.strip():
                words.append(line.rstrip())

        with self._trial_run(environment) as place:
            try:
                ref = place.run(settings, name, message, show)
            except StageFailed as error:
                told = "; what it printed is above." if live_output else ". Its last lines:"
                first = f"The experiment {name} failed: {error}{told}"
                raise CrivoError("\n".join([first, *words])) from None
            self._bring_home(place.checkout, ref, name)
            keep_times(self.home, place.times)
        return ref

    @contextmanager
    def _trial_run(self, environment: Environment) -> Iterator[TrialRun]:
        """Give a clone in which a trial can be run, one that has served another if there is one."""
        with ONE_AT_A_TIME:
            alike = [item for item in self._idle if item[0] == environment]
            if alike:
                self._idle.remove(alike[0])
                place = alike[0][1]
            else:
                clone = self.make(Path(tempfile.mkdtemp(dir=self.folder)) / "project")
                place = TrialRun(clone, environment, self.remote)
        try:
            yield place
        except BaseException:
            place.close()
            raise
        self._idle.append((environment, place))

    def close(self) -> None:
        """End the processes that wait for more experiments."""
        while self._idle:
            self._idle.pop()[1].close()

    def _run_by_dvc(
        self,
        name: str,
        settings: Sequence[str],
        message: str,
        environment: Mapping[str, str] | None,
        live_output: bool,
    ) -> str:
        command = ["exp", "run", "--name", name]
        command += [part for setting in settings for part in ("--set-param", setting)]
        command += ["--message", message] if message else []
        command += ["--pull"] if self.remote else []
        with temporary_clone(self.folder, self.make) as clone:
            run = show_dvc if live_output else run_dvc
            done = run(command, clone.project, environment)
            if done.returncode:
                raise CrivoError(_failure(name, done, live_output))
            ref = require_recorded(clone, self.base, name)
            if self.remote:
                push_outputs(clone, self.remote.name, name)
            self._bring_home(clone, ref, name)
        return ref

    def _bring_home(self, clone: Repository, ref: str, name: str) -> None:
        options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance")
        try:
            self.home.git("fetch", *options, str(clone.top), f"{ref}:{ref}")
        except CrivoError:
            if self.home.commit(ref) is None:
                raise
            raise name_taken(name) from None


@contextmanager
def temporary_clone(folder: Path, make: Callable[[Path], Repository]) -> Iterator[Repository]:
    """Give a clone in a folder, and remove it."""
    place = Path(tempfile.mkdtemp(dir=folder))
    try:
        with ONE_AT_A_TIME:
            clone = make(place / "project")
        yield clone
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _failure(name: str, done: subprocess.CompletedProcess[str], live_output: bool) -> str:
    if live_output:
        return f"The trial {name} failed; DVC says why above."
    words = f"{done.stdout}\n{done.stderr}".strip().splitlines()[-SHOWN:]
    return "\n".join([f"The experiment {name} failed. DVC's last lines:", *words])


def base_of(record: Record) -> str:
    """Return the commit that an experiment started from; a commit is its own."""
    return (record.origin.parent or "") if record.origin.trial else record.origin.revision


def require_recorded(repository: Repository, base: str, name: str) -> str:
    """Return the reference of an experiment that was run; CrivoError when there is none.

    DVC says nothing, and exits with status 0, when a disk is full as it records one.
    """
    ref = f"{EXPERIMENTS}/{base[:2]}/{base[2:]}/{name}"
    if repository.commit(ref) is None:
        raise CrivoError(
            f"The experiment {name} ran, but DVC didn't record it and gave no reason. Check "
            "whether the disk is full, free some space, and run it again."
        )
    return ref


@contextmanager
def sandbox(home: Repository, record: Record) -> Iterator[Sandbox]:
    """Give the place where experiments run from a record's code and settings."""
    base = base_of(record)
    for revision in (base, record.origin.revision):
        if home.commit(revision) is None:
            raise CrivoError(
                f"{record.name} can't be run again: its commit {revision[:7]} is not in this "
                "clone; fetch it first (`git fetch`, in a shallow clone with --unshallow)."
            )

    def make(place: Path) -> Repository:
        clone = clone_at(home, place, base, record.origin.revision)
        share_cache(home, clone)
        return clone

    with temporary_folder() as folder, closing(Sandbox(home, base, folder, make)) as place:
        yield place


@contextmanager
def workspace_sandbox(home: Repository, base: str) -> Iterator[Sandbox]:
    """Give the place where experiments run from the workspace, on the commit checked out.

    All run from the state that the first one finds, whatever is edited meanwhile.
    """
    first: list[tuple[Repository, str]] = []

    def make(place: Path) -> Repository:
        if first:
            clone = clone_like(home, place, base, *first[0])
        else:
            clone = clone_of_workspace(home, place, base)
            first.append((clone, clone.git("write-tree").strip()))
        share_cache(home, clone, changed_data=True)
        return clone

    with temporary_folder() as folder, closing(Sandbox(home, base, folder, make)) as place:
        yield place


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Give a folder of the system's temporary one, and remove it with all that is in it."""
    folder = Path(tempfile.mkdtemp(prefix="crivo-"))
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
