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

# ruff: noqa: PTH109, PTH118, PTH119, PTH208, SIM105
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


class Fork:
    """A command that a server runs in a fork."""

    def __init__(
        self,
        place: str,
        words: Sequence[str],
        folder: str,
        environment: Mapping[str, str],
        files: Mapping[int, int],
    ) -> None:
        """`files` are open ones by the numbers that the command is to find them under."""
        body = marshal.dumps(([*words], folder, dict(environment), [*files]))
        rights = array.array("i", files.values())
        self.connection = _socket.socket(_socket.AF_UNIX)
        self.connection.connect(place)
        self.connection.sendmsg(
            [len(body).to_bytes(LENGTH, "big")],
            [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)],
        )
        self.connection.sendall(body)

    def signal(self, number: int) -> None:
        """Send a signal to the command."""
        self.connection.send(bytes([number]))

    def wait(self) -> int:
        """Return the exit status, that of a signal below zero; ConnectionError without a server."""
        if not (answer := self.connection.recv(LENGTH)):
            raise ConnectionResetError
        return int.from_bytes(answer, "big", signed=True)

    def close(self) -> None:
        """End the command if it runs."""
        self.connection.close()


def main(place: str, programs: str) -> NoReturn:
    """Be the command, in a fork or as the program of that folder."""
    words = [os.path.basename(sys.argv[0]), *sys.argv[1:]]
    fork = None
    if can_be_forked(words, os.environ):
        files = {number: number for number in _open_files()}
        try:
            fork = Fork(place, words, os.getcwd(), os.environ, files)
        except OSError:  # the server has ended
            pass
    if fork is None:
        program = os.path.join(programs, words[0])
        os.execv(program, [program, *words[1:]])

    def forward(number: int, frame: FrameType | None) -> None:
        fork.signal(number)

    for number in FORWARDED:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, forward)
    status = fork.wait()
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
