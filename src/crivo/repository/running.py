"""Runs DVC as a subprocess of this Python, and ends the processes that it has started."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.repository.git import Repository
from crivo.repository.progress import steps

log = logging.getLogger(__name__)

# Lines of a failed run that are shown.
SHOWN = 12
# Another process of DVC's may hold its lock for longer than the 3 seconds that DVC waits itself.
DVC = (sys.executable, "-m", "dvc", "--wait-for-lock")
RUNNING = "Running stage '"


def run_dvc(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str | None] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a DVC command with the Python that runs this, and keep what it prints."""
    return subprocess.run(
        [*DVC, *arguments],
        cwd=folder,
        env=stage_environment(environment),
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def dvc(folder: Path, *arguments: str) -> str:
    """Return what a DVC command prints; CrivoError with its last words when it fails."""
    done = run_dvc(arguments, folder)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise CrivoError(f"`dvc {' '.join(arguments)}` failed: {last}")
    return done.stdout


def stage_environment(changes: Mapping[str, str | None] | None = None) -> dict[str, str]:
    """Return environment variables with which stages run by the Python that runs this.

    The stages say `python src/train.py`: they must find the environment's Python. A variable
    that is changed to None is left out.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    wanted = {**os.environ, "PATH": path, **(changes or {})}
    return {name: value for name, value in wanted.items() if value is not None}


def end_children() -> None:
    """End all that this process has started: DVC, and the stages that DVC has started."""
    import psutil

    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            process.terminate()


def run_pipeline(clone: Repository, stages: int) -> tuple[str, tuple[str, ...]] | None:
    """Run every stage of a clone, so many, whatever is up to date.

    Returned is the stage that failed with the last lines that were printed; None for none.
    """
    running, words = "", deque[str](maxlen=SHOWN)
    with (
        steps(stages, "Running stages") as step,
        subprocess.Popen(
            # Without --no-commit, the run cache would be written, and asked.
            [*DVC, "repro", "--force", "--no-commit"],
            cwd=clone.project,
            env=stage_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        ) as process,
    ):
        for line in process.stdout or ():
            if line.startswith(RUNNING):
                if running:
                    step()
                running = line.removeprefix(RUNNING).split("'")[0]
                log.info("Running %s ...", running)
            elif line.strip():
                words.append(line.rstrip())
    return (running, tuple(words)) if process.returncode else None


def track(project: Path, path: str, *, also: Sequence[str] = ()) -> None:
    """Add data to DVC, and its `.dvc` file and others that are there to git's index.

    CrivoError: DVC or git refuses, with its last words.
    """
    dvc(project, "add", "--quiet", path)
    there = [name for name in (f"{path}.dvc", *also) if (project / name).exists()]
    Repository(project).git("add", *there)
