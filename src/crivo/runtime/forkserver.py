"""Runs stage scripts in forks of one process that has imported what they import.

A fork is as fresh as a new process: no stage has run in the one that it comes from, which only
imports. Nothing else is shared between two stages. The process is started with the environment that
`start_stage` would leave, in the project's folder.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import json
import os
import select
import signal
import socket
import struct
import sys
import tempfile
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, NoReturn, TextIO

from crivo.runtime.lateimports import import_late, load, waiting
from crivo.runtime.read_guard import expect_watch
from crivo.runtime.start import expect_start

READY = b"ready"
# The length of a request, ahead of it.
LENGTH = struct.Struct("!I")
# Python's exit status where what was printed can't be written.
UNWRITTEN = 120
WRITTEN = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)
STAGE = "crivo.runtime.stage"  # which a stage of the library's own kind imports
# What the stages of every trial import, whatever the settings are. Not known before its first run,
# it would be imported in a fork, and then again for those to come.
LATER = {
    "src/train.py": (
        "crivo.run",
        STAGE,
        "crivo.training.batches",
        "crivo.training.fit_rows",
        "crivo.training.tracking",
        "dvclive",
        "pyarrow.parquet",
        "skops.io",
        "sklearn.metrics",
    ),
    "src/evaluate.py": (
        "crivo.run",
        STAGE,
        "crivo.evaluation.report.page",
        "crivo.evaluation.inspection",
        "crivo.evaluation.predicting",
        "crivo.training.refit",
        "pyarrow.parquet",
        "scipy.special",
        "skops.io",
        "sklearn.metrics",
    ),
}
# Names scripts that are likely to be asked for: their imports begin at once.
FIRST = "CRIVO_FORKED_FIRST"
# What is run by `python -c`, with the number of an open socket.
PROGRAM = (
    "import os, sys; sys.path[0] = os.path.abspath('src'); "
    "from crivo.runtime.forkserver import serve; serve(int(sys.argv[1]))"
)


class Request(NamedTuple):
    """A script to run, with its arguments, its environment, and where its output goes."""

    command: list[str]
    environment: dict[str, str]
    output: int


def serve(descriptor: int) -> None:
    """Run each script that is asked for; returns when nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    expect_watch()
    expect_start()
    learned = _Learned()
    connection = socket.socket(fileno=descriptor)
    connection.sendall(READY)
    for script in os.environ.get(FIRST, "").split():
        learned.import_for(script)
    while request := _receive(connection):
        learned.import_for(request.command[0])
        # Not a pipe, whose end another process could keep open.
        with tempfile.TemporaryFile("w+", encoding="utf-8") as needs:
            pid = os.fork()
            if pid == 0:
                connection.close()
                _run(request, needs)
                _end()
            os.close(request.output)
            status = _wait(connection, pid)
            needs.seek(0)
            learned.learn(request.command[0], needs.read())
        connection.sendall(LENGTH.pack(status))
    connection.close()


def send(connection: socket.socket, request: Request) -> None:
    """Ask for a script to be run."""
    body = json.dumps([request.command, request.environment]).encode()
    socket.send_fds(connection, [LENGTH.pack(len(body))], [request.output])
    connection.sendall(body)


def _receive(connection: socket.socket) -> Request | None:
    head, descriptors, *_ = socket.recv_fds(connection, LENGTH.size, 1)
    if not head:
        return None
    body = bytearray()
    (size,) = LENGTH.unpack(head)
    while len(body) < size and (part := connection.recv(size - len(body))):
        body += part
    command, environment = json.loads(body)
    return Request(command, environment, descriptors[0])


def _wait(connection: socket.socket, pid: int) -> int:
    """Return the exit status of a fork; end it when nobody waits for that any more."""
    running = os.pidfd_open(pid)
    try:
        ready, _, _ = select.select([connection.fileno(), running], [], [])
        if running not in ready:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    finally:
        os.close(running)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code if code >= 0 else 128 - code


class _Learned:
    """Imports what a script is known to need: in its second run, all that it needed before."""

    def __init__(self) -> None:
        self.modules: dict[str, set[str]] = {}
        self.tried: set[str] = set()  # some are in `sys.modules` of a fork and no modules

    def import_for(self, script: str) -> None:
        """Import what a script is known to need."""
        names = self.modules.get(script) or {*LATER.get(script, ())}
        if STAGE in names:
            import_late()  # as such a stage does, before it imports anything else
        new = sorted(names - _imported() - self.tried)
        self.tried.update(new)
        for name in new:
            # A module that can't be imported here says why where it is needed.
            with suppress(Exception):
                _import_skops() if name == "skops.io" else load(importlib.import_module(name))
        if new:
            _freeze()

    def learn(self, script: str, needs: str) -> None:
        """Take up what a fork says that it needed, if it ended well."""
        try:
            modules = json.loads(needs)
        except ValueError:  # nothing, or a part
            return
        self.modules[script] = set(modules) | self.modules.get(script, set())


def _import_skops() -> None:
    from crivo.modelfile.canonical import import_skops  # brings what must find its readers watched

    import_skops()


def _freeze() -> None:
    gc.collect()
    gc.freeze()  # forks would copy what they collect


def _imported() -> set[str]:
    return sys.modules.keys() - waiting()


def _shared(names: Iterable[str]) -> set[str]:
    """Return modules less those of the project's own code, which a stage imports by itself."""
    own = {path.stem for path in Path("src").iterdir()} - {"crivo"}
    return {name for name in names if name.partition(".")[0] not in own}


def _run(request: Request, needs: TextIO) -> None:
    """Become the process that runs a script, as Python would have started it."""
    _take_over(request)
    script, *_ = sys.argv = request.command
    sys.path[0] = os.path.realpath(Path(script).parent)
    main = ModuleType("__main__")
    main.__file__ = str(Path(script).absolute())
    sys.modules["__main__"] = main
    if measured := sys.modules.get("crivo.core.threads"):
        measured.measure_from_now()
    try:
        exec(compile(Path(script).read_bytes(), main.__file__, "exec"), main.__dict__)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        own = error.__traceback__  # of this function: a Python of its own would not have it
        error = error.with_traceback(own.tb_next if own else None)
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)
    with suppress(OSError):  # a full disk: the next fork imports it by itself
        json.dump([*_shared(_imported())], needs)
        needs.flush()


def _end() -> NoReturn:
    """End a fork as Python would, but leave its memory to the system.

    Python would take all modules apart, and copy for that what the fork shares with the process
    that it comes from. Files that are still open are written to their end.
    """
    threading._shutdown()  # type: ignore[attr-defined]  # as multiprocessing ends its forks
    files = _written_files()
    atexit._run_exitfuncs()
    for file in (*files, *_written_files()):
        with suppress(OSError, ValueError):  # closed, or nobody reads it: no matter at an end
            file.flush()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
    except OSError:
        os._exit(UNWRITTEN)
    os._exit(0)


def _written_files() -> list[Any]:
    """Return the open files of a fork, without those of the process that it comes from."""
    return [thing for thing in gc.get_objects() if type(thing) in WRITTEN]


def _take_over(request: Request) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (request.output, 1), (request.output, 2)):
        os.dup2(source, target)
    os.close(nothing)
    os.close(request.output)
    os.environ.clear()
    os.environ.update(request.environment)
