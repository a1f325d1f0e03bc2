"""Records a fit's metrics: the course of each by step, and the last values.

The files are those that dvclive writes, which DVC and its extensions read: importing dvclive, which
imports DVC, takes longer than a fit on a small table.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from crivo.core.artifacts import write_text

SUMMARY, COURSES = "metrics.json", "plots/metrics"


class Tracker:
    """Takes the metrics of one step after the other; `step` is the one that is being recorded."""

    def __init__(self, folder: Path) -> None:
        self.step = 0
        self._folder = folder
        self._last: dict[str, Any] = {}

    def log_metric(self, name: str, value: float, plot: bool = True) -> None:
        """Record a metric's value at this step; without `plot` just as its last value."""
        shown = value if math.isfinite(value) else str(value)
        if plot:
            course = self._folder / COURSES / f"{name}.tsv"
            is_new = not course.exists()
            course.parent.mkdir(parents=True, exist_ok=True)
            # Written at once: a long fit can be watched.
            with course.open("a", encoding="utf-8", newline="\n") as file:
                file.write(f"step\t{course.stem}\n" if is_new else "")
                file.write(f"{self.step}\t{shown}\n")
        *above, key = name.split("/")
        place = self._last
        for part in above:
            place = place.setdefault(part, {})
        place[key] = shown

    def next_step(self) -> None:
        """Go to the next step."""
        self._last["step"] = self.step
        self.step += 1

    def write_summary(self) -> None:
        """Write the last value of each metric."""
        write_text(self._folder / SUMMARY, json.dumps(self._last, indent=4) + "\n")


@contextmanager
def tracker(folder: Path) -> Iterator[Tracker]:
    """Give a tracker that writes to `folder`, whose older courses go first."""
    shutil.rmtree(folder / COURSES, ignore_errors=True)
    tracked = Tracker(folder)
    yield tracked
    tracked.write_summary()
