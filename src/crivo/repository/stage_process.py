"""Runs the commands of stages in a checkout, those that are scripts in forks of a warm process."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from crivo.core.forkserver import FIRST, LATER, LENGTH, PROGRAM, READY, Request, send
from crivo.core.start import cleared, without_python_s
from crivo.repository.running import stage_environment

# What a shell would do something with.
OF_A_SHELL = re.compile(r"[|&;<>()$`\\*?\[\]#~%{}!\n]")
# With it, what Python was told stays in force: that must be a process of its own.
SWITCH = "CRIVO_ENVIRONMENT"
# The C library of Linux reads it when a process starts: forks then ask for fewer, larger pages.
LARGE_PAGES = ("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")

Show = Callable[[str], None]
T = TypeVar("T")


class StageProcess:
    """What runs the stages of one checkout, one after the other."""

    def __init__(self, folder: Path, changes: Mapping[str, str | None] | None = None) -> None:
        self.folder = folder
        # Stages print to a pipe here: without the variable their lines would come at the end.
        variables = {"PYTHONUNBUFFERED": "1", "DVC_ROOT": str(folder), **(changes or {})}
        self.environment = stage_environment(variables)
        self._server: _ForkServer | None = None
        self._forks = sys.platform == "linux" and SWITCH not in self.environment

    def start(self) -> None:
        """Let the warm process begin with what it imports, and don't wait for it."""
        if self._forks and self._server is None:
            self._server = _ForkServer(self.folder, self.environment, [*LATER])

    def run(self, command: str, environment: Mapping[str, str], show: Show) -> int:
        """Run a command, give each line that it prints to `show`, and return its exit status."""
        script = script_of(command)
        variables = {**self.environment, **environment}
        if script and self._forks:
            self._server = self._server or _ForkServer(self.folder, self.environment)
            self._forks = self._server.ready
        if script and self._server and self._forks:
            # The server was started without them: in its forks they aren't in force.
            return self._server.run(script, without_python_s(variables), show)
        return _run_anew(command, self.folder, variables, show)

    def close(self) -> None:
        """End the warm process."""
        if self._server is not None:
            self._server.close()
            self._server = None


def script_of(command: str) -> list[str] | None:
    """Return the script of the project's `src` that a command runs, and its arguments, or None.

    >>> script_of("python src/train.py --fast")
    ['src/train.py', '--fast']
    """
    if OF_A_SHELL.search(command):
        return None
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    fits = len(words) > 1 and words[0] == "python" and re.fullmatch(r"src/[\w.-]+\.py", words[1])
    return words[1:] if fits else None


class _ForkServer:
    """The process of `crivo.core.forkserver` in a checkout."""

    def __init__(
        self, folder: Path, environment: Mapping[str, str], first: Sequence[str] = ()
    ) -> None:
        self._connection, theirs = socket.socketpair()
        # Forking while linear algebra has threads is not safe; a stage takes one in any case.
        name, tunable = LARGE_PAGES
        variables = cleared(environment) | {
            "OPENBLAS_NUM_THREADS": "1",
            FIRST: " ".join(first),
            name: ":".join(filter(None, [environment.get(name), tunable])),
        }
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, str(theirs.fileno())],
                cwd=folder,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        self._asked = False

    @cached_property
    def ready(self) -> bool:
        """Whether it runs scripts: an older commit's code may have no such module, or a broken one.

        This waits until that is known.
        """
        return self._receive(len(READY)) == READY

    def run(self, command: list[str], environment: Mapping[str, str], show: Show) -> int:
        def ask(output: int) -> None:
            self._asked = True
            with suppress(OSError):  # it has ended, which the answer will tell
                send(self._connection, Request(command, dict(environment), output))

        _shown(ask, show)
        answer = self._receive(LENGTH.size)
        if len(answer) < LENGTH.size:
            show("The process that ran the stage has ended.\n")
            return 1
        return int(LENGTH.unpack(answer)[0])

    def _receive(self, size: int) -> bytes:
        received = b""
        with suppress(OSError):
            while len(received) < size and (part := self._connection.recv(size - len(received))):
                received += part
        return received

    def close(self) -> None:
        self._connection.close()
        if not self._asked:  # it may still be importing, and no stage runs
            self._process.terminate()
        self._process.wait()


def _run_anew(command: str, folder: Path, environment: Mapping[str, str], show: Show) -> int:
    """Run a command by the user's shell, as DVC does."""
    from dvc.stage.run import _make_cmd, get_executable

    def start(output: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            _make_cmd(get_executable(), command),
            cwd=folder,
            env=dict(environment),
            shell=os.name == "nt",
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )

    return _shown(start, show).wait()


def _shown(start: Callable[[int], T], show: Show) -> T:
    """Start what writes to a pipe, give each of its lines to `show`, return what was started."""
    reading, writing = os.pipe()
    try:
        started = start(writing)
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    with os.fdopen(reading, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            show(line)
    return started
