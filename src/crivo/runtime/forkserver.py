"""The warm process that runs stage scripts in forks of itself, after the imports (trials only).

A fork is as fresh as a new process: no stage has run in the one that it comes from, which only
imports. Nothing else is shared between two stages. The process is started with the environment that
`start_stage` would leave, in the project's folder. What is asked and answered is a line of JSON.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import ModuleType

from crivo.runtime.lateimports import import_late
from crivo.runtime.read_guard import expect_watch

# What nearly every fit needs, whatever the settings are: modules, and functions to call.
FIRST = (
    "crivo.run",
    "crivo.runtime.stage",
    "crivo.modelfile.canonical:import_skops",
    "crivo.training.fit",
    "dvclive",
    "sklearn.ensemble",
)
# What an evaluation needs besides: it is imported while the first stage runs.
LATER = (
    "crivo.evaluation.evaluate",
    "crivo.evaluation.report.page:compile_templates",
)
# What is run by `python -c`, with the number of an open socket.
PROGRAM = (
    "import os, sys; sys.path[0] = os.path.abspath('src'); "
    "from crivo.runtime.forkserver import serve; serve(int(sys.argv[1]))"
)


def serve(descriptor: int) -> None:
    """Run each script that a listening socket is asked for, until the standard input ends.

    Returns then, and in each fork.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    listening = socket.socket(fileno=descriptor)
    import_late()
    expect_watch()
    _import_all(FIRST)
    while sys.stdin not in select.select([listening, sys.stdin], [], [])[0]:
        connection, _ = listening.accept()
        with connection, suppress(OSError, ValueError):
            _, (output, *_), _, _ = socket.recv_fds(connection, 1, 1)
            words, environment = json.loads(connection.makefile().readline())
            pid = os.fork()
            if pid == 0:
                listening.close()
                connection.close()
                _take_over(environment, output)
                _run(words)
                return
            os.close(output)
            connection.sendall(b"running\n")
            _import_all(LATER)
            connection.sendall(f"{_wait(connection, pid)}\n".encode())


def _import_all(names: Iterable[str]) -> None:
    """Import modules, and call functions; what fails here says why where it is needed."""
    for name in names:
        with suppress(Exception):
            module, _, function = name.partition(":")
            found = importlib.import_module(module)
            if function:
                getattr(found, function)()
    gc.collect()
    gc.freeze()  # forks would copy what they collect


def _wait(connection: socket.socket, pid: int) -> int:
    """Return the exit status of a fork; end it when nobody waits for that any more."""
    running = os.pidfd_open(pid)
    ready, _, _ = select.select([connection, sys.stdin, running], [], [])
    os.close(running)
    if running not in ready:
        os.kill(pid, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code if code >= 0 else 128 - code


def _take_over(environment: dict[str, str], output: int) -> None:
    """Take the place of the process that asks: its environment, and where output goes."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.close(nothing)
    os.close(output)
    os.environ.clear()
    os.environ.update(environment)


def _run(words: list[str]) -> None:
    """Run a script as Python would have started it."""
    script, *_ = sys.argv = words
    sys.path[0] = os.path.realpath(Path(script).parent)
    main = ModuleType("__main__")
    main.__file__ = str(Path(script).absolute())
    sys.modules["__main__"] = main
    try:
        exec(compile(Path(script).read_bytes(), main.__file__, "exec"), main.__dict__)
    except Exception as error:
        own = error.__traceback__  # of this function: a Python of its own would not have it
        error = error.with_traceback(own.tb_next if own else None)
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)
