"""The warm process of a checkout: stage scripts run in forks of it, and needn't import anew.

DVC runs the commands of stages, and finds in place of `python` a program that asks this process
(`stage_client.py`). Whatever else a command is, it runs as without this.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir, suppress
from functools import cached_property
from pathlib import Path
from threading import Thread

from crivo.repository import stage_client
from crivo.repository.running import stage_environment
from crivo.runtime.forkserver import PROGRAM, send
from crivo.runtime.start import cleared, without_python_s

# What the warm process runs: a script of the project's `src`, with whatever follows.
SCRIPT = r"src/[\w.-]+\.py"
# With it, what Python was told stays in force: that must be a process of its own.
SWITCH = "CRIVO_ENVIRONMENT"
# The C library of Linux reads it when a process starts: forks then ask for fewer, larger pages.
LARGE_PAGES = ("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")

Show = Callable[[str], None]


class StageProcess:
    """The warm process of one checkout, which runs its stages one after the other."""

    def __init__(self, folder: Path, changes: Mapping[str, str | None] | None = None) -> None:
        self.folder = folder
        # Stages print to a pipe here: without the variable their lines would come at the end.
        variables = {"PYTHONUNBUFFERED": "1", "DVC_ROOT": str(folder), **(changes or {})}
        self.environment = stage_environment(variables)
        self._server: _ForkServer | None = None
        self._listening: socket.socket | None = None
        self._forks = sys.platform == "linux" and SWITCH not in self.environment

    def start(self) -> None:
        """Let the warm process begin with what it imports, and don't wait for it.

        From then on, `python` is on the path of `environment` a small program that asks it.
        """
        if not self._forks or self._server is not None:
            return
        self._server = _ForkServer(self.folder, self.environment)
        folder = self.folder / ".dvc/tmp/crivo-python"
        folder.mkdir(parents=True)
        words = (sys.executable, "-IS", stage_client.__file__)
        program = folder / "python"
        program.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        self.environment["PATH"] = os.pathsep.join([str(folder), self.environment["PATH"]])
        self._listening = socket.socket(socket.AF_UNIX)
        with chdir(self.folder):  # a socket's path has a hundred letters at most
            self._listening.bind(stage_client.PLACE)
        self._listening.listen()
        Thread(target=self._listen, args=[self._listening], daemon=True).start()

    def _listen(self, listening: socket.socket) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:  # it is closed
                return
            with connection, suppress(OSError):
                _, (output, *_), _, _ = socket.recv_fds(connection, 1, 1)
                words, environment = json.loads(connection.makefile().readline())
                try:
                    status = self._run(words, environment, output)
                finally:
                    os.close(output)
                answer = stage_client.COLD if status is None else str(status)
                connection.sendall(answer.encode())

    def _run(self, words: list[str], environment: Mapping[str, str], output: int) -> int | None:
        """Return the exit status of a stage script; None if a Python of its own has to run it."""
        if not self._forks or not re.fullmatch(SCRIPT, " ".join(words[:1])):
            return None
        self._server = self._server or _ForkServer(self.folder, self.environment)
        self._forks = self._server.ready
        if not self._forks:
            return None
        # The server was started without them: in its forks they aren't in force.
        return self._server.run(words, without_python_s(environment), output)

    def run(self, command: str, environment: Mapping[str, str], show: Show) -> int:
        """Run `python` with a stage script, and give each line that it prints to `show`."""
        reading, writing = os.pipe()
        words, variables = shlex.split(command)[1:], {**self.environment, **environment}
        with (
            os.fdopen(reading, encoding="utf-8", errors="replace") as lines,
            ThreadPoolExecutor(1) as thread,
        ):
            status = thread.submit(self._run, words, variables, writing)
            status.add_done_callback(lambda _: os.close(writing))
            for line in lines:
                show(line)
        return status.result() or 0

    def close(self) -> None:
        """End the warm process."""
        if self._listening is not None:
            # Closed alone, it would go on waiting for the next one who asks.
            with suppress(OSError):
                self._listening.shutdown(socket.SHUT_RDWR)
            self._listening.close()
        if self._server is not None:
            self._server.close()
            self._server = None


class _ForkServer:
    """The process of `crivo.runtime.forkserver` in a checkout."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._connection, theirs = socket.socketpair()
        # Forking while linear algebra has threads is not safe; a stage takes one in any case.
        name, tunable = LARGE_PAGES
        variables = cleared(environment) | {
            "OPENBLAS_NUM_THREADS": "1",
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
        self._answers = self._connection.makefile()
        self._asked = False

    @cached_property
    def ready(self) -> bool:
        """Whether it runs scripts: an older commit's code may have no such module, or a broken one.

        This waits until that is known.
        """
        return self._receive() == "ready"

    def run(self, command: list[str], environment: Mapping[str, str], output: int) -> int:
        self._asked = True
        with suppress(OSError):  # it has ended, which the answer will tell
            send(self._connection, command, dict(environment), output)
        status = self._receive()
        if not isinstance(status, int):
            os.write(output, b"The process that ran the stage has ended.\n")
            return 1
        return status

    def _receive(self) -> str | int | None:
        try:
            answer: str | int = json.loads(self._answers.readline())
        except (OSError, ValueError):  # it has ended
            return None
        return answer

    def close(self) -> None:
        self._answers.close()
        self._connection.close()
        if not self._asked:  # it may still be importing, and no stage runs
            self._process.terminate()
        self._process.wait()
