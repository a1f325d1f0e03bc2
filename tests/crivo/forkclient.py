"""Asks the server of `tests.crivo.forked` to be the process of a command.

Run as `dvc`, `crivo` or `python` of a folder that stands first in `PATH`, by a Python without
libraries: it takes a fiftieth of a second. What can't be forked is run by the real program.
"""

from __future__ import annotations

import _socket  # `socket` would import more than all the rest, and so would pathlib
import array
import marshal
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType
    from typing import NoReturn

# ruff: noqa: PTH109, PTH118, PTH119, PTH208
MODULES = ("crivo.cli", "dvc", "pytest")
# What changes nothing that was done before a fork, or is done by it.
HARMLESS = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONUNBUFFERED")
FORWARDED = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
LENGTH = 8


def can_be_forked(words: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Say whether a fork does what a command does that is told such variables."""
    told = (name for name in environment if name.startswith("PYTHON") and name[6:7].isalpha())
    # `crivo verify` watches a stage from the start of its Python.
    if "CRIVO_WATCH" in environment or not all(name in HARMLESS for name in told):
        return False
    program, *rest = words
    if not program.startswith("python"):
        return True
    match rest:
        case ["-m", module, *_]:
            return module in MODULES
        case ["-c", text, *_]:
            return "crivo.runtime.forkserver" in text
        case [script, *_]:
            return script.startswith("src/") and script.endswith(".py")
    return False


def main(place: str, programs: str) -> NoReturn:
    """Be the command, in a fork or as the program of that folder."""
    words = [os.path.basename(sys.argv[0]), *sys.argv[1:]]
    connection = _socket.socket(_socket.AF_UNIX)
    try:
        if not can_be_forked(words, os.environ):
            raise ConnectionRefusedError
        connection.connect(place)
    except OSError:  # or the server has ended
        program = os.path.join(programs, words[0])
        os.execv(program, [program, *words[1:]])
    files = _open_files()
    body = marshal.dumps((words, os.getcwd(), dict(os.environ), files))
    rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", files))]
    connection.sendmsg([len(body).to_bytes(LENGTH, "big")], rights)
    connection.sendall(body)

    def forward(number: int, frame: FrameType | None) -> None:
        connection.send(bytes([number]))

    for number in FORWARDED:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, forward)
    if not (answer := connection.recv(LENGTH)):
        raise ConnectionResetError
    status = int.from_bytes(answer, "big", signed=True)
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


def _open_files() -> list[int]:
    """Return the numbers of what this process was given."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.get_inheritable(int(name)):
                found.append(int(name))
        except OSError:  # that of the list itself
            pass
    return found
