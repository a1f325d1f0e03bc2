"""Finds models that were chosen by results on the same rows, and their values after selection.

The statistics are in `crivo.statistics.selection`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from crivo.comparison.choice import Pair
from crivo.comparison.families import chosen_among, goodness, in_order, primary_of
from crivo.comparison.result import AfterSelection
from crivo.comparison.text import decimals, with_interval
from crivo.core.git import NoRepository
from crivo.records.comparability import other_definition, other_measured
from crivo.records.history import History, read_history
from crivo.records.record import FILES, Record, usable
from crivo.repository.commits import Origin
from crivo.repository.git import GitObject
from crivo.repository.remembered import Remembered, code_of, digest
from crivo.statistics import departures, intervals, jackknife, max_t
from crivo.statistics import selection as statistics
from crivo.statistics.scale import Scale

# Gaps of slices are corrected for the slices; of these ends the other models' aren't kept.
NOT_WIDENED = "slice_gap"


@dataclass(frozen=True)
class Selected:
    """A model that was chosen among others by their results on the same rows.

    `others`: the rest of them, as far as their numbers are known; `unknown`: how many aren't.
    `remembered`: what was worked out before.
    """

    record: Record
    others: tuple[Record, ...]
    unknown: int
    remembered: Remembered

    @property
    def among(self) -> int:
        """How many models it was chosen among, itself included."""
        return 1 + len(self.others) + self.unknown

    @cached_property
    def best(self) -> bool:
        """Whether it is the best in the primary metric of those whose numbers are known."""
        metric = primary_of(self.record)
        first, *rest = (goodness(metric, one.estimate(metric.name).value) for one in self._family)
        return bool(rest) and all(first >= other for other in rest)

    @property
    def _family(self) -> tuple[Record, ...]:
        return (self.record, *self.others)

    def metric(self, name: str) -> statistics.AfterSelection:
        """Return a metric of it with an interval that allows for the selection."""
        metric = self.record.metrics[name]
        known = [one for one in self._family if name in one.measured_metrics]
        chosen, *others = (one.estimate(name) for one in known)
        decided = self.best and name == self.record.about["primary"]
        lost = self.unknown + len(self._family) - len(known)

        def worked_out() -> list[float]:
            after = statistics.after_selection
            return [*after(metric, chosen, others, decided=decided, unknown=lost)]

        given = [(one.value, one.deleted.tobytes(), one.effective, one.in_order, one.exact)
                 for one in (chosen, *others)]  # fmt: skip
        code = code_of(statistics, departures, intervals, jackknife, max_t)
        key = digest("after selection", code, np.__version__, repr((metric, given, decided, lost)))
        return statistics.AfterSelection(*self.remembered.value(key, worked_out))


def selected(record: Record, history: History) -> Selected | None:
    """Return a model with those it was chosen among; None where it was chosen among none.

    Test rows never choose.
    """
    if record.split == "test":
        return None
    predictions = chosen_among(history, record)
    others: dict[str, Record] = {}
    for one in in_order(history.counted):
        if one.predictions in predictions and _alike(one, record):
            others.setdefault(one.predictions, one)
    others.pop(record.predictions, None)
    unknown = len(predictions - others.keys() - {record.predictions})
    found = Selected(record, tuple(others.values()), unknown, history.remembered)
    return found if found.among > 1 else None


def _alike(one: Record, other: Record) -> bool:
    """Whether two records have the primary metric of the same rows, clusters and definition."""
    return (
        usable(one)
        and one.about["rows"] == other.about["rows"]
        and not other_definition(one, other)
        and other_measured(one, other) is None
    )


def selections(history: History, pairs: Mapping[str, Pair]) -> list[AfterSelection]:
    """Return which of the compared models are the best of those on their rows, after selection."""
    known = {}
    for name, one in pairs.items():
        metric = primary_of(one.record)
        value = one.record.intervals[metric.name]["value"]
        known[name] = metric.name, goodness(metric, value)
    committed = {one.predictions for one in history.commits}
    found = []
    for name, one in pairs.items():
        # Of many that no branch has, the best alone may be the best of all.
        alike = [value for value in known.values() if value[0] == known[name][0]]
        may_be = known[name] == max(alike) or one.record.predictions in committed
        if one.again or not may_be:
            continue
        chosen = selected(one.record, history)
        if chosen is not None and chosen.best:
            primary = primary_of(one.record).name
            after, count = chosen.metric(primary), 1 + len(chosen.others)
            found.append(AfterSelection(*after, name, chosen.among, count, primary))
    return found


def selection_notes(selections: Sequence[AfterSelection], pairs: Mapping[str, Pair]) -> list[str]:
    """Say of what was chosen how it was, and what its metric is after selection."""
    notes = []
    for one in selections:
        digits = decimals(one.low, one.high)
        raw = pairs[one.name].record.intervals[one.metric]
        before = with_interval(raw["value"], raw["low"], raw["high"], digits)
        after = with_interval(one.value, one.low, one.high, digits)
        lost = one.among - one.known
        beside = f" ({lost} more can't be compared)" if lost else ""
        instead = f", instead of {before}" if before != after else ", as before"
        notes.append(
            f"{one.name} is the best of {one.known} models on these rows{beside}. Estimate after "
            f"this selection: {one.metric} {after}{instead}."
        )
    return notes


def workspace_selection(folder: Path = Path()) -> Selected | None:
    """Return the model whose evaluation is in the workspace with those it was chosen among.

    None where git has no history of it. What is not committed counts as chosen by its result.
    """
    try:
        history = read_history(folder)
    except NoRepository:
        return None
    files = {
        path: GitObject("", (history.repository.project / path).read_bytes())
        for path in FILES
        if (history.repository.project / path).is_file()
    }
    # What isn't recorded yet is made now, after all that is.
    latest = Origin("workspace", "", history.head, "", sys.maxsize, "", trial=True)
    record = Record(latest, files, history.ledger)
    if not usable(record):
        return None
    history.keep_known(judged=False)  # what is fetched later isn't what this was chosen among
    known = [one for one in history.counted if one.predictions == record.predictions]
    made = known or [record]
    return selected(made[0], history)


def limitable_after(
    values: Mapping[str, float | None], found: Selected, metrics: Mapping[str, Scale]
) -> dict[str, float | None]:
    """Return those of an evaluation's numbers that are others after selection, by name.

    Of a number that the other models' files don't hold, such as the value of acting, the interval
    is widened by the number of models.
    """
    after: dict[str, float | None] = {}
    ends: list[Any]
    for name in [name for name in values if {f"{name}_low", f"{name}_high"} <= values.keys()]:
        known = metrics.get(name, Scale(name, "higher"))
        ends = [values[name], values[f"{name}_low"], values[f"{name}_high"]]
        if name.startswith(NOT_WIDENED) or any(end is None for end in ends):
            continue
        near = known.best is not None
        if name in found.record.metrics:
            value, low, high = found.metric(name)
        else:
            value, low, high = map(float, ends)
            value = (low + high) / 2 if near else value
            ends = [*statistics.widened(value, low, high, found.among, found.record.clusters)]
            low, high = np.clip(ends, *known.bounds).tolist()
        # Of one that is best inside its range the number itself is its distance from there.
        after |= {f"{name}_low": low, f"{name}_high": high} | ({} if near else {name: value})
    return {name: value for name, value in after.items() if value != values[name]}
