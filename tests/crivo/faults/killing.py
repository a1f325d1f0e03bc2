"""Runs a command and kills it at a moment, all of it or only the process that computes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.crivo import forked
from tests.crivo.faults.sound import ask, result, wrong
from tests.crivo.faults.tiny import SHARED
from tests.crivo.pipeline.project import Project, environment

PATIENCE = 240


@dataclass(frozen=True)
class Job:
    """A command to disturb, and what has to be done before it.

    `changes_workspace`: it is DVC's own trial, which puts its settings into the workspace for a
    moment; that must have no changes of its own.
    """

    name: str
    command: tuple[str, ...]
    prepare: Callable[[Project], None] = lambda project: None
    changes_workspace: bool = False


def other_split(project: Project) -> None:
    """Change a setting after which every stage has to run."""
    project.replace("params.yaml", "  at_random:\n    valid: 0.2", "  at_random:\n    valid: 0.3")


JOBS = {
    job.name: job
    for job in (
        Job("repro", ("dvc", "repro"), other_split),
        Job("try", ("crivo", "try", "seed=14")),
        Job("repeat", ("crivo", "repeat", "HEAD", "--seeds", "2")),
        Job("share", ("crivo", "share", SHARED)),
    )
}


@dataclass(frozen=True)
class Outcome:
    """What a killed command left: faults, and the next run's status, words and sameness."""

    faults: tuple[str, ...]
    status: int
    words: str
    same: bool

    @property
    def fine(self) -> bool:
        """Whether nothing was wrong, and the next run left the same, done anew or before."""
        return self.same and not self.faults and "Traceback" not in self.words

    @property
    def text(self) -> str:
        """The outcome in words."""
        if self.fine:
            return "nothing wrong, the next run left the same."
        return "\n  ".join([*self.faults, f"the next run: exit status {self.status}", self.words])


def undisturbed(job: Job, project: Project) -> tuple[dict[str, object], float]:
    """Return what a job leaves when nothing happens, and the seconds that it takes."""
    job.prepare(project)
    beginning = time.monotonic()
    running = start(job.command, project.folder, project.folder.parent)  # as it will be killed
    words, _ = running.communicate(timeout=PATIENCE)
    seconds = time.monotonic() - beginning
    assert running.returncode == 0, words
    faults = wrong(project)
    assert not faults, faults
    return result(project), seconds


def kill_and_go_on(
    job: Job, project: Project, moment: float, expected: dict[str, object], *, child: bool
) -> Outcome:
    """Kill a job after some seconds, look for faults, run it again and compare its result."""
    job.prepare(project)
    temporary = project.folder.parent / "temporary"
    temporary.mkdir(exist_ok=True)
    branch = ask(project.folder, "branch", "--show-current").stdout.strip()
    kill(job.command, project.folder, moment, temporary, child=child)
    remove_broken_lock(project.folder)
    if job.changes_workspace:
        put_back(project.folder, branch)
    faults = wrong(project)
    again = forked.run(job.command, project.folder, environment(TMPDIR=str(temporary)))
    faults += wrong(project)
    same = result(project) == expected
    return Outcome(tuple(faults), again.returncode, again.stdout + again.stderr, same)


def remove_broken_lock(folder: Path) -> None:
    """Do what docs/faults.md and crivo say where DVC was killed while it wrote who reads what."""
    for name in ("rwlock", "exps/rwlock"):
        path = folder / ".dvc/tmp" / name
        try:
            json.loads(path.read_text() if path.exists() else "{}")
        except ValueError:
            path.unlink()


def put_back(folder: Path, branch: str) -> None:
    """Undo what docs/faults.md says that DVC may have changed when its trial was killed."""
    (folder / ".git/index.lock").unlink(missing_ok=True)
    ask(folder, "switch", "--force", branch)


def start(command: Sequence[str], folder: Path, temporary: Path) -> subprocess.Popen[str]:
    """Start a command in a process group of its own."""
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment(TMPDIR=str(temporary)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def kill(
    command: Sequence[str], folder: Path, moment: float, temporary: Path, *, child: bool
) -> None:
    """Start a command and kill it after some seconds; with `child`, only the innermost process."""
    running = start(command, folder, temporary)
    with suppress(subprocess.TimeoutExpired):
        running.communicate(timeout=moment)
    with suppress(psutil.NoSuchProcess):
        family = psutil.Process(running.pid).children(recursive=True)
        if child and family:
            family[-1].kill()
            with suppress(subprocess.TimeoutExpired):
                running.communicate(timeout=PATIENCE)
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        # What has its own group may live on: it must come to its end before anyone looks.
        wait_for(family)
    running.communicate()


def wait_for(family: Sequence[psutil.Process]) -> None:
    """Wait until no process runs; one that nobody has buried yet doesn't."""
    end = time.monotonic() + PATIENCE
    while any(alive(one) for one in family) and time.monotonic() < end:
        time.sleep(0.05)


def alive(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False
