"""The trials on the same rows in the order in which they were recorded, and what each may spend.

Trials count whose rows overlap, whatever they are called and however the rows were put into
clusters. Where the reference was named before any of them, a trial comes with its difference
from it; where the reference was chosen among models, with its difference from each of those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from crivo.evaluation.metrics import Metric
from crivo.evaluation.sequence import Spending
from crivo.experiments.comparability import overlapping, seed_of
from crivo.experiments.counted import CountedRecord, recipe_digest
from crivo.experiments.naming import is_fold
from crivo.experiments.numbers import decimals, number
from crivo.experiments.records import Record, usable
from crivo.experiments.steps import (
    PlannedStep,
    all_differences,
    planned_step,
    remembered_levels,
)
from crivo.repository.remembered import Remembered

# Which record another one is compared with; None where it has none.
ReferenceOf = Callable[[Record], Record | None]

# The predictions of the models that a reference was chosen among, its own with them.
AmongOf = Callable[[Record], frozenset[str]]


class Standing(NamedTuple):
    """Which trial a verdict is about, and what it spends of the error of 5 % that all trials share.

    `planned`: how many trials were planned; None for an open sequence.
    """

    trial: int
    trials: int
    planned: int | None
    spent: float
    left: float

    def __str__(self) -> str:
        planned = "" if self.planned is None else f" ({self.planned} planned)"
        return f"corrected as trial {self.trial} of {self.trials}{planned}"

    @property
    def budget(self) -> str:
        """What the correction does, in a sentence."""
        return (
            f"All trials together share an error of 5 %. This one may spend "
            f"{percent(self.spent)}, and {percent(self.left)} is left for later ones."
        )


def percent(share: float) -> str:
    """Return a share in percent with two digits that count.

    >>> percent(0.0146), percent(0.0004), percent(0.0)
    ('1.5 %', '0.040 %', '0 %')
    """
    return f"{number(100 * share, decimals(100 * share))} %" if share > 0 else "0 %"


def named(reference: Record) -> frozenset[str]:
    """Return what a reference that was named before any result was chosen among: itself."""
    return frozenset([reference.predictions])


def in_order(records: Iterable[Record]) -> list[Record]:
    """Return the records that can be compared or counted, in the order of their recording."""
    found = [record for record in records if counts(record)]
    return sorted(found, key=lambda record: (record.origin.seconds, record.name))


def counts(record: Record) -> bool:
    """Whether a record is known to be a trial: its numbers are there, or the table counts it."""
    return isinstance(record, CountedRecord) or usable(record)


def chosen_among(
    records: Iterable[Record], reference: Record, by_result: bool = False
) -> frozenset[str]:
    """Return the predictions of the models that a reference was chosen among, its own with them.

    One that an experiment made was chosen among all that are recorded on its rows (`by_result`:
    so was a commit). A commit's own result was chosen among those that were there before it: of
    the first, that is itself.
    """
    models: dict[str, Record] = {}
    made = by_result
    for record in in_order(records):
        if record.about["rows"] == reference.about["rows"]:
            models.setdefault(record.predictions, record)
            made |= record.origin.trial and record.predictions == reference.predictions
    if made:
        return frozenset(models) | {reference.predictions}
    known = models.get(reference.predictions, reference)
    until = known.origin.seconds
    before = {key for key, one in models.items() if one.origin.seconds < until}
    return frozenset(before | {reference.predictions})


class Trials:
    """The trials on the rows of a reference, in their order; `planned`: those and no others."""

    def __init__(
        self,
        records: Iterable[Record],
        reference_of: ReferenceOf,
        among_of: AmongOf,
        rows: str,
        planned: bool = False,
        remembered: Remembered | None = None,
    ) -> None:
        self._remembered = remembered
        records = list(records)
        ordered = in_order(records)
        self._reference_of, self._among_of = reference_of, among_of
        self._models: dict[str, Record] = {}
        own = [record for record in ordered if record.about["rows"] == rows]
        references = [reference_of(record) for record in own]
        own = in_order({*own, *(one for one in references if one and _on(one, rows))})
        for record in own:
            self._models.setdefault(record.predictions, record)
        self._numbers = {key: place for place, key in enumerate(self._models)}
        foreign = models_elsewhere(ordered, [*self._models.values()], rows)
        foreign += _lost_looks(records, own)
        members = sorted([*self._models.values(), *foreign], key=_moment)
        self._steps: list[PlannedStep] = self._missing()
        self._places: dict[str, int] = {}
        for record in members:
            step = PlannedStep(None) if record in foreign else self._step(record)
            if step is None:
                continue
            if step.record is not None:
                self._places[record.predictions] = len(self._steps)
            self._steps.append(step)
        self._levels: dict[tuple[str, ...], list[float]] = {}
        self._planned = max(len(self._steps), 1) if planned else None

    def _missing(self) -> list[PlannedStep]:
        """Return a step for each model that a reference was chosen among and that is gone."""
        gone = set[str]()
        for record in self._models.values():
            reference = self._reference_of(record)
            if reference is not None and reference.predictions in self._models:
                gone |= self._among_of(reference) - self._models.keys()
        return [PlannedStep(None) for _ in gone]

    def _step(self, record: Record) -> PlannedStep | None:
        """Return what a record is compared with, or None when it isn't a trial."""
        reference = self._reference_of(record)
        if reference is None or reference.predictions not in self._models:
            return None
        among = self._among_of(reference)
        if _seed_of_other(record, reference):
            return None
        if len(among) == 1:
            other = record.predictions != reference.predictions
            return planned_step(record, [reference]) if other else None
        place = self._numbers[record.predictions]
        # Of two to choose among, the later one brings their difference; any other model brings all.
        if record.predictions not in among:
            place = len(self._models)
        others = [
            one for key, one in self._models.items() if key in among and self._numbers[key] < place
        ]
        unknown = len(among - self._models.keys())
        return planned_step(record, others, unknown) if others or unknown else None

    @property
    def records(self) -> list[Record]:
        """The trials with known differences, in their order."""
        return [step.record for step in self._steps if step.record is not None]

    @property
    def count(self) -> int:
        """How many trials there are, those among them whose differences aren't known."""
        return len(self._steps)

    def number(self, record: Record) -> int:
        """Return which trial a comparison is, counted from 1; with a chosen reference the later.

        A record that is none, such as another seed of the reference, stands where it would.
        """
        reference = self._reference_of(record)
        keys = [record.predictions]
        if reference is not None and record.predictions in self._among_of(reference):
            keys.append(reference.predictions)
        places = [self._places[key] for key in keys if key in self._places]
        if places:
            return max(places) + 1
        earlier = [
            step
            for step in self._steps
            if step.trial is None or _moment(step.trial) < _moment(record)
        ]
        return len(earlier) + 1

    def spending(self) -> Spending:
        """Return the rule: the plan that the first trial was recorded with, or none."""
        if self._planned is not None:
            return Spending(self._planned)
        first = next((step.trial for step in self._steps if step.trial is not None), None)
        section = (first.settings.get("compare") or {}) if first else {}
        key = "planned_looks" if first and first.split == "test" else "planned_trials"
        return Spending(section.get(key))

    def standing(self, record: Record) -> Standing:
        """Return under what rule a record's verdict is given."""
        place, rule = self.number(record), self.spending()
        count = max(self.count, place)
        return Standing(place, count, rule.planned, rule.level(place), rule.left(count))

    def level(self, record: Record, metrics: Sequence[Metric]) -> float:
        """Return the level at which each of a record's differences in these metrics is tested.

        Together they spend what the trial may spend.
        """
        place = self.number(record) - 1
        if place >= len(self._steps):
            return self.spending().level(place + 1) / len(metrics)
        names = tuple(metric.name for metric in metrics)
        if names not in self._levels:
            steps = all_differences(self._steps, metrics)
            self._levels[names] = remembered_levels(steps, self.spending(), self._remembered)
        return self._levels[names][place]


def _moment(record: Record) -> tuple[int, str]:
    return record.origin.seconds, record.name


def _on(record: Record, rows: str) -> bool:
    return counts(record) and bool(record.about["rows"] == rows)


def _seed_of_other(record: Record, reference: Record) -> bool:
    """Whether a record is the reference's recipe with another seed."""
    if isinstance(record, CountedRecord):
        alike = record.recipe == recipe_digest(reference)
        return alike and record.seed != str(reference.settings.get("seed"))
    one, other = seed_of(record), seed_of(reference)
    return one[0] == other[0] and one[1] != other[1]


def models_elsewhere(ordered: Sequence[Record], own: Sequence[Record], rows: str) -> list[Record]:
    """Return the models on overlapping rows with other clusters; one that is known counts once."""
    if not own:
        return []
    seen = {record.model for record in own if record.model}
    found = []
    for record in ordered:
        known = record.about["rows"] == rows or record.model in seen
        if known or is_fold(record.name) or not overlapping(record, own[0]):
            continue
        found.append(record)
        seen |= {record.model} if record.model else set()
    return found


def _lost_looks(records: Sequence[Record], own: Sequence[Record]) -> list[Record]:
    """Return the looks at test rows whose evaluation is lost: they may have been at these."""
    if not own or own[0].split != "test":
        return []
    opened = [record for record in records if record.origin.trial and record.split == "test"]
    return [record for record in opened if not usable(record)]
