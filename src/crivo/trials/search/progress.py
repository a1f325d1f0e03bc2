"""How far a search is, in one line: done, running, failed, the best so far, the time left."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from statistics import median

from crivo.comparison.families import goodness
from crivo.comparison.numbers import bracket, decimals, number
from crivo.records.record import Record
from crivo.records.searches import KeptTrial
from crivo.repository.progress import one_line
from crivo.statistics.scale import Scale
from crivo.trials.search.driver import Running

log = logging.getLogger("crivo.search")


class Progress:
    """What is known of a search while it runs.

    `total`: how many trials there are to be, None for any number; `until`: when it ends.
    """

    def __init__(self, metric: Scale, total: int | None, until: float | None, workers: int) -> None:
        self.metric, self.total, self.until, self.workers = metric, total, until, workers
        self.show: Callable[[str], None] = lambda text: None
        self._told: list[KeptTrial] = []
        self._before = 0
        self._best: tuple[float, str] | None = None
        self._running: list[Running] = []

    def begin(self, before: Iterable[tuple[KeptTrial, Record | None]]) -> None:
        """Take up the trials that were told before this run."""
        for trial, record in before:
            self._take(trial, record)
        self._before = len(self._told)

    def told(self, trial: KeptTrial, record: Record | None) -> None:
        """Take up a trial, and log what became of it."""
        self._take(trial, record)
        name = trial.experiment or f"trial {trial.number + 1}"
        if trial.state == "failed":
            log.info("%s failed: %s", name, trial.reason)
        else:
            value = "" if trial.value is None else f": {self.metric.name} {trial.value:.5g}"
            known = {"known": ", known before", "stopped": ", stopped early"}.get(trial.state, "")
            log.info("%s%s%s (%s)", name, value, known, self.line())
        self.show(self.line())

    def _take(self, trial: KeptTrial, record: Record | None) -> None:
        self._told.append(trial)
        self._running = [one for one in self._running if one.proposal.number != trial.number]
        if record is None or not trial.whole:
            return
        own = record.interval(self.metric.name)
        good = goodness(self.metric, own["value"])
        if self._best is None or good > self._best[0]:
            digits = decimals((own["high"] - own["low"]) / 4)
            limits = bracket(own["low"], own["high"], digits)
            self._best = good, f"{record.name} {number(own['value'], digits)} {limits}"

    def watch(self, running: Iterable[Running]) -> None:
        """Take up what runs now."""
        self._running = list(running)
        self.show(self.line())

    def line(self) -> str:
        """Return the line."""
        failed = sum(one.state == "failed" for one in self._told)
        waiting = [one for one in self._running if not one.done and one.first]
        told = {one.number for one in self._told}
        ended = [one for one in self._running if one.done and one.proposal.number not in told]
        done = len(self._told) - failed + len(ended)
        parts = [f"{done}{f' of {self.total}' if self.total else ''} done"]
        parts.append(f"{min(len(waiting), self.workers)} running")
        parts += [f"{failed} failed"] if failed else []
        parts += [f"best {self._best[1]}"] if self._best else []
        left = self.seconds_left()
        parts += [f"{_duration(left)} left"] if left is not None else []
        return ", ".join(parts)

    def seconds_left(self) -> float | None:
        """Return about how long it will take; None where that can't be told yet."""
        until = None if self.until is None else max(self.until - time.monotonic(), 0.0)
        timed = [one.seconds for one in self._told[self._before :] if one.state == "done"]
        if self.total is None or not timed:
            return until
        waiting = max(self.total - len(self._told), 0)
        expected = median(timed) * waiting / self.workers
        return expected if until is None else min(expected, until)


def _duration(seconds: float) -> str:
    """Return a time for people.

    >>> _duration(42), _duration(150), _duration(9000)
    ('42 s', '2 min', '2.5 h')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@contextmanager
def shown_progress(progress: Progress) -> Iterator[Progress]:
    """Show the line on a terminal while a search runs."""
    with one_line() as show:
        progress.show = show
        yield progress
