"""Runs commands in forks of this process, which has imported their libraries; see `forked`."""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import gc
import importlib
import marshal
import os
import runpy
import select
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

# What the two programs import for most of what they do.
# fmt: off
LIBRARIES = (
    "configobj", "dvc._debug", "dvc.cachemgr", "dvc.cli.parser", "dvc.dirs", "dvc.lock",
    "dvc.repo.artifacts", "dvc.repo.datasets", "dvc.repo.experiments.run", "dvc.repo.index",
    "dvc.repo.plots", "dvc.repo.stage", "dulwich.porcelain", "networkx", "packaging.requirements",
    "pandas", "pydantic.dataclasses", "pyparsing", "ruamel.yaml", "scipy.linalg", "scipy.special",
    "typer", "yaml",
)
# What more is imported once it is asked for: by `dvc exp`, by stages.
OF_EXPERIMENTS = (
    "antlr4.LL1Analyzer", "celery.app.amqp", "dvc.repo.experiments.executor.local",
    "dvc.repo.experiments.queue.celery", "dvc_task.proc.manager", "hydra", "pygit2",
)
OF_STAGES = (
    "dvclive", "jinja2", "narwhals._pandas_like.dataframe", "pandas.io.formats.csvs",
    "pyarrow.dataset", "pyarrow.parquet", "sklearn.compose", "sklearn.ensemble", "skops.io",
    "threadpoolctl",
)
# fmt: on
# Of a size, as in `forkclient`.
LENGTH = 8
PROGRAMS = {"dvc": "dvc.cli", "crivo": "crivo.cli"}
FILES = 256


def serve(place: str, executable: str) -> None:
    """Fork for each connection, until whoever has started this has ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for who watches a command
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place)
    listener.listen()
    print("ready", flush=True)
    while 0 not in select.select([0, listener], [], [])[0]:
        connection, _ = listener.accept()
        size, given, *_ = socket.recv_fds(connection, LENGTH, FILES)
        body = bytearray()
        while len(body) < int.from_bytes(size, "big"):
            body += connection.recv(1 << 20)
        words, folder, environment, numbers = marshal.loads(body)
        import_for(words, folder)
        if os.fork() == 0:
            listener.close()
            files = dict(zip(numbers, given, strict=True))
            become = partial(_become, executable, words, folder, environment, files)
            _watch(connection, become, given)
        connection.close()
        for number in given:
            os.close(number)


def _watch(connection: socket.socket, become: Callable[[], NoReturn], given: list[int]) -> NoReturn:
    """Send a command the signals that are asked for, and answer with its exit status.

    It is killed when nobody waits for it any more.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        become()
    for number in given:
        os.close(number)
    ended = os.pidfd_open(pid)
    while ended not in select.select([connection, ended], [], [])[0]:
        number = connection.recv(1)
        os.kill(pid, number[0] if number else signal.SIGKILL)
        if not number:
            break
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with contextlib.suppress(OSError):
        connection.sendall(status.to_bytes(LENGTH, "big", signed=True))
    os._exit(0)


def import_for(words: list[str], folder: str) -> None:
    """Import what more a command needs, before the first of its kind is forked."""
    if words[:2] == ["dvc", "exp"]:
        import_all(OF_EXPERIMENTS)
    elif words[0] not in PROGRAMS and _is_of_crivo(words[1:], folder):
        import_all(OF_STAGES)


def _is_of_crivo(words: list[str], folder: str) -> bool:
    """Say whether a stage is a real one: those of some tests need no library."""
    if words[0] == "-m":
        return words[1] == "pytest"
    script = Path(folder, "src/train.py" if words[0] == "-c" else words[0])
    return script.is_file() and b"crivo" in script.read_bytes()


def import_all(names: tuple[str, ...]) -> None:
    if all(name in sys.modules for name in names):
        return
    for name in names:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # forks would copy what they collect


def _become(
    executable: str,
    words: list[str],
    folder: str,
    environment: dict[str, str],
    files: dict[int, int],
) -> NoReturn:
    """Be the process of a command, up to its end."""
    try:
        _take_over(folder, environment, files)
        sys.executable = executable
        _run(words)
    except SystemExit as end:
        _end(end.code)
    except BaseException:
        traceback.print_exc()
        _end(1)
    _end(0)


def _take_over(folder: str, environment: dict[str, str], files: dict[int, int]) -> None:
    high = {number: fcntl.fcntl(file, fcntl.F_DUPFD, FILES) for number, file in files.items()}
    os.closerange(0, FILES)  # those of the server, too
    for number, file in high.items():
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    sys.stdin = open(0)  # noqa: SIM115
    if path := environment.get("PYTHONPATH"):
        sys.path[1:1] = path.split(os.pathsep)
    if environment.get("PYTHONUNBUFFERED"):
        sys.stdout.reconfigure(write_through=True)  # type: ignore[union-attr]
    tempfile.tempdir = None
    if numbers := sys.modules.get("numpy.random"):
        numbers.seed()


def _run(words: list[str]) -> None:
    program, *rest = words
    if program in PROGRAMS:
        sys.argv = words
        main = importlib.import_module(PROGRAMS[program]).main
        sys.exit(main(rest) if program == "dvc" else main())
    main = sys.modules["__main__"] = ModuleType("__main__")
    if rest[0] == "-m":
        sys.argv = rest[1:]
        sys.path[0] = str(Path.cwd())
        runpy.run_module(rest[1], run_name="__main__", alter_sys=True)
    elif rest[0] == "-c":
        sys.argv = ["-c", *rest[2:]]
        sys.path[0] = ""
        exec(rest[1], main.__dict__)
    else:
        sys.argv = rest
        sys.path[0] = os.path.realpath(Path(rest[0]).parent)
        main.__file__ = rest[0]
        exec(compile(Path(rest[0]).read_bytes(), rest[0], "exec"), main.__dict__)


def _end(code: Any) -> NoReturn:
    """End as Python does, but leave the memory of the libraries to the system."""
    if isinstance(code, str):
        print(code, file=sys.stderr)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1 if isinstance(code, str) else code or 0)


if __name__ == "__main__":
    sys.path[0] = str(Path(sys.executable).parent)  # as in a program of the environment
    import_all(LIBRARIES)
    serve(*sys.argv[1:])
