"""Corrects differences between experiments for all the trials that were made on the same rows.

Whoever tries twenty settings finds a good one by chance. An interval is therefore widened for
every experiment that was recorded on the same rows before, named on the command line or not:
each trial spends a part of the 5 % error (`crivo.statistics.sequence`).

Trials count whose rows overlap, whatever they are called and however the rows were put into
clusters. Which they are, and what each is compared with, says `crivo.statistics.sequence`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

import numpy as np

from crivo.comparison.result import Rule
from crivo.evaluation.allowances import allowances, losses_between
from crivo.records.comparability import overlapping, same_recipe
from crivo.records.counted import CountedRecord
from crivo.records.history import History
from crivo.records.record import Record, usable
from crivo.repository.remembered import NO_MEMORY, Remembered, code_of, digest
from crivo.statistics import max_t, sequence
from crivo.statistics.departures import Departures
from crivo.statistics.intervals import Estimate, comparable, difference, t_quantile
from crivo.statistics.scale import Scale
from crivo.statistics.sequence import (
    MAX_DRAWN,
    Entry,
    Spending,
    Step,
    levels,
    plan_steps,
)

# So many standard errors more than what is estimated aren't ruled out.
MORE = 1.5
# Of the trials before one, so many of the last tell what differences look like here.
LATEST = 24


def difference_of(record: Record, reference: Record, metric: Scale) -> Estimate:
    """Return what a record's metric has more of than its reference's."""
    return difference(metric, record.estimate(metric.name), reference.estimate(metric.name))


def losses_of(record: Record, reference: Record, metric: Scale) -> np.ndarray:
    """Return by how much a metric is moved by those rows whose losses both have recorded."""
    return losses_between(record.losses, reference.losses, metric, reference.about["task"])


def turned(record: Record, metric: Scale) -> np.ndarray:
    """Return a metric without each cluster, turned so that a difference says which is better."""
    if metric.best is None:
        return record.jackknife.metrics[metric.name]
    return comparable(metric, record.estimate(metric.name)).deleted


def both_have(metric: str, one: Record, other: Record) -> bool:
    """Whether both hold the metric without the same clusters."""
    return (
        metric in one.measured_metrics
        and metric in other.measured_metrics
        and one.jackknife.clusters == other.jackknife.clusters
    )


def primary_of(record: Record) -> Scale:
    """Return the metric that decides."""
    return record.metrics[record.about["primary"]]


def goodness(metric: Scale, value: float) -> float:
    """Return a number that is the greater, the better a metric's value is."""
    if metric.best is not None:
        return -abs(value - metric.best)
    return value if metric.direction == "higher" else -value


def in_order(records: Iterable[Record]) -> list[Record]:
    """Return the records that can be compared or counted, as they became known or were made."""
    return sorted((record for record in records if counts(record)), key=lambda one: one.moment)


def counts(record: Record) -> bool:
    """Whether a record is known to be a trial: its numbers are there, or the table counts it."""
    return isinstance(record, CountedRecord) or usable(record)


def chosen_among(history: History, reference: Record) -> frozenset[str]:
    """Return the predictions of the models that a reference was chosen among, its own with them.

    All on rows that overlap with its own count, each once. A commit's own result was chosen among
    those that were there before it: of the first, that is itself. So was an experiment's that was
    committed. One that only an experiment has is chosen now. A recipe that a commit keeps for new
    data or packages was chosen with its first result.
    """
    first = _first_of_recipe(history, reference)
    ordered = in_order(history.counted)
    commits = (one for one in ordered if not one.origin.trial)
    moments = (one.moment for one in commits if one.predictions == first.predictions)
    commit = next(moments, None if first.origin.trial else first.moment)
    if commit is not None:
        ordered = [one for one in ordered if one.moment < commit]
    own = [one for one in ordered if one.about["rows"] == reference.about["rows"]]
    seen = {one.model for one in (reference, first, *own)} - {None}
    found = {reference.predictions, *(one.predictions for one in own)}
    found -= {first.predictions} - {reference.predictions}  # it is the reference, run again
    for one in models_elsewhere(ordered, reference):
        if one.model not in seen:
            found |= {one.predictions}
            seen |= {one.model} - {None}
    return frozenset(found)


def _first_of_recipe(history: History, record: Record) -> Record:
    """Return the first of a commit's results since which only the data or packages changed.

    What was tried with them before it was committed was chosen then, so it is the first.
    """
    for before in history.results_before(record):
        if _tried_before(history, record) or not same_recipe(record, before):
            break
        record = before
    return record


def _tried_before(history: History, record: Record) -> bool:
    """Whether a trial made a record's predictions before it, or is the record."""
    trials = (one for one in history.counted if one.origin.trial and one.moment <= record.moment)
    return any(one.predictions == record.predictions for one in trials)


def models_elsewhere(ordered: Sequence[Record], reference: Record) -> list[Record]:
    """Return those of records that were evaluated on rows that overlap, or with other clusters."""
    rows = reference.about["rows"]
    return [
        record
        for record in ordered
        if record.about["rows"] != rows and record.kind != "fold" and overlapping(record, reference)
    ]


class Trials:
    """The trials on the rows of a reference that was chosen among some models, in their order.

    Experiments with equal predictions are one trial; those equal to their reference are none.
    """

    def __init__(
        self,
        records: Iterable[Record],
        reference: Record,
        among: frozenset[str],
        remembered: Remembered = NO_MEMORY,
    ) -> None:
        self._records, self._remembered = [*records], remembered
        self._reference, self._among = reference, among
        self._rows = reference.about["rows"]
        self._entries = self._members()
        self._steps = plan_steps([*self._planned_entries()])
        entries = (step.entry for step in self._steps)
        self._tried = [None if entry is None else self._entries[entry] for entry in entries]
        self._places = {
            record.predictions: place
            for place, record in enumerate(self._tried)
            if record and _on(record, self._rows)
        }
        self._levels: dict[Hashable, list[float]] = {}
        self._known: dict[tuple[int, str], np.ndarray | None] = {}

    def _members(self) -> list[Record]:
        """Return the records on these rows, their reference there, and those that overlap."""
        own = [record for record in self._records if _on(record, self._rows)]
        if self._reference not in own:
            own.append(self._reference)
        own = in_order(own)
        elsewhere = models_elsewhere(in_order(self._records), own[0])
        opened = [one for one in self._records if one.split == own[0].split == "test"]
        # Looks whose evaluation is lost may have been at these rows.
        lost = [one for one in opened if one.origin.trial and not counts(one)]
        return sorted([*own, *elsewhere, *lost], key=lambda one: one.moment)

    def _planned_entries(self) -> Iterator[Entry]:
        places: dict[str, int] = {}
        for place, record in enumerate(self._entries):
            places.setdefault(record.evaluation, place)
        for place, record in enumerate(self._entries):
            before = record.ledger.known_before(record.evaluation)
            known = [places[one] for one in before or () if one in places]
            yield Entry(
                record.predictions,
                record.model,
                here=_on(record, self._rows),
                reference=self._reference.predictions,
                among=self._among,
                judged=record.kind != "seed",
                numbers=not isinstance(record, CountedRecord),
                knew=None if before is None else tuple(one for one in known if one < place),
            )

    @property
    def count(self) -> int:
        """How many trials there are, those among them whose differences aren't known."""
        return len(self._steps)

    def judges(self, record: Record) -> bool:
        """Whether a record gets a verdict: a run of `crivo repeat` with another seed gets none."""
        return record.kind != "seed" or record.predictions in self._places

    def number(self, record: Record) -> int:
        """Return which trial a comparison is, counted from 1; with a chosen reference the later.

        A record that is none is where it would be.
        """
        place = self._place(record)
        if place is not None:
            return Step(None, earlier=self._steps[place].earlier).number(place)
        return 1 + sum(one is None or one.moment < record.moment for one in self._tried)

    def _place(self, record: Record) -> int | None:
        """Return the step that a comparison is; with a chosen reference the later of both."""
        keys = [record.predictions]
        if record.predictions in self._among:
            keys.append(self._reference.predictions)
        return max((self._places[key] for key in keys if key in self._places), default=None)

    def spending(self) -> Spending:
        """Return the rule: the plan that the first trial was recorded with, or none."""
        tried = filter(None, self._tried)
        first = next((one for one in tried if one.origin.trial or _on(one, self._rows)), None)
        section = (first.settings.get("compare") or {}) if first else {}
        key = "planned_looks" if first and first.split == "test" else "planned_trials"
        return Spending(section.get(key))

    def rule(self, record: Record) -> Rule:
        """Return under what rule a record's verdict is given."""
        spending, place = self.spending(), self.number(record)
        count = max(self.count, place)
        return Rule(place, count, spending.planned, spending.level(place), spending.left(count))

    def primary(self, record: Record) -> str:
        """Return the metric that decided when a model was recorded for the first time."""
        place = self._places.get(record.predictions)
        first = None if place is None else self._tried[place]
        return _primary(first or record) or record.about["primary"]

    def critical(self, record: Record, metrics: Sequence[Scale], *, primary: bool) -> float:
        """Return how many standard errors a record's intervals must reach.

        That of the metric that decided when it was recorded (`primary`), or those of all others of
        these metrics, which share the error that one of them alone would have.
        """
        place = self._place(record)
        if place is None:
            level = self.rule(record).spent / (1 if primary else max(len(metrics) - 1, 1))
        else:
            key = (primary, *(metric.name for metric in metrics))
            if key not in self._levels:
                places = range(len(self._steps))
                steps = [self._numbers(place, metrics, primary) for place in places]
                self._levels[key] = remembered_levels(steps, self.spending(), self._remembered)
            level = self._levels[key][place]
        return t_quantile(1 - level / 2, record.clusters)

    def departures(
        self, record: Record, reference: Record, metric: Scale, more: float = 0.0
    ) -> dict[str, Departures]:
        """Return what a difference is to allow for, by what makes it; see `allowances`."""
        own = difference_of(record, reference, metric).deleted
        losses = losses_of(record, reference, metric)
        return allowances(
            np.array([*self._before(record, metric, own), own]),
            record.clusters,
            in_order=record.in_order and reference.in_order,
            losses=losses,
            rows=reference.about.get("n_rows") or len(losses),
            more=more,
        )

    def _before(self, record: Record, metric: Scale, own: np.ndarray) -> list[np.ndarray]:
        """Return the differences of the latest trials before a record's, one from each."""
        if (place := self._place(record)) is None:
            return []
        earlier = self._steps[place].earlier
        places = [*range(place)] if earlier is None else [*earlier]
        found = (self._shown(place, metric) for place in places[-LATEST:])
        return [one for one in found if one is not None and one.shape == own.shape]

    def _shown(self, place: int, metric: Scale) -> np.ndarray | None:
        """Return a step's difference from its reference; None if there is none or it is unknown."""
        key = place, metric.name
        if key not in self._known:
            record, other, deleted = self._tried[place], self._reference, None
            if record and self._steps[place].others and both_have(metric.name, record, other):
                deleted = difference_of(record, other, metric).deleted
            self._known[key] = deleted if deleted is not None and np.ptp(deleted) > 0 else None
        return self._known[key]

    def _numbers(self, place: int, metrics: Sequence[Scale], primary: bool) -> Step:
        """Return a step's differences in the metric that decided, or in the others of these."""
        step, record = self._steps[place], self._tried[place]
        decided = (record and _primary(record)) or metrics[0].name
        chosen = [metric for metric in metrics if (metric.name == decided) == primary]
        if record is None or not (step.others or step.unknown):
            return Step(None, len(chosen), step.earlier)
        others = [self._entries[other] for other in step.others]
        count = (step.unknown + len(others)) * max(len(chosen), 1)
        if count > MAX_DRAWN:
            return Step(None, count, step.earlier)
        columns = [
            turned(record, metric) - turned(other, metric)
            for metric in chosen
            for other in others
            if both_have(metric.name, record, other)
        ]
        if not columns:
            return Step(None, count, step.earlier)
        return Step(np.column_stack(columns), count - len(columns), step.earlier)


def _on(record: Record, rows: str) -> bool:
    return counts(record) and bool(record.about["rows"] == rows)


def _primary(record: Record) -> str:
    """Return the metric that decided when a record was made; empty where that isn't known."""
    return str(record.about.get("primary", "")) if counts(record) else ""


def remembered_levels(
    steps: Sequence[Step], spending: Spending, remembered: Remembered
) -> list[float]:
    """Return the levels of steps, those that were worked out before without doing it again.

    A step's level depends on those before it and on none after it: so does its key.
    """
    start = digest("levels", code_of(sequence, max_t), np.__version__, repr(spending))
    keys: list[str] = []
    for step in steps:
        table = np.empty(0) if step.differences is None else step.differences
        before = [*keys[-1:]] if step.earlier is None else [keys[one] for one in step.earlier]
        shown = (repr(table.shape), np.ascontiguousarray(table, dtype=float).tobytes())
        keys.append(digest(start, *shown, str(step.unknown), *before))
    known = remembered.recall(keys)
    places = {place: known[key] for place, key in enumerate(keys) if key in known}
    found = levels(steps, spending, places)
    remembered.keep({key: one for key, one in zip(keys, found, strict=True) if key not in known})
    return found
