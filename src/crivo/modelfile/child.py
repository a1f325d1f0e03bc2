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
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from crivo.core.errors import CrivoError
from crivo.core.text_guard import escape_control
from crivo.core.threads import fit_threads, with_waiting

try:
    import resource
except ImportError:  # Windows has no limits
    resource = None  # type: ignore[assignment]

MEMORY = 4 * 2**30  # beside what its libraries take; only Linux keeps to it
# Of computing, for a question and for each row of it.
SECONDS, SECONDS_PER_ROW = 60.0, 0.001
# On a busy machine, or one without limits, a question may take as many times as long.
PATIENCE = 5
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

    `name` is used in sentences about the file; `make`, a function of a module, is called in the
    process with the arguments and gives the function that answers. It is one question at a time; a
    copy by pickle or a fork has a process of its own.
    """

    def __init__(self, name: str, make: Callable[..., Any], *arguments: Any) -> None:
        self._name, self._make, self._arguments = name, make, arguments
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def ask(self, *question: Any, rows: int = 0, numbers: int = 0) -> Answer:
        """Return the answer to a question about `rows` rows, with at most that many numbers.

        CrivoError: the file is refused, or the child ended or was ended.
        """
        with self._lock:
            # For a fork, the child of another process is one that ended.
            if self._process is None or self._process.poll() is not None:
                self._process = self._started()
            return self._asked(self._process, question, SECONDS + SECONDS_PER_ROW * rows, numbers)

    def _started(self) -> subprocess.Popen[bytes]:
        environment = with_waiting(os.environ) | {"OMP_THREAD_LIMIT": str(fit_threads())}
        process = subprocess.Popen(
            [sys.executable, "-c", START, json.dumps(sys.path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=environment,
        )  # fmt: skip
        weakref.finalize(self, _end, process)
        try:
            self._asked(process, (self._make, self._arguments), SECONDS, 0)
        except CrivoError:
            _end(process)
            raise
        return process

    def _asked(
        self, process: subprocess.Popen[bytes], question: Any, seconds: float, numbers: int
    ) -> Answer:
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
            _end(process)
            raise CrivoError(
                f"{self._name} can't be used: the process that loaded it ended, or took more than "
                f"{seconds:.0f} s. The file is damaged or was altered; ask its author for another "
                "one."
            ) from None
        finally:
            late.cancel()
        if "refused" in answer:
            raise CrivoError(escape_control(str(answer["refused"])))
        return answer

    def __reduce__(self) -> tuple[Any, ...]:
        return Child, (self._name, self._make, *self._arguments)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def serve() -> None:
    """Answer questions from standard input until it ends; the first says what answers the rest."""
    # What libraries print goes nowhere, and not between the answers.
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    answer: Callable[..., Any] = _limited
    while True:
        try:
            seconds, question = pickle.load(source)
        except EOFError:
            return
        if resource is not None:  # ends this process once it has computed for so long
            spent = int(time.process_time() + seconds) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (spent, resource.RLIM_INFINITY))
        try:
            said = answer(*question)
        except Exception as error:  # compiled code raises many kinds
            words = f"The model can't be used ({type(error).__name__}: {str(error)[:300]})."
            said = {"refused": str(error)[:2_000] if isinstance(error, CrivoError) else words}
        if callable(said):
            answer, said = said, {}
        sink.write(json.dumps(said).encode() + b"\n")
        sink.flush()


def _limited(make: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Return what a function makes in this process, from which is taken what no model needs."""
    sys.addaudithook(_refuse)
    if resource is not None:
        import psutil

        used = getattr(psutil.Process().memory_info(), "data", 0)
        resource.setrlimit(resource.RLIMIT_DATA, (used + MEMORY, used + MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    return make(*arguments)


def _refuse(event: str, _: Any) -> None:
    if event in FORBIDDEN:
        raise PermissionError(f"a model asked for {event}")
