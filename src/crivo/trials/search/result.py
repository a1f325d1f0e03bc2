"""The result of a search: its best trial, the reference, and how much of the gain is luck."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from crivo.comparison.choice import Filters
from crivo.comparison.compare import compare
from crivo.comparison.families import goodness, primary_of
from crivo.comparison.result import Comparison
from crivo.comparison.selection import selected
from crivo.core.results import Number, result
from crivo.records.history import History, reference
from crivo.records.record import Record, usable
from crivo.records.searches import KeptSearch, SearchTrial
from crivo.trials.search.journal import Journal
from crivo.trials.search.space import SearchEdge, at_edge


@result
class SearchGain:
    """The gain of the best trial in the primary metric, before and after the selection."""

    metric: str
    """The primary metric."""
    raw: Number
    """The trial's value minus the reference's."""
    after: Number
    """The gain that remains with the estimate after selection."""
    luck: Number | None
    """The raw gain minus the gain that remains; null where it isn't estimated, because the trial
    isn't the one that looks best of all models on these rows."""
    value: Number
    """The estimate after selection."""
    low: Number
    """The lower end of its interval."""
    high: Number
    """The upper end of that interval."""
    among: int
    """How many models it was chosen among."""
    sign: Literal[1, -1]
    """1 if a greater value is better, -1 if a smaller one is."""


@dataclass(frozen=True)
class SearchResult:
    """A search with its best trial, compared as `crivo compare` compares it.

    `wanted`: how many trials there were to be, None for any number; `size`: how many points a grid
    has; `removed`: the experiments of trials that aren't there any more; `best`: None if no trial
    has a result; `comparison`: of that one with the reference; `gain`: None if there is no
    selection to allow for; `edges`: where better settings may lie beyond what was searched;
    `better`: the trials that are shown to be better, the best first.
    """

    search: KeptSearch
    wanted: int | None
    size: int | None = None
    removed: tuple[str, ...] = ()
    best: SearchTrial | None = None
    comparison: Comparison | None = None
    gain: SearchGain | None = None
    edges: tuple[SearchEdge, ...] = ()
    better: tuple[str, ...] = ()

    @property
    def finished(self) -> bool:
        """Whether all trials that were wanted are told."""
        return self.wanted is not None and len(self.search.trials) >= self.wanted

    @property
    def verdict(self) -> str | None:
        """The verdict about the best trial; None where nothing could be compared."""
        if self.comparison is None or not self.comparison.experiments:
            return None
        word = self.comparison.experiments[0].verdict
        return "identical" if word == "reference" else word

    def count(self, *states: str) -> int:
        """Return how many trials are in one of some states."""
        return sum(one.state in states for one in self.search.trials)


def result_of(journal: Journal, other: Record, history: History) -> SearchResult:
    """Return a search with its best trial compared; `other` is the reference."""
    search, against = journal.search, journal.begun.against
    there = {one.origin.revision for one in history.records}
    removed = [one.experiment for one in search.trials if one.whole and one.revision not in there]
    size = None if journal.points is None else len(journal.points)
    result = SearchResult(search, journal.wanted, size, tuple(removed))
    found = _best(history, search, other)
    if found is None:
        return result
    best, record = found
    name = reference(record) if record.origin.trial else record.origin.revision
    whole = Filters(made=frozenset(one.revision for one, _ in _whole(history, search)))
    every = compare(against=against, filters=whole, history=history).candidates
    return replace(
        result,
        best=best,
        comparison=compare([name], against=against, history=history),
        gain=_gain(history, record, other),
        edges=tuple(at_edge(journal.space, best.values)),
        better=tuple(one.name for one in every if one.verdict == "better"),
    )


def _whole(history: History, search: KeptSearch) -> list[tuple[SearchTrial, Record]]:
    """Return the trials that can be compared, with what git holds of each."""
    known = {one.origin.revision: one for one in history.records}
    return [
        (one, known[one.revision])
        for one in search.trials
        if one.whole and one.revision in known and usable(known[one.revision])
    ]


def _best(history: History, search: KeptSearch, other: Record) -> tuple[SearchTrial, Record] | None:
    """Return the best trial: the first of equals, the reference itself only if it is all."""
    metric = primary_of(other)
    trials = _whole(history, search)
    others = [pair for pair in trials if pair[1].predictions != other.predictions]
    twins = [pair for pair in trials if pair[1].origin.revision != other.origin.revision]
    return max(
        others or twins or trials,
        key=lambda pair: goodness(metric, pair[1].estimate(metric.name).value),
        default=None,
    )


def _gain(history: History, record: Record, other: Record) -> SearchGain | None:
    metric = primary_of(other)
    found = selected(record, history.counted)
    if found is None or record.predictions == other.predictions:
        return None
    after = found.metric(metric.name)
    mine, theirs = (one.estimate(metric.name).value for one in (record, other))
    raw, kept = mine - theirs, after.value - theirs
    luck = raw - kept if found.best and metric.best is None else None
    return SearchGain(
        metric.name,
        *(raw, kept, luck),
        *after,
        among=found.among,
        sign=1 if goodness(metric, 1.0) > goodness(metric, 0.0) else -1,
    )
