"""Stands for `python` in a trial's clone: has the warm process run a stage, or starts Python.

Run by the path of this file and without the library, so that it starts in milliseconds. Where
nobody listens, or the command isn't one for the warm process, it becomes the Python asked for.
"""

import json
import os
import socket
import sys

# Where the warm process listens, from the folder of the clone: a socket's path is short.
PLACE = ".dvc/tmp/crivo-stages"
COLD = "cold"


def ask(environment: dict[str, str]) -> str:
    """Return the exit status of the stage as a text, or that it is to be run here."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(PLACE)
            socket.send_fds(connection, [b" "], [1])
            connection.sendall(json.dumps([sys.argv[1:], environment]).encode() + b"\n")
            return connection.makefile().readline() or "1"
    except (FileNotFoundError, ConnectionRefusedError):
        return COLD


if __name__ == "__main__":
    # The first folder of the path is the one that led here.
    os.environ["PATH"] = os.environ["PATH"].partition(os.pathsep)[2]
    if (answer := ask(dict(os.environ))) != COLD:
        sys.exit(int(answer))
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
