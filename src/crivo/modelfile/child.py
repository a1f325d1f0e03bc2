"""Runs a model file from elsewhere in a child process with limits, which may crash without harm.

Compiled code of estimators and boosters believes the numbers of a model file: a crafted one may
read or write elsewhere, take all memory, never end or end its process. So it does that in a child,
which gets questions by pickle and answers each with a line of JSON: nothing that comes back is
unpickled. The child isn't a sandbox against a flaw in compiled code that a file would use
to run code of its own.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from importlib import import_module
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.text_guard import escape_control
from crivo.core.threads import WAIT, fit_threads

MEMORY = 4 * 2**30  # beside what its libraries take; only Linux keeps to it
# Of computing, for a question and for each row of it.
SECONDS, SECONDS_PER_ROW = 60.0, 0.001
# On a busy machine, or one without limits, a question may take as many times as long.
PATIENCE = 5
CPU_SPENT = getattr(signal, "SIGXCPU", 0)
# How long an answer may be: its words, and each number in it.
MOST_WORDS, NUMBER = 2**16, 32
FORBIDDEN = (
    "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.remove", "os.rename", "os.rmdir",
    "os.spawn", "os.system", "shutil.rmtree", "socket.bind", "socket.connect", "subprocess.Popen",
)  # fmt: skip
START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from crivo.modelfile.child import serve; serve()"
)

# What JSON can hold.
Answer = dict[str, Any]


class Child:
    """A process that is started when it is asked first, and again after it ended.

    `name` is used in sentences about the file; `target` is `module:function` of what is called with
    the arguments to get what answers. It is one question at a time; a copy by pickle or a fork
    has a process of its own.
    """

    def __init__(self, name: str, target: str, *arguments: Any) -> None:
        self._name, self._made_of = name, (target, arguments)
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._lock = threading.Lock()

    def ask(self, *question: Any, rows: int = 0, numbers: int = 0) -> Answer:
        """Return the answer to a question about `rows` rows, with at most that many numbers.

        CrivoError: the file is refused, or the child ended or was ended.
        """
        with self._lock:
            if self._process is None or self._owner != os.getpid():
                self._start()
            return self._asked(question, SECONDS + SECONDS_PER_ROW * rows, numbers)

    def _start(self) -> None:
        environment = WAIT | os.environ | {"OMP_THREAD_LIMIT": str(fit_threads())}
        self._process = process = subprocess.Popen(
            [sys.executable, "-c", START, json.dumps(sys.path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=environment,
        )  # fmt: skip
        self._owner = os.getpid()
        weakref.finalize(self, _end, process, self._owner)
        try:
            self._asked(self._made_of, SECONDS, 0)
        except CrivoError:
            process.kill()
            self._process = None
            raise

    def _asked(self, question: Any, seconds: float, numbers: int) -> Answer:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        late = threading.Timer(PATIENCE * seconds, process.kill)
        late.start()
        try:
            pickle.dump((seconds, question), process.stdin)
            process.stdin.flush()
            # Half a line, or none, isn't JSON.
            answer = dict(json.loads(process.stdout.readline(MOST_WORDS + NUMBER * numbers)))
        except (OSError, ValueError, TypeError, RecursionError):
            over = not late.is_alive()
            process.stdout.close()
            process.kill()
            over = process.wait() == -CPU_SPENT or over
            reason = f"took more than {seconds:.0f} s" if over else "ended without an answer"
            self._process = None
            raise CrivoError(
                f"{self._name} can't be used: the process that loaded it {reason}. The file is "
                "damaged, or no fit wrote it; ask its author for another one."
            ) from None
        finally:
            late.cancel()
        if "refused" in answer:
            raise CrivoError(escape_control(str(answer["refused"])))
        return answer

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self._name, "made_of": self._made_of}

    def __setstate__(self, state: dict[str, Any]) -> None:
        target, arguments = state["made_of"]
        Child.__init__(self, state["name"], target, *arguments)


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    if owner == os.getpid():
        process.kill()
        process.wait()


def serve() -> None:
    """Answer questions from standard input until it ends; the first says what answers."""
    # What libraries print goes nowhere, and not between the answers.
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    answer: Callable[..., Answer] = _starting
    while True:
        try:
            seconds, question = pickle.load(source)
        except EOFError:
            return
        _allow(seconds)
        try:
            said = answer(*question)
        except Exception as error:  # compiled code raises many kinds
            words = str(error).strip() if isinstance(error, CrivoError) else _said(error)
            said = {"refused": words[:2_000]}
        else:
            if answer is _starting:
                answer = said.pop("answers")
        sink.write(json.dumps(said).encode() + b"\n")
        sink.flush()


def _said(error: Exception) -> str:
    return f"The model can't be used ({type(error).__name__}: {str(error).strip()[:300]})."


def _starting(target: str, arguments: tuple[Any, ...]) -> Answer:
    module, _, name = target.partition(":")
    make = getattr(import_module(module), name)
    _limit()
    return {"answers": make(*arguments)}


def _limit() -> None:
    """Take from this process what a model doesn't need."""
    sys.addaudithook(_refuse)
    try:
        import resource
    except ImportError:  # Windows has no limits
        return
    import psutil

    used = getattr(psutil.Process().memory_info(), "data", 0)
    for limit, most in (
        (resource.RLIMIT_DATA, used + MEMORY), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0)
    ):  # fmt: skip
        resource.setrlimit(limit, (most, most))


def _allow(seconds: float) -> None:
    """End this process once it has computed for so many seconds more."""
    try:
        import resource
    except ImportError:
        return
    spent = int(time.process_time() + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (spent, resource.RLIM_INFINITY))


def _refuse(event: str, _: Any) -> None:
    if event in FORBIDDEN:
        raise PermissionError(f"a model asked for {event}")
