"""Progress of a search in one line: done, running, failed, the best so far, the time left."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from statistics import median

from crivo.comparison.families import goodness
from crivo.comparison.numbers import bracket, decimals, number
from crivo.records.record import Record
from crivo.records.searches import SearchTrial
from crivo.statistics.scale import Scale
from crivo.trials.search.driver import Running

log = logging.getLogger("crivo.search")


class Progress:
    """What is known of a search while it runs; `show` shows the line.

    `total`: how many trials there are to be, None for any number; `until`: when it ends.
    """

    def __init__(
        self,
        metric: Scale,
        total: int | None,
        until: float | None,
        workers: int,
        show: Callable[[str], None],
    ) -> None:
        self.metric, self.total, self.until, self.workers = metric, total, until, workers
        self.show = show
        self._told: list[SearchTrial] = []
        self._best: tuple[float, str] | None = None
        self._running: list[Running] = []

    def told(self, trial: SearchTrial, record: Record | None) -> None:
        """Take up a trial."""
        self._told.append(trial)
        if record is None or not trial.whole:
            return
        own = record.interval(self.metric.name)
        good = goodness(self.metric, own["value"])
        if self._best is None or good > self._best[0]:
            digits = decimals((own["high"] - own["low"]) / 4)
            limits = bracket(own["low"], own["high"], digits)
            self._best = good, f"{record.name} {number(own['value'], digits)} {limits}"

    def log(self, trial: SearchTrial) -> None:
        """Log what became of a trial."""
        name = trial.experiment or f"trial {trial.number + 1}"
        if trial.state == "failed":
            log.info("%s failed: %s", name, trial.reason)
        else:
            known = ", known before" if trial.state == "known" else ""
            value = f": {self.metric.name} {trial.value:.5g}{known}"
            log.info("%s%s (%s)", name, value, self.line())
        self.show(self.line())

    def watch(self, running: Iterable[Running]) -> None:
        """Take up what runs now."""
        self._running = list(running)
        self.show(self.line())

    def line(self) -> str:
        """Return the line."""
        failed = sum(one.state == "failed" for one in self._told)
        done = len(self._told) - failed + sum(one.done for one in self._running)
        waiting = sum(one.first and not one.done for one in self._running)
        parts = [f"{done}{f' of {self.total}' if self.total else ''} done"]
        parts.append(f"{min(waiting, self.workers)} running")
        parts += [f"{failed} failed"] if failed else []
        parts += [f"best {self._best[1]}"] if self._best else []
        left = self.seconds_left()
        parts += [f"{_duration(left)} left"] if left is not None else []
        return ", ".join(parts)

    def seconds_left(self) -> float | None:
        """Return about how long it will take; None where that can't be told yet."""
        until = None if self.until is None else max(self.until - time.monotonic(), 0.0)
        timed = [one.seconds for one in self._told if one.state == "done"]
        if self.total is None or not timed:
            return until
        expected = median(timed) * max(self.total - len(self._told), 0) / self.workers
        return expected if until is None else min(expected, until)


def _duration(seconds: float) -> str:
    """Return a time for people.

    >>> _duration(42), _duration(150), _duration(9000)
    ('42 s', '2 min', '2.5 h')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
