"""What answers in a child: any model file, asked to predict or transform rows."""

from pathlib import Path
from typing import Any

from crivo.modelfile.canonical import parse_model, things
from crivo.modelfile.child import Answer


def answering() -> Any:
    def answer(data: bytes, rows: Any) -> Answer:
        model = parse_model(data, "The model")
        for thing in things(model):
            if "n_jobs" in getattr(thing, "__dict__", {}):
                thing.n_jobs = 1
        result = model.predict(rows) if hasattr(model, "predict") else model.transform(rows)
        return {"rows": result.shape[0]}

    return answer


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
