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
from collections.abc import Mapping
from contextlib import chdir, suppress
from functools import cached_property
from pathlib import Path
from threading import Thread

from crivo.repository import stage_client
from crivo.repository.running import stage_environment
from crivo.runtime.forkserver import PROGRAM, send
from crivo.runtime.start import cleared, without_python_s

# What the warm process runs: a script of the project's `src`, with whatever follows.
SCRIPT = re.compile(r"src/[\w.-]+\.py")
# With it, what Python was told stays in force: that must be a process of its own.
SWITCH = "CRIVO_ENVIRONMENT"
# The C library of Linux reads it when a process starts: forks then ask for fewer, larger pages.
LARGE_PAGES = ("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")


class StageProcess:
    """The warm process of one checkout, which runs its stages one after the other.

    It begins at once with what it imports. `environment` is for the commands of stages: `python`
    is on its path a small program that asks this process.
    """

    def __init__(self, folder: Path, changes: Mapping[str, str | None] | None = None) -> None:
        self.folder = folder
        # Stages print to a pipe here: without the variable their lines would come at the end.
        variables = {"PYTHONUNBUFFERED": "1", "DVC_ROOT": str(folder), **(changes or {})}
        self.environment = stage_environment(variables)
        self.forks = sys.platform == "linux" and SWITCH not in self.environment
        if self.forks:
            self._asked = False
            self._start_server()
            self._listen()

    def _start_server(self) -> None:
        self._connection, theirs = socket.socketpair()
        # Forking while linear algebra has threads is not safe; a stage takes one in any case.
        name, tunable = LARGE_PAGES
        more = {
            "OPENBLAS_NUM_THREADS": "1",
            name: ":".join(filter(None, [self.environment.get(name), tunable])),
        }
        with theirs:
            self._server = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, str(theirs.fileno())],
                cwd=self.folder,
                env=cleared(self.environment) | more,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        self._answers = self._connection.makefile()

    def _listen(self) -> None:
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
        Thread(target=self._answer, daemon=True).start()

    def _answer(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:  # it is closed
                return
            with connection, suppress(OSError):
                _, (output, *_), _, _ = socket.recv_fds(connection, 1, 1)
                words, environment = json.loads(connection.makefile().readline())
                try:
                    answer = self._run(words, environment, output)
                finally:
                    os.close(output)
                connection.sendall(answer.encode())

    def _run(self, words: list[str], environment: Mapping[str, str], output: int) -> str:
        """Return the exit status of a stage script, or that a Python of its own has to run it."""
        if not (words and SCRIPT.fullmatch(words[0]) and self._ready):
            return stage_client.COLD
        self._asked = True
        # The server was started without them: in its forks they aren't in force.
        with suppress(OSError):  # it has ended, which the answer will tell
            send(self._connection, words, without_python_s(environment), output)
        status = self._receive()
        if not isinstance(status, int):
            os.write(output, b"The process that ran the stage has ended.\n")
            return "1"
        return str(status)

    @cached_property
    def _ready(self) -> bool:
        """Whether it runs scripts: an older commit's code may have no such module, or a broken one.

        This waits until that is known.
        """
        return self._receive() == "ready"

    def _receive(self) -> str | int | None:
        try:
            answer: str | int = json.loads(self._answers.readline())
        except (OSError, ValueError):  # it has ended
            return None
        return answer

    def close(self) -> None:
        """End the warm process."""
        if not self.forks:
            return
        # Closed alone, it would go on waiting for the next one who asks.
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._answers.close()
        self._connection.close()
        if not self._asked:  # it may still be importing, and no stage runs
            self._server.terminate()
        self._server.wait()
