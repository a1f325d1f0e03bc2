"""Stands in for `python` in a trial's clone: asks the warm process to run a stage.

Run by the path of this file and without the library, so that it starts in milliseconds. Where
nobody listens, or the command isn't one for the warm process, it becomes the Python asked for.
"""

import json
import os
import re
import socket
import sys

# Where the warm process listens, from the folder of the clone: a socket's path is short.
PLACE = ".dvc/tmp/crivo-stages"
# What it runs: a script of the project's `src`, with whatever follows.
SCRIPT = re.compile(r"src/[\w.-]+\.py")


def ask(words: list[str]) -> str:
    """Return the exit status of a stage as a text; nothing if it is to be run here."""
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(PLACE)
            socket.send_fds(connection, [b" "], [1])
            connection.sendall(json.dumps([words, dict(os.environ)]).encode() + b"\n")
            answers = connection.makefile()
            running = answers.readline()
        except OSError:
            # Nobody listens: an older commit's code may have no such process, or a broken one.
            return ""
        if running and not (status := answers.readline()):
            return "The process that ran the stage has ended."
        return status if running else ""


if __name__ == "__main__":
    # The first folder of the path is the one that led here.
    os.environ["PATH"] = os.environ["PATH"].partition(os.pathsep)[2]
    if SCRIPT.fullmatch("".join(sys.argv[1:2])) and (answer := ask(sys.argv[1:])):
        sys.exit(int(answer) if answer.strip().isdigit() else answer)
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
