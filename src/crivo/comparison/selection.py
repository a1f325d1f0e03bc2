"""What was chosen by its result, and what the rows that it was chosen on still say of it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crivo.comparison.families import goodness, known_effective, primary_of
from crivo.comparison.numbers import bracket, decimals, number
from crivo.comparison.pairing import Pair
from crivo.comparison.sequences import chosen_among, first_commits, in_order
from crivo.records.comparability import other_definition, other_measured
from crivo.records.history import History, read_history
from crivo.records.record import FILES, Record, usable
from crivo.repository.commits import Origin
from crivo.repository.git import Blob, NoHistory
from crivo.repository.remembered import Remembered, code_of, digest
from crivo.statistics import critical_values, intervals, jackknife, max_t, selection
from crivo.statistics.intervals import FRACTION
from crivo.statistics.scale import Scale
from crivo.statistics.selection import AfterSelection, after_selection, widened

COLUMNS = ["among", "known", "metric", "value", "low", "high"]

# What an estimate after selection is worked out by.
CODE = (critical_values, intervals, jackknife, max_t, selection)

# Gaps of slices are corrected for the slices; of these ends the other models' aren't kept.
NOT_WIDENED = "slice_gap"


@dataclass(frozen=True)
class Selected:
    """A model that was chosen among others by their results on the same rows.

    `others`: the rest of them, as far as their numbers are known; `unknown`: how many aren't.
    """

    record: Record
    others: tuple[Record, ...]
    unknown: int = 0

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

    def metric(self, name: str, remembered: Remembered | None = None) -> AfterSelection:
        """Return a metric of it with an interval that allows for the selection."""
        metric = self.record.metrics[name]
        known = [one for one in self._family if name in one.measured_metrics]
        effective = known_effective(self._family)
        chosen, *others = (one.estimate(name)._replace(effective=effective) for one in known)
        decided = self.best and name == self.record.about["primary"]
        lost = self.unknown + len(self._family) - len(known)
        if remembered is None:
            return after_selection(metric, chosen, others, decided=decided, unknown=lost)
        family = (np.append(one.deleted, one.value).tobytes() for one in (chosen, *others))
        about = (metric.name, str(metric.bounds), str(effective), str((decided, lost)))
        key = digest("after selection", code_of(*CODE), np.__version__, *about, *family)
        if (kept := remembered.recall([key]).get(key)) is not None:
            return AfterSelection(*kept)
        found = after_selection(metric, chosen, others, decided=decided, unknown=lost)
        remembered.keep({key: list(found)})
        return found


def selected(record: Record, counted: Iterable[Record]) -> Selected | None:
    """Return a model with those it was chosen among; None where it was chosen among none.

    Test rows never choose.
    """
    if record.split == "test":
        return None
    counted = list(counted)
    predictions = chosen_among(counted, record)
    others: dict[str, Record] = {}
    for one in in_order(counted):
        if one.predictions in predictions and _alike(one, record):
            others.setdefault(one.predictions, one)
    others.pop(record.predictions, None)
    unknown = len(predictions - others.keys() - {record.predictions})
    found = Selected(record, tuple(others.values()), unknown)
    return found if found.among > 1 else None


def _alike(one: Record, other: Record) -> bool:
    """Whether two records have the primary metric of the same rows, clusters and definition."""
    return (
        usable(one)
        and one.kind != "stopped"
        and one.about["rows"] == other.about["rows"]
        and not other_definition(one, other)
        and other_measured(one, other) is None
    )


def selections(history: History, pairs: Mapping[str, Pair]) -> pd.DataFrame:
    """Return, by name, which of the compared models are the best of those on their rows.

    A row has how many it was chosen `among`, how many of these are `known`, and the primary
    `metric` after selection: `value`, `low`, `high`.
    """
    beaten = _Beaten(history.counted)
    rows = {}
    for name, one in pairs.items():
        if one.shared or one.again or beaten(one.record):
            continue
        found = selected(one.record, history.counted)
        if found is not None and found.best:
            metric = primary_of(one.record).name
            after = found.metric(metric, history.remembered)
            rows[name] = [found.among, 1 + len(found.others), metric, *after]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=COLUMNS)
    return table.rename_axis("name")


class _Beaten:
    """Tells quickly of most records that they aren't the best of those they were chosen among.

    Those of the same rows, clusters and definition count: of one that was committed those before
    that, of one that only an experiment has all.
    """

    def __init__(self, records: Iterable[Record]) -> None:
        self._best: dict[Any, list[tuple[tuple[int, int, str], float]]] = {}
        ordered = [record for record in in_order(records) if usable(record)]
        self._commits = first_commits(ordered)
        for record in ordered:
            kind, value = self._place(record)
            known = self._best.setdefault(kind, [])
            if not known or value > known[-1][1]:
                known.append((record.moment, value))

    def _place(self, record: Record) -> tuple[Any, float]:
        """Return with which others a record is compared, and how good it is."""
        about, metric = record.about, primary_of(record)
        kind = (
            about["rows"],
            about["definition"],
            about["task"],
            metric.name,
            record.cluster_names,
        )
        return kind, goodness(metric, record.interval(metric.name)["value"])

    def __call__(self, record: Record) -> bool:
        """Whether another one is surely better; False where that takes a closer look."""
        kind, value = self._place(record)
        known = self._best.get(kind, [])
        until = self._commits.get(record.predictions)
        before = [best for when, best in known if until is None or when < until]
        return bool(before) and before[-1] > value


def selection_notes(selections: pd.DataFrame, table: pd.DataFrame) -> list[str]:
    """Say of what was chosen how it was, and what its metric is after selection."""
    notes, values = [], table[["value", "low", "high"]].to_dict("index")
    for name, row in selections.to_dict("index").items():
        shown, digits = values[name], decimals((row["high"] - row["low"]) / 4)
        after, before = (
            f"{number(one['value'], digits)} {bracket(one['low'], one['high'], digits)}"
            for one in (row, shown)
        )
        lost = row["among"] - row["known"]
        beside = f" ({lost} more can't be compared)" if lost else ""
        instead = f", instead of {before}" if before != after else ", as before"
        notes.append(
            f"{name} is the best of {row['known']} models on these rows{beside}. Estimate after "
            f"this selection: {row['metric']} {after}{instead}."
        )
    return notes


def workspace_selection(folder: Path = Path()) -> Selected | None:
    """Return the model whose evaluation is in the workspace with those it was chosen among.

    None where git has no history of it. What is not committed counts as chosen by its result.
    """
    try:
        history = read_history(folder)
    except NoHistory:
        return None
    files = {
        path: Blob("", (history.repository.project / path).read_bytes())
        for path in FILES
        if (history.repository.project / path).is_file()
    }
    record = Record(Origin("workspace", "", None, "", 0, ""), files, history.ledger)
    if not usable(record):
        return None
    known = [one for one in history.counted if one.predictions == record.predictions]
    # What isn't recorded yet is made now, after all that is.
    latest = Origin("workspace", "", None, "", sys.maxsize, "", trial=True)
    made = known or [Record(latest, files, history.ledger)]
    return selected(made[0], [*history.counted, *made])


def limitable_after(
    values: Mapping[str, float | None], found: Selected, metrics: Mapping[str, Scale]
) -> dict[str, float | None]:
    """Return an evaluation's numbers by name, with those that have an interval after selection.

    Of a number that the other models' files don't hold, such as the value of acting, the interval
    is widened by the number of models.
    """
    after = dict(values)
    for name in [name for name in values if {f"{name}_low", f"{name}_high"} <= values.keys()]:
        known = metrics.get(name)
        ends = [values[name], values[f"{name}_low"], values[f"{name}_high"]]
        if name.startswith(NOT_WIDENED) or any(end is None for end in ends):
            continue
        if name in found.record.metrics:
            value, low, high = found.metric(name)
        else:
            value, low, high = _widened(ends, found, known)
        # Of one that is best inside its range the number itself is its distance from there.
        if known is None or known.best is None:
            after[name] = value
        after |= {f"{name}_low": low, f"{name}_high": high}
    return after


def _widened(ends: Sequence[Any], found: Selected, metric: Scale | None) -> AfterSelection:
    value, low, high = map(float, ends)
    if metric is not None and metric.best is not None:
        value = (low + high) / 2
    odds = metric is not None and metric.bounds == FRACTION
    clusters = found.record.clusters
    ends = widened(value, low, high, found.among, clusters, odds=odds)
    return AfterSelection(value, *ends)
