"""What a command or a stage says: log lines, and one sentence where it can't go on.

Imported before anything large: from then on an interrupted import shows no traceback either.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import NoReturn

from crivo.core.errors import CrivoError
from crivo.core.text_guard import escape_control

# What a shell reports of a program that a signal ended; Windows knows no SIGPIPE.
INTERRUPTED, CLOSED_PIPE, TERMINATED = 128 + 2, 128 + 13, 128 + 15
# As much of a path is shown, from its end.
MAX_LENGTH = 120


class Terminated(BaseException):
    """The system asked the process to end, by SIGTERM, or its terminal was closed, by SIGHUP."""


@contextmanager
def one_sentence(name: str, kept: str) -> Iterator[None]:
    """End the process with a sentence and an exit status where a user can fix what is wrong.

    `name` comes first in each sentence; `kept` says what an interrupted run leaves and how to
    continue, unless the interruption says so itself. Mistakes in the code stay exceptions. With
    CRIVO_LOG=debug the traceback is shown too.
    """
    with _told_of_termination():
        try:
            yield
            sys.stdout.flush()  # what can't be written is an error as well
        except BaseException as error:
            status, message = _end_of(error, kept)
            if message is None:
                raise
            if message and _is_debugged():
                traceback.print_exc()
            _let_output_go()
            if status == 1:
                sys.exit(f"{name}: {message}")
            if message:
                print(f"{name}: {message}", file=sys.stderr)
            sys.exit(status)


def _end_of(error: BaseException, kept: str) -> tuple[int, str | None]:
    """Return the exit status and what is said; None for a mistake in the code, or another end."""
    if isinstance(error, BrokenPipeError):
        return CLOSED_PIPE, ""
    if isinstance(error, KeyboardInterrupt | Terminated):
        terminated = isinstance(error, Terminated)
        parts = "terminated" if terminated else "interrupted", *(error.args or (kept,))
        message = "; ".join(filter(None, map(str, parts)))
        return (TERMINATED if terminated else INTERRUPTED), message
    return 1, sentence(error)


def _is_debugged() -> bool:
    return os.environ.get("CRIVO_LOG", "").lower() == "debug"


class VisibleFormatter(logging.Formatter):
    """Writes log lines for people; `%(warning)s` is `warning: `, or nothing if it is none."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        record.warning = "warning: " if record.levelno >= logging.WARNING else ""
        return escape_control(super().format(record))


def log_to_terminal(form: str) -> None:
    """Let warnings, and what crivo logs, appear on stderr in this form.

    The environment variable CRIVO_LOG says from which level on; without it, that is info.
    """
    level = os.environ.get("CRIVO_LOG", "info").upper()
    if level not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        raise CrivoError(f"CRIVO_LOG is {level!r}; expected debug, info, warning or error.")
    handler = logging.StreamHandler()
    handler.setFormatter(VisibleFormatter(form))
    logging.basicConfig(level="WARNING", handlers=[handler])
    logging.getLogger("crivo").setLevel(level)


def sentence(error: BaseException) -> str | None:
    """Return what is wrong and what to do about it; None for a mistake in the code."""
    if isinstance(error, CrivoError):
        return str(error)
    if isinstance(error, OSError):
        place = escape_control(str(error.filename or ""))[-MAX_LENGTH:]
        what = (error.strerror or str(error) or type(error).__name__).rstrip(".")
        what = f"{place}: {what}" if place else what
        return f"{what}; check the path, its permissions and the space left, and run it again."
    words = str(error).rstrip(".")
    if isinstance(error, MemoryError):
        return f"{words or 'there is not enough memory'}; use fewer rows, or a larger machine."
    if isinstance(error, RecursionError):
        return f"something is nested too deeply ({words}); check the given files and settings."
    return None


def _let_output_go() -> None:
    """Lead what can't be printed to nowhere: at its exit, Python tries once more."""
    with suppress(ValueError):
        try:
            sys.stdout.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _told_of_termination() -> Iterator[None]:
    """Let these signals end the process as an exception does: half a file is taken away."""
    mine = threading.current_thread() is threading.main_thread()
    # One that is ignored, as under `nohup`, stays ignored; Windows knows no SIGHUP.
    known = {signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)} if mine else ()
    wanted = [number for number in known if signal.getsignal(number) is signal.SIG_DFL]

    def end(number: int, frame: FrameType | None) -> NoReturn:
        raise Terminated

    for number in wanted:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in wanted:
            signal.signal(number, signal.SIG_DFL)


def _told(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Say in one sentence why a program could not even be imported."""
    message = "interrupted; nothing was started." if kind is KeyboardInterrupt else sentence(error)
    if message is None or _is_debugged():
        sys.__excepthook__(kind, error, trace)
    else:
        print(f"crivo: {message}", file=sys.stderr)


if sys.excepthook is sys.__excepthook__:
    sys.excepthook = _told
