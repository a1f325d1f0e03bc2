"""The loop of a search: proposes trials by Optuna, has each run, and tells results in order.

Trials are told in the order in which they were proposed, and a trial is proposed from what was told
when it could first be proposed: all but the last `window` - 1 trials before it. So what is proposed
is a function of the seed and of results, depends on no clock, and a search that was killed goes on
as if it had not been.
"""

from __future__ import annotations

from crivo.runtime.messages import sentence

import hashlib
import logging
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING, Any

from crivo.comparison.choice import pair
from crivo.comparison.families import goodness, primary_of
from crivo.comparison.text import with_interval
from crivo.core.errors import CrivoError, NotRun
from crivo.evaluation.report.numbers import number
from crivo.records.cached import Store
from crivo.records.comparability import Refusal
from crivo.records.history import History, read_records
from crivo.records.record import Record, require
from crivo.records.searches import KeptSearch, SearchTrial, keep
from crivo.records.settings import experiment_name, numbered
from crivo.repository.commits import commit_message, keep_experiments, trial_origin
from crivo.trials.engine import Engine
from crivo.trials.search.space import Dimension, Space, Values, changes_of, rounded
from crivo.trials.trial import Key, Known, changed_since_head, key_of

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler

# Seconds between two looks at the time that is left.
TICK = 0.5
# A search ends when so many trials have failed and none before them has a result.
FAILURES = 10
log = logging.getLogger(__name__)


def propose(
    search: KeptSearch, space: Space, untold: Sequence[Values], goodness: Callable[[float], float]
) -> Values:
    """Return the point after those of a search that were told and those still to be told.

    `goodness`: of a value of the primary metric, the greater the better.
    """
    import optuna
    from optuna.trial import TrialState, create_trial

    number = len(search.trials) + len(untold)
    before: list[tuple[Mapping[str, Any], TrialState, float | None]] = []
    if search.sampler == "tpe":  # others don't learn
        known = max(number - search.window + 1, 0)
        for one in search.trials[:known]:
            worth = None if one.value is None else goodness(one.value)
            state = TrialState.FAIL if worth is None else TrialState.COMPLETE
            before.append((one.values, state, worth))
        running = [*(one.values for one in search.trials[known:]), *untold]
        before += [(values, TrialState.RUNNING, None) for values in running]
    with _quiet():
        sampler = _sampler(search.sampler, f"{search.seed} {number}")
        study = optuna.create_study(direction="maximize", sampler=sampler)
        for values, state, worth in before:
            own = {key: space.dimensions[key] for key in values}
            study.add_trial(
                create_trial(params=dict(values), distributions=own, state=state, value=worth)
            )

        def suggest(dimensions: Mapping[str, Dimension]) -> Values:
            # Those of one question are one trial of Optuna's.
            values = study.ask(dict(dimensions)).params if dimensions else {}
            return {key: rounded(value, dimensions[key]) for key, value in values.items()}

        return space.draw(suggest)


def _sampler(name: str, place: str) -> BaseSampler:
    from optuna.samplers import RandomSampler, TPESampler

    seed = int.from_bytes(hashlib.blake2b(place.encode(), digest_size=4).digest())
    if name == "tpe":
        # What still runs counts as bad, so that the same isn't proposed again meanwhile.
        return TPESampler(seed=seed, constant_liar=True)
    return RandomSampler(seed=seed)


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave out what Optuna says of itself: of its interfaces, and of how it draws values."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        yield


@dataclass
class Running:
    """A trial between its proposal and its being told.

    `future`: its result, shared by all with the same settings; `first`: it is the one that runs.
    """

    number: int
    values: Values
    key: Key
    future: Future[Any]
    first: bool = False


@dataclass
class Driver:
    """Runs the trials of one search, which git keeps as they are told, beside a reference.

    `points`: all there are in a grid; `until`: when new trials may begin no more, by the monotonic
    clock; `show` shows how far the search is.
    """

    search: KeptSearch
    space: Space
    engine: Engine
    history: History
    reference: Record
    points: list[Values] | None = None
    until: float | None = None
    show: Callable[[str], None] = lambda _: None
    queue: deque[Running] = field(default_factory=deque)

    def __post_init__(self) -> None:
        """Know the results, the failures and the names that there are."""
        history = self.history
        self.metric = primary_of(self.reference)
        self._known, self._store = Known(history), Store(history.repository)
        self._head = history.find("HEAD").settings or self.space.base
        self._names = {one.name for one in history.trials if one.origin.parent == history.head}
        self._before = len(self.search.trials)
        self._failures = {
            key_of(self.space.settings(one.values)): one.error
            for one in self.search.trials
            if one.state == "failed" and not one.revision
        }

    def run(self) -> KeptSearch:
        """Go on from the trials that were told until the limits, and return the search."""
        while True:
            if self.queue and self.queue[0].future.done():
                self.tell(self.queue.popleft())
            elif self.may_begin and self._busy < self.engine.workers:
                self.queue.append(self.begin())
            elif self.queue:
                self.show(self.progress())
                pending = [one.future for one in self.queue if not one.future.done()]
                wait(pending, TICK, FIRST_COMPLETED)
            else:
                return self.search

    @property
    def may_begin(self) -> bool:
        """Whether another trial may begin now."""
        more = self.search.wanted is None or self._asked < self.search.wanted
        in_time = self.until is None or time.monotonic() < self.until
        return more and in_time and len(self.queue) < self.search.window

    @property
    def _asked(self) -> int:
        return len(self.search.trials) + len(self.queue)

    @property
    def _busy(self) -> int:
        return sum(one.first and not one.future.done() for one in self.queue)

    def begin(self) -> Running:
        """Have the next trial run, unless its result or its failure is known or on its way."""
        number = self._asked
        if self.points is None:
            untold = [one.values for one in self.queue]
            values = propose(self.search, self.space, untold, self._goodness)
        else:
            values = self.points[number]
        settings = self.space.settings(values)
        key = key_of(settings)
        alike = next((one.future for one in self.queue if one.key == key), None)
        if future := alike or self._result(key, settings):
            return Running(number, values, key, future)
        message = commit_message("trial", self._message(number))
        name = experiment_name(settings, self._head, changed_since_head(self.history, settings))
        name = numbered(name, self._names)
        future = self.engine.submit(name, changes_of(values), message)
        return Running(number, values, key, future, first=True)

    def _result(self, key: Key, settings: Mapping[str, Any]) -> Future[Any] | None:
        """Return the result or the failure of settings that were tried before, if they were."""
        future, record = Future[Any](), self._known.find(settings)
        if record is not None:
            future.set_result(record)
        elif error := self._failures.get(key):
            future.set_exception(CrivoError(error))
        else:
            return None
        return future

    def _goodness(self, value: float) -> float:
        return goodness(self.metric, value)

    def _message(self, number: int) -> str:
        return f"{self.search.name}: trial {number + 1}"

    def tell(self, one: Running) -> None:
        """Keep what became of a trial, and log it.

        CrivoError: many new trials were told, and not one of all has a result.
        """
        trial = self.outcome(one)
        told = (*self.search.trials, trial)
        self.search = replace(self.search, trials=told)
        keep(self.history.repository, self.search, trial)
        name = trial.experiment or f"trial {trial.number + 1}"
        if trial.state == "failed":
            log.info("%s: %s", name, trial.reason)
        else:
            known = ", known before" if trial.state == "known" else ""
            value = f": {self.metric.name} {number(trial.value)}{known}"
            log.info("%s%s (%s)", name, value, self.progress())
        if len(told) - self._before >= FAILURES and all(one.state == "failed" for one in told):
            name = self.search.name
            raise CrivoError(
                f"The first {len(told)} trials of {name} failed, so it was stopped. The last "
                f"one: {trial.reason} Try a single trial (`crivo try`), and "
                f"fix the cause; `crivo search --resume {name}` continues the search anyway."
            )

    def progress(self) -> str:
        """Return in one line how far the search is, the best so far, and the time left."""
        from tqdm import tqdm

        trials, total, workers = self.search.trials, self.search.wanted, self.engine.workers
        failed = sum(one.state == "failed" for one in trials)
        done = f"{len(trials) - failed}{f' of {total}' if total else ''} done"
        parts = [done, f"{self._busy} running", *([f"{failed} failed"] if failed else [])]
        valued = {one.value: one for one in trials if one.value is not None}
        if valued:
            best = valued[max(valued, key=self._goodness)]
            if record := self._known.find(self.space.settings(best.values)):
                own = record.intervals[self.metric.name]
                value = with_interval(own["value"], own["low"], own["high"])
                parts.append(f"best {record.name} {value}")
        timed = [one.seconds for one in trials if one.state == "done"]
        left = [] if self.until is None else [max(self.until - time.monotonic(), 0.0)]
        if total is not None and timed:
            left.append(median(timed) * max(total - len(trials), 0) / workers)
        parts += [f"{tqdm.format_interval(min(left))} left"] if left else []
        return ", ".join(parts)

    def outcome(self, one: Running) -> SearchTrial:
        """Return what is kept of a trial.

        NotRun, OSError: it wasn't run, through no fault of its own.
        """
        made = SearchTrial(one.number, one.values, "failed")
        try:
            record = self._recorded(one)
            made = replace(made, experiment=record.name, revision=record.origin.revision)
            value = self._value(record)
        except (NotRun, OSError):
            raise
        except Exception as error:  # whatever it is, the other trials go on
            why = sentence(error) or f"{type(error).__name__}: {error}"
            if not made.revision:  # other rows may be comparable with another reference
                self._failures[one.key] = why
            return replace(made, error=why)
        # One that this search ran before it was killed is its own.
        own = one.first or record.origin.message == self._message(one.number)
        seconds = one.future.result().seconds if one.first else 0.0
        return replace(made, state="done" if own else "known", value=value, seconds=seconds)

    def _recorded(self, one: Running) -> Record:
        """Return the record of a trial; one that has just been run counts from now on."""
        found = one.future.result()
        known = self._known.find(self.space.settings(one.values))
        if isinstance(found, Record) or known:
            return known or found
        repository = self.history.repository
        origin = trial_origin(repository, found.reference)
        keep_experiments(repository, [origin])
        (record,) = read_records(repository, [origin])
        self._known.add(record)
        return record

    def _value(self, record: Record) -> float:
        """Return the primary metric; CrivoError when it can't be compared with the reference's."""
        found = pair(require(record), self.reference, self._store)
        if isinstance(found, Refusal):
            raise CrivoError(
                f"{record.name} can't be compared with {self.reference.name}: {found.reason}."
            )
        return float(found.record.estimate(self.metric.name).value)
