"""Starts a command and kills it at a moment."""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from tests.crivo.pipeline.project import environment

PATIENCE = 240


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


def finish(running: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for a command; return its exit status and all that it printed."""
    words, _ = running.communicate(timeout=PATIENCE)
    return running.returncode, words


def kill(running: subprocess.Popen[str], moment: float) -> None:
    """Kill a command and all that it has started after some seconds."""
    with suppress(subprocess.TimeoutExpired):
        running.communicate(timeout=moment)
    with suppress(psutil.NoSuchProcess):
        family = psutil.Process(running.pid).children(recursive=True)
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
