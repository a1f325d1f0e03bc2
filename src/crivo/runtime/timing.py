"""Measures how long a model takes to fit and to predict, for the ledger of trials.

The times of a run are in no output of a stage: the same commit gives the same bytes.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

# Names the file that gets a line of JSON for each measurement; `crivo try` and the like set it.
TIMES = "CRIVO_TIMES"


@contextmanager
def timed(what: Literal["fit", "predict"], rows: int) -> Iterator[None]:
    """Note the seconds that the block takes for so many rows, where a file for times is named."""
    start = time.perf_counter()
    yield
    seconds = time.perf_counter() - start
    if place := os.environ.get(TIMES):
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"what": what, "seconds": seconds, "rows": rows}) + "\n")
