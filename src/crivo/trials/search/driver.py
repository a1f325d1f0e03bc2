"""Runs a search: proposes, has each trial run once, and tells what became of it, in order.

A trial is proposed when fewer than `window` of those before it are still to be told, and they are
told in the order in which they were proposed. So what is proposed depends on no clock, and a
search that was killed goes on as if it had not been.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace

from crivo.runtime.exit_status import sentence

from crivo.core.errors import CrivoError, NotRun
from crivo.records.record import Record
from crivo.records.searches import SearchTrial
from crivo.repository.commits import commit_message
from crivo.trials.engine import Engine
from crivo.trials.known import Key, Known, key_of
from crivo.trials.search.journal import Journal
from crivo.trials.search.proposals import propose
from crivo.trials.search.space import Values, changes_of
from crivo.trials.search.workspace import Trials

# Seconds between two looks at the time that is left.
TICK = 0.5


@dataclass
class Running:
    """A trial between its proposal and its being told.

    `failure`: the error of a trial with these settings; `first`: it is the one that runs, if others
    with the same settings wait for it.
    """

    number: int
    values: Values
    key: Key
    known: Record | None = None
    future: Future[str] | None = None
    first: bool = True
    failure: str = ""
    begun: bool = False
    started: float = field(default_factory=time.monotonic)
    seconds: float = 0.0

    @property
    def done(self) -> bool:
        """Whether its result is there."""
        return self.future is None or self.future.done()

    def look(self) -> None:
        """Start its clock when it is seen to run, and not when it was given to the engine."""
        if not self.begun and self.future is not None and self.future.running():
            self.begun, self.started = True, time.monotonic()

    def stop_clock(self, _: Future[str]) -> None:
        """Keep how long it took."""
        self.seconds = time.monotonic() - self.started


@dataclass(frozen=True)
class Limits:
    """How many trials there may be in all, and until when new ones may begin."""

    trials: int | None
    until: float | None = None

    @property
    def in_time(self) -> bool:
        """Whether trials may begin now."""
        return self.until is None or time.monotonic() < self.until

    def allow(self, number: int) -> bool:
        """Whether a trial of this number may begin now."""
        return self.in_time and (self.trials is None or number < self.trials)


class Driver:
    """Runs the trials of one search; `told` is called with each trial as it is told."""

    def __init__(
        self,
        journal: Journal,
        engine: Engine,
        known: Known,
        trials: Trials,
        told: Callable[[SearchTrial], None],
        watch: Callable[[Iterable[Running]], None] = lambda _: None,
    ) -> None:
        self.journal, self.engine, self.known = journal, engine, known
        self.trials, self.told, self.watch = trials, told, watch
        self.queue: deque[Running] = deque()
        settings = journal.space.settings
        self._failures = {
            key_of(settings(one.values)): one.error
            for one in journal.search.trials
            if one.state == "failed" and not one.revision
        }

    def run(self, limits: Limits) -> None:
        """Go on from what the journal holds until the limits."""
        search = self.journal.search
        # An engine begins all that it was given. What TPE proposes depends on when it is asked, and
        # it isn't asked for more than there were workers.
        paced = limits.until is not None and search.sampler != "tpe"
        while True:
            more = limits.allow(self._asked) and len(self.queue) < search.window
            if more and (not paced or self._busy < self.engine.workers):
                self.queue.append(self.begin())
            elif self.queue and (not more or self.queue[0].done):
                self.tell(self.queue.popleft())
            elif self.queue:
                self._wait_for_a_worker()
            else:
                return

    @property
    def _asked(self) -> int:
        return len(self.journal.search.trials) + len(self.queue)

    @property
    def _busy(self) -> int:
        return sum(one.first and not one.done for one in self.queue)

    def begin(self) -> Running:
        """Have the next trial run, unless its result or its failure is known or on its way."""
        number, values = self._asked, self._next()
        settings = self.journal.space.settings(values)
        key = key_of(settings)
        alike = next((one for one in self.queue if one.key == key and one.future), None)
        if alike is not None:
            return Running(number, values, key, future=alike.future, first=False)
        known = self.known.find(settings)
        if known is not None:
            return Running(number, values, key, known)
        one = Running(number, values, key, failure=self._failures.get(key, ""))
        if not one.failure:
            message = commit_message("trial", self._message(number))
            name, changes = self.trials.name_of(settings), changes_of(values)
            one.future = self.engine.submit(name, changes, message)
            one.future.add_done_callback(one.stop_clock)
        return one

    def _message(self, number: int) -> str:
        return f"{self.journal.search.name}: trial {number + 1}"

    def _next(self) -> Values:
        journal, untold = self.journal, [one.values for one in self.queue]
        if journal.points is not None:
            return journal.points[self._asked]
        return propose(journal.search, journal.space, untold, self.trials.goodness)

    def tell(self, one: Running) -> None:
        """Wait for a trial, and tell what became of it."""
        self._wait_until(lambda: one.done, [one, *self.queue])
        trial = self.outcome(one)
        self.watch(self.queue)
        self.journal.tell(trial)
        self.told(trial)

    def _wait_for_a_worker(self) -> None:
        busy = self._busy
        self._wait_until(lambda: self._busy < busy, [*self.queue])

    def _wait_until(self, ready: Callable[[], bool], shown: list[Running]) -> None:
        """Wait, and say meanwhile how far the trials are."""
        while not ready():
            for other in shown:
                other.look()
            self.watch(shown)
            pending = [other.future for other in shown if other.future]
            wait([other for other in pending if not other.done()], TICK, FIRST_COMPLETED)

    def outcome(self, one: Running) -> SearchTrial:
        """Return what is kept of a trial.

        NotRun, OSError: it wasn't run, through no fault of its own.
        """
        made = SearchTrial(one.number, one.values, "failed", seconds=one.seconds)
        if one.failure:
            return replace(made, error=one.failure)
        try:
            record = one.known or self._recorded(one)
            made = replace(made, experiment=record.name, revision=record.origin.revision)
            value = self.trials.value(record)
        except (NotRun, OSError):
            raise
        except Exception as error:  # whatever it is, the other trials go on
            why = sentence(error) or f"{type(error).__name__}: {error}"
            if not made.revision:  # other rows may be comparable with another reference
                self._failures[one.key] = why
            return replace(made, error=why)
        # One that this search ran before it was killed is its own.
        own = (one.first and one.future) or record.origin.message == self._message(one.number)
        return replace(made, state="done" if own else "known", value=value)

    def _recorded(self, one: Running) -> Record:
        if not one.first:
            found = self.known.find(self.journal.space.settings(one.values))
            if found is not None:
                return found
        if one.future is None:
            raise CrivoError("The trial has no result.")
        record = self.trials.read(one.future.result(), one.seconds)
        self.known.add(record)
        return record
