"""What doesn't answer in a child."""

from pathlib import Path
from typing import Any

from crivo.modelfile.child import Answer


def waiting(what: str) -> Any:
    """Return what doesn't answer: it waits, takes all memory, or starts a process."""

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
        if what == "colour":
            raise ValueError("\x1b[31m")
        import os

        os.system("true")
        return {}

    return answer
