"""Notes which files a stage reads. Python loads it at its start when its folder is on the path.

A line for each file opened for reading goes to the file that CRIVO_WATCH names; without that
variable nothing is done. A file that isn't there is noted too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

WRITING = os.O_WRONLY | os.O_RDWR


def noting(log: int) -> Callable[[str, tuple[object, ...]], None]:
    """Return an audit hook that writes to an open file the path of each file that is read."""

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event != "open":
            return
        path, _, flags = arguments
        if isinstance(path, str | bytes) and isinstance(flags, int) and not flags & WRITING:
            os.write(log, os.fsencode(Path(os.fsdecode(path)).absolute()) + b"\n")

    return note


# DVC's own process, which reads files too, isn't a stage.
if "CRIVO_WATCH" in os.environ and "DVC_STAGE" in os.environ:
    place = os.environ["CRIVO_WATCH"]
    sys.addaudithook(noting(os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)))
    # With it a stage would start again, unwatched.
    os.environ.pop("PYTHONPATH", None)
