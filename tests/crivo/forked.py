"""Runs `dvc`, `crivo` and stages in forks of a process that has imported their libraries.

A fork is a process of its own, in its folder, with its environment, output and exit status, and it
imports crivo itself; only the seconds that libraries take to be imported are saved. What shells,
`make`, DVC and crivo start is forked as well, by what stands first in their `PATH`. A command that
a test stops, or starts beside another one, is better started by `subprocess`, and so is one that
proves what a shell's variables change, or that two processes of Python agree.
"""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from crivo.repository.running import DVC

HERE = Path(__file__).parent
# As they are before any test changes them.
PYTHON, TEMPORARY = sys.executable, tempfile.gettempdir()
PROGRAMS = ("crivo", "dvc")
PYTHONS = ("python", "python3")
PROGRAM = """\
#!{python} -IS
import sys
sys.path.insert(0, {here!r})
from forkclient import main
main({place!r}, {programs!r})
"""
ACTIVATE = """\
. '{programs}/activate'
PATH='{own}':$PATH
"""


def run(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], python: str = PYTHON
) -> subprocess.CompletedProcess[str]:
    """Run a command, forked if it is one of the two programs, and keep what it prints."""
    if command[0] in PROGRAMS:
        environment = in_forks(environment, python)
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def in_forks(environment: Mapping[str, str], python: str = PYTHON) -> dict[str, str]:
    """Return variables with which whatever `PATH` finds is forked where it can be.

    On other systems a fork with libraries isn't safe.
    """
    if sys.platform != "linux":
        return dict(environment)
    programs = virtual_environment(python) / "bin"
    return {**environment, "PATH": f"{programs}{os.pathsep}{environment['PATH']}"}


def virtual_environment(python: str = PYTHON) -> Path:
    """Return an environment with the packages of a Python's, whose programs are forked."""
    if sys.platform != "linux":
        return Path(python).parents[1]
    return _server(python).folder


def fork_what_crivo_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork, up to the end of a test, what the crivo of this process starts."""
    if sys.platform == "linux":
        python = str(virtual_environment() / "bin/python")
        monkeypatch.setattr(sys, "executable", python)
        monkeypatch.setattr("crivo.repository.running.DVC", (python, *DVC[1:]))


class _Server:
    """The process that forks, and the folder of what asks it."""

    def __init__(self, python: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="forked-", dir=TEMPORARY))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.place = str(self.folder / "socket")
        programs, own = Path(python).parent, self.folder / "bin"
        own.mkdir()
        for path in programs.iterdir():
            if path.name not in (*PROGRAMS, *PYTHONS, "activate"):
                (own / path.name).symlink_to(path)
        for name in (*PROGRAMS, *PYTHONS):
            text = PROGRAM.format(
                python=sys._base_executable,  # type: ignore[attr-defined]
                here=str(HERE), place=self.place, programs=str(programs),
            )  # fmt: skip
            (own / name).write_text(text)
            (own / name).chmod(0o755)
        (own / "activate").write_text(ACTIVATE.format(programs=programs, own=own))
        untold = {key: value for key, value in os.environ.items() if key[:6] != "PYTHON"}
        self.process = subprocess.Popen(
            [python, str(HERE / "forkserver.py"), self.place, str(own / "python")],
            cwd=self.folder,
            env=untold | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self.process.stdout
        assert self.process.stdout.readline() == "ready\n"


def _server(python: str) -> _Server:
    """Return the one of an environment's Python; it ends with this process."""
    if _started(python).process.poll() is not None:  # a test that ends its children ends it, too
        _started.cache_clear()
    return _started(python)


_started = cache(_Server)
