"""What a search found: its best trial beside the reference, and how much of its gain is luck."""

from __future__ import annotations

from dataclasses import dataclass

from crivo.experiments.comparison import Comparison, compare
from crivo.experiments.families import goodness, primary_of
from crivo.experiments.history import History, reference
from crivo.experiments.records import Record, usable
from crivo.experiments.search.edges import Edge, at_edge
from crivo.experiments.search.space import Space
from crivo.experiments.searches import KeptSearch, KeptTrial
from crivo.experiments.selection import selected


@dataclass(frozen=True)
class Gain:
    """What the best trial gains in the primary metric, before and after the selection.

    `raw`: its value minus the reference's; `after`: the same with the estimate after selection,
    whose interval is `low` to `high`; `value`: that estimate; `among`: how many models it was
    chosen among. A greater value is better if `sign` is 1, a smaller one if it is -1.
    """

    metric: str
    raw: float
    after: float
    value: float
    low: float
    high: float
    among: int
    best: bool
    sign: int

    @property
    def luck(self) -> float:
        """How much of the gain goes with the selection, in the metric's own sign."""
        return self.raw - self.after


@dataclass(frozen=True)
class SearchResult:
    """A search with its best trial, compared as `crivo compare` compares it.

    `best`: None if no trial has a result; `comparison`: of that one with the reference; `gain`:
    None if there is no selection to allow for; `edges`: where better settings may lie beyond what
    was searched; `finished`: whether all trials that were wanted are told.
    """

    search: KeptSearch
    best: KeptTrial | None
    comparison: Comparison | None
    gain: Gain | None
    edges: tuple[Edge, ...]
    finished: bool

    @property
    def verdict(self) -> str | None:
        """The verdict about the best trial; None where nothing could be compared."""
        if self.comparison is None or self.comparison.table.empty:
            return None
        word = str(self.comparison.table["verdict"].iloc[0])
        return "identical" if word == "reference" else word

    def count(self, *states: str) -> int:
        """Return how many trials are in one of some states."""
        return sum(one.state in states for one in self.search.trials)


def result_of(
    search: KeptSearch,
    space: Space,
    other: Record,
    against: str | None,
    history: History,
    *,
    finished: bool,
) -> SearchResult:
    """Return a search with its best trial compared; `other` is the reference."""
    found = _best(history, search, other)
    if found is None:
        return SearchResult(search, None, None, None, (), finished)
    best, record = found
    name = reference(record) if record.origin.trial else record.origin.revision
    return SearchResult(
        search,
        best,
        compare([name], against=against, history=history),
        _gain(history, record, other),
        tuple(at_edge(space, best.values)),
        finished,
    )


def _best(history: History, search: KeptSearch, other: Record) -> tuple[KeptTrial, Record] | None:
    """Return the best trial: the first of equals, the reference itself only if it is all."""
    metric = primary_of(other)
    known = {one.origin.revision: one for one in history.records}
    trials = [
        (one, known[one.revision])
        for one in search.trials
        if one.whole and one.revision in known and usable(known[one.revision])
    ]
    others = [pair for pair in trials if pair[1].predictions != other.predictions]
    return max(
        others or trials,
        key=lambda pair: goodness(metric, pair[1].estimate(metric.name).value),
        default=None,
    )


def _gain(history: History, record: Record, other: Record) -> Gain | None:
    metric = primary_of(other)
    found = selected(record, history.counted)
    if found is None or record.predictions == other.predictions:
        return None
    after = found.metric(metric.name, history.remembered)
    mine, theirs = (one.estimate(metric.name).value for one in (record, other))
    sign = 1 if goodness(metric, 1.0) > goodness(metric, 0.0) else -1
    return Gain(
        metric.name, mine - theirs, after.value - theirs, *after, found.among, found.best, sign
    )  # fmt: skip
