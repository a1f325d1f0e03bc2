"""What doesn't answer in a child."""

import os
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any

from crivo.core.errors import CrivoError
from crivo.modelfile.child import Answer

# All that no model needs, in the order of the child's list.
NEEDLESS = [
    lambda: os.execv("none", ["none"]), os.fork, os.forkpty,
    lambda: os.posix_spawn("none", ["none"], {}), lambda: Path("none").unlink(),
    lambda: Path("none").rename("more"), lambda: Path("none").rmdir(), lambda: os.system("true"),
    lambda: shutil.rmtree("none"), lambda: socket.socket().bind(("", 0)),
    lambda: socket.socket().connect(("", 0)), lambda: subprocess.run(["true"], check=True),
]  # fmt: skip


def asking() -> Any:
    """Return what answers, beside what it prints, what is said of all that no model needs."""

    def answer() -> Answer:
        print("between the answers", flush=True)
        said = []
        for ask in NEEDLESS:
            try:
                ask()
            except Exception as error:
                said.append(str(error))
        return {"said": said}

    return answer


def waiting(what: str) -> Any:
    """Return what doesn't answer: it waits, takes all memory, or fails."""

    def answer() -> Answer:
        if what == "wait":
            import time

            time.sleep(600)
        while what == "compute":
            pass
        if what == "memory":
            return {"size": len([bytearray(2**30) for _ in range(64)])}
        if what == "write":
            Path("written").write_bytes(b"x")
        if what == "much":
            return {"much": "x" * 10**6}
        raise (ValueError if what == "colour" else CrivoError)("\x1b[31m" + "x" * 3_000)

    return answer
