"""Runs `dvc` and `crivo` in forks of a process that has imported their libraries.

A fork is a process of its own, in its folder, with its environment, output and exit status, and it
imports crivo itself; only the second that libraries take to be imported is saved. A command that a
test stops, or starts beside another one, is better started by `subprocess`.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

# What the two import for most of what they do.
# fmt: off
LIBRARIES = (
    "dvc.cachemgr", "dvc.cli.parser", "dvc.compare", "dvc.data_cloud", "dvc.dirs", "dvc.lock",
    "dvc.repo.experiments.run", "dvc.repo.reproduce", "dvc.rwlock", "dvc.scm", "dulwich.ignore",
    "dulwich.worktree", "networkx", "pandas", "pydantic", "ruamel.yaml", "scipy.linalg",
    "scipy.special", "yaml",
)
# fmt: on
PROGRAMS = {"dvc": "dvc.cli", "crivo": "crivo.cli"}


def runs(command: Sequence[str]) -> bool:
    """Whether a command can be run here: on other systems a fork with libraries isn't safe."""
    return command[0] in PROGRAMS and sys.platform == "linux"


def run(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    python: str = sys.executable,
) -> subprocess.CompletedProcess[str]:
    """Run one of the two commands as `subprocess.run` would, and keep what it prints."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        # A fork finds them here, by the numbers that they have in this process.
        places = [f"/proc/{os.getpid()}/fd/{file.fileno()}" for file in (out, err)]
        request = [*command], str(folder), dict(environment), places
        try:
            status = _server(python).ask(request)
        except BrokenPipeError:  # what ends its children in a test has ended the server as well
            status = _server(python).ask(request)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(command, status, out.read(), err.read())


class _Server:
    """The process that forks, and how it is asked."""

    def __init__(self, python: str) -> None:
        self.process = subprocess.Popen(
            [python, __file__],
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, request: Any) -> int:
        assert self.process.stdin
        assert self.process.stdout
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            return int(self.process.stdout.readline())
        except BaseException:  # the next answer would be that of another request
            self.process.kill()
            _server.cache_clear()
            raise


@cache
def _server(python: str) -> _Server:
    """Return the one of an environment's Python; it ends with this process."""
    return _Server(python)


def serve() -> None:
    """Answer each request with the exit status of the command, until nobody asks any more."""
    sys.path[0] = str(Path(sys.executable).parent)  # as in a program of the environment
    for name in LIBRARIES:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # forks would copy what they collect
    while line := sys.stdin.readline():
        pid = os.fork()
        if pid == 0:
            _become(*json.loads(line))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(status, flush=True)


def _become(
    command: list[str], folder: str, environment: dict[str, str], places: list[str]
) -> NoReturn:
    """Be the process of a command, up to its end."""
    for number, place in enumerate([os.devnull, *places]):
        opened = os.open(place, os.O_RDWR | (os.O_APPEND if number else 0))
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.stdin = open(0)  # noqa: SIM115
    tempfile.tempdir = None
    sys.argv = command
    try:
        main = importlib.import_module(PROGRAMS[command[0]]).main
        sys.exit(main(command[1:]) if command[0] == "dvc" else main())
    except SystemExit as end:
        _end(end.code)
    except BaseException:
        traceback.print_exc()
        _end(1)


def _end(code: str | int | None) -> NoReturn:
    """End as Python does, but leave the memory of the libraries to the system."""
    if isinstance(code, str):
        print(code, file=sys.stderr)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1 if isinstance(code, str) else code or 0)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        serve()
