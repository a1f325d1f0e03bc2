"""What comes with each trial of a sequence: its differences from what it is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from crivo.evaluation import max_t, sequence
from crivo.evaluation.intervals import comparable
from crivo.evaluation.metrics import Metric
from crivo.evaluation.sequence import Spending, Step, count_usable, levels
from crivo.experiments.counted import CountedRecord
from crivo.experiments.records import Record
from crivo.repository.remembered import Remembered, code_of, digest

# What levels are worked out by.
CODE = (sequence, max_t)


@dataclass(frozen=True)
class PlannedStep:
    """A step before its numbers: a record, and the records it is compared with.

    `record` is None where its numbers are lost; `unknown`: how many of the others' are. `lost`:
    what the table of removed trials says of it.
    """

    record: Record | None
    others: tuple[Record, ...] = ()
    unknown: int = 0
    lost: CountedRecord | None = None

    @property
    def trial(self) -> Record | None:
        """The record, with its numbers or without."""
        return self.record or self.lost


def planned_step(record: Record, others: Sequence[Record], unknown: int = 0) -> PlannedStep:
    """Return the step of a trial that is compared with others, of which some may be lost."""
    if isinstance(record, CountedRecord):
        return PlannedStep(None, lost=record)
    known = tuple(one for one in others if not isinstance(one, CountedRecord))
    return PlannedStep(record, known, unknown + len(others) - len(known))


def differences(step: PlannedStep, metrics: Sequence[Metric]) -> Step:
    """Return a step's differences in some metrics, a column each."""
    record, count = step.record, (step.unknown + len(step.others)) * len(metrics)
    if record is None:
        return Step(None, len(metrics))
    columns = [
        _turned(record, metric) - _turned(other, metric)
        for metric in metrics
        for other in step.others
        if _both_have(metric.name, record, other)
    ]
    if not columns:
        return Step(None, count)
    return Step(np.column_stack(columns), count - len(columns))


def all_differences(steps: Sequence[PlannedStep], metrics: Sequence[Metric]) -> list[Step]:
    """Return the differences of all steps; of one with more than are drawn, only how many it has.

    With a thousand models to be compared with each, they would fill gigabytes.
    """
    counts = _Counts(steps, metrics)
    return [
        Step(None, count) if (count := counts.of(step)) is not None else differences(step, metrics)
        for step in steps
    ]


class _Counts:
    """Counts the differences of steps that have more than `levels` draws, from arrays of all."""

    def __init__(self, steps: Sequence[PlannedStep], metrics: Sequence[Metric]) -> None:
        self._metrics = metrics
        large = [step for step in steps if step.record and self._may_be_large(step)]
        records = {id(one): one for step in large for one in (step.record, *step.others) if one}
        self._places = {key: place for place, key in enumerate(records)}
        numbers: dict[tuple[str, ...], int] = {}
        self._clusters = np.array(
            [numbers.setdefault(one.cluster_names, len(numbers)) for one in records.values()]
        )
        self._ends = [
            np.array([_ends(one, metric) for one in records.values()]).reshape(-1, 2)
            for metric in metrics
        ]

    def _may_be_large(self, step: PlannedStep) -> bool:
        return len(step.others) * len(self._metrics) > sequence.MAX_DRAWN

    def of(self, step: PlannedStep) -> int | None:
        """Return how many differences a step has, known or not; None if they are to be drawn."""
        if step.record is None or not self._may_be_large(step):
            return None
        mine = self._places[id(step.record)]
        others = np.array([self._places[id(one)] for one in step.others])
        alike = self._clusters[others] == self._clusters[mine]
        usable, unknown = 0, step.unknown * len(self._metrics)
        for metric, ends in zip(self._metrics, self._ends, strict=True):
            # Where both ends differ by the same, a closer look tells whether all values do.
            gaps = ends[mine] - ends[others]
            differ = alike & (gaps[:, 0] != gaps[:, 1]) & np.isfinite(gaps).all(axis=1)
            usable += int(differ.sum())
            for place in np.flatnonzero(~differ):
                found = differences(PlannedStep(step.record, (step.others[place],)), [metric])
                unknown += found.unknown
                usable += 0 if found.differences is None else count_usable(found.differences)
        return usable + unknown if usable > sequence.MAX_DRAWN else None


def _ends(record: Record, metric: Metric) -> tuple[float, float]:
    """Return a metric without the first cluster and without the last; missing with any gap."""
    if metric.name not in record.measured_metrics:
        return nan, nan
    values = _turned(record, metric)
    return (values[0], values[-1]) if np.isfinite(values).all() else (nan, nan)


def _turned(record: Record, metric: Metric) -> np.ndarray:
    if metric.best is None:
        return record.deleted(metric.name)
    return comparable(metric, record.estimate(metric.name)).deleted.to_numpy()


def _both_have(metric: str, one: Record, other: Record) -> bool:
    """Whether both hold the metric without the same clusters."""
    return (
        metric in one.measured_metrics
        and metric in other.measured_metrics
        and one.cluster_names == other.cluster_names
    )


def remembered_levels(
    steps: Sequence[Step], spending: Spending, remembered: Remembered | None
) -> list[float]:
    """Return the levels of steps, those that were worked out before without doing it again.

    A step's level depends on those before it and on none after it.
    """
    if remembered is None:
        return levels(steps, spending)
    keys = _keys(steps, spending)
    known = remembered.recall(keys)
    first = next((place for place, key in enumerate(keys) if key not in known), len(keys))
    found = levels(steps, spending, [known[key] for key in keys[:first]])
    remembered.keep(dict(zip(keys[first:], found[first:], strict=True)))
    return found


def _keys(steps: Sequence[Step], spending: Spending) -> list[str]:
    """Return a key for each step: a digest of it and of all before it."""
    key = digest("levels", code_of(*CODE), np.__version__, repr(spending))
    keys = []
    for step in steps:
        table = step.differences
        shown = b"" if table is None else np.ascontiguousarray(table, dtype=float).tobytes()
        shape = "" if table is None else repr(table.shape)
        key = digest(key, shape, shown, str(step.unknown))
        keys.append(key)
    return keys
