"""`StageProcess`: starts and stops the warm process of a checkout, which runs stages in forks.

DVC runs the commands of stages, and finds in place of `python` a program that asks this process
(`stage_client.py`). Whatever else a command is, it runs as without this. The process itself is in
`crivo.runtime.forkserver`.
"""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path

from crivo.repository import stage_client
from crivo.repository.running import stage_environment
from crivo.runtime.forkserver import PROGRAM
from crivo.runtime.start import cleared

# Memory that a stage frees stays with it. To give it back and ask for it anew, as glibc does by
# itself for each array of some size, takes a tenth of `evaluate`.
MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(2**25), "MALLOC_TRIM_THRESHOLD_": str(2**29)}
# With it, what Python was told stays in force: that must be a process of its own.
SWITCH = "CRIVO_ENVIRONMENT"


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
        self._server: subprocess.Popen[bytes] | None = None
        if sys.platform == "linux" and SWITCH not in self.environment:
            self._server = self._start()
            self.environment["PATH"] = os.pathsep.join([self._client(), self.environment["PATH"]])

    def _start(self) -> subprocess.Popen[bytes]:
        # Forking while linear algebra has threads is not safe; a stage takes one in any case.
        environment = MEMORY | cleared(self.environment) | {"OPENBLAS_NUM_THREADS": "1"}
        (self.folder / ".dvc/tmp").mkdir(parents=True, exist_ok=True)
        with socket.socket(socket.AF_UNIX) as listening:
            with chdir(self.folder):  # a socket's path has a hundred letters at most
                listening.bind(stage_client.PLACE)
            listening.listen()
            return subprocess.Popen(
                [sys.executable, "-c", PROGRAM, str(listening.fileno())],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.PIPE,  # its end tells that this process is gone
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[listening.fileno()],
            )

    def _client(self) -> str:
        """Write the program that stands for `python`, and return its folder."""
        program = self.folder / ".dvc/tmp/crivo-python/python"
        program.parent.mkdir()
        words = (sys.executable, "-IS", stage_client.__file__)
        program.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        return str(program.parent)

    def close(self) -> None:
        """End the warm process."""
        if self._server:
            self._server.terminate()
            self._server.communicate()
