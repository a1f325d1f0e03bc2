"""The board's data: the comparison column by column, with settings, costs, curves and notes.

The page computes no statistics. Each difference, interval and verdict on it is `compare`'s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

import pandas as pd

from crivo.comparison.board.curves import curves_of
from crivo.comparison.board.words import is_better, title, what_changed
from crivo.comparison.claims import cells
from crivo.comparison.result import Comparison, ExperimentVerdict
from crivo.core.artifacts import rounded
from crivo.records.history import History
from crivo.records.reading import Unusable
from crivo.records.record import Record
from crivo.records.settings import plain, short_names, used
from crivo.repository.kept import Times, kept_seconds, kept_times

# How many of the best have their curves and all slices on the page, beside those with a star.
FULLY_SHOWN = 20
MAX_FULLY_SHOWN = 60

# What the page shows elsewhere.
PARTS = ("metrics", "worse_slices")
COLUMNS = [one.name for one in fields(ExperimentVerdict) if one.name not in PARTS]
SCALE = ("name", "direction", "best", "description")
METRIC_COLUMNS = (
    "value", "low", "high", "difference", "difference_low", "difference_high",
    "minimum_detectable", "verdict", "not_worse",
)  # fmt: skip


@dataclass(frozen=True)
class Board:
    """The values of a board, and the experiments that are shown with all that there is of them.

    `values`: what the page's script reads; `chosen`: the place in the table and the record of the
    reference, of those with a star and of the best.
    """

    values: Mapping[str, Any]
    chosen: Mapping[int, Record] = field(default_factory=dict)

    def with_reports(self, paths: Mapping[int, str]) -> Board:
        """Return the board with links to reports, by the experiments' places."""
        return Board(
            dict(self.values) | {"reports": {str(i): path for i, path in paths.items()}},
            self.chosen,
        )


def board(comparison: Comparison, history: History) -> Board:
    """Return the board of a comparison: everything that its page shows.

    `history` is what the comparison was made from. The same experiments give the same board.
    """
    experiments = comparison.experiments
    known = {one.origin.revision: one for one in history.counted}
    records = [known.get(one.revision) for one in experiments]
    chosen = _chosen(experiments, records)
    curves, without = curves_of(history.repository, chosen)
    seconds = kept_seconds(history.repository)
    values = {
        "title": title(comparison),
        "better": is_better(comparison),
        "changed": what_changed(comparison),
        "notes": list(comparison.notes),
        "reference": comparison.reference,
        "primary": comparison.primary,
        "split": comparison.split,
        "trials": comparison.trials,
        "planned": comparison.planned_trials,
        "metrics": _metrics(comparison),
        "experiments": {
            name: [_plain(getattr(one, name)) for one in experiments] for name in COLUMNS
        },
        "compared": _compared(comparison),
        "settings": varying_settings(records),
        "slices": slice_values(comparison, records, [*chosen]),
        **_times(kept_times(history.repository), records),
        "seconds": [seconds.get(one.revision) for one in experiments],
        "trial_made": [bool(one and one.origin.trial) for one in records],
        "curves": curves,
        "without_curves": without,
        "chosen": [*chosen],
        "reports": {},
        "refused": [vars(one) for one in comparison.refused],
    }
    return Board(rounded(values), chosen)


def _times(times: Times, records: Sequence[Record | None]) -> dict[str, list[float | None]]:
    """Return the seconds in which each model was fitted and, per row, predicted."""
    known = [times.get(one.model or "", {}) if one else {} for one in records]
    return {f"{what}_seconds": [one.get(what) for one in known] for what in ("fit", "predict")}


def _chosen(
    experiments: Sequence[ExperimentVerdict], records: Sequence[Record | None]
) -> dict[int, Record]:
    """Return the reference, those with a star and the best, by their places."""
    named = [
        *(i for i, one in enumerate(experiments) if one.verdict == "reference"),
        *(i for i, one in enumerate(experiments) if one.starred),
        *range(min(FULLY_SHOWN, len(experiments))),
    ]
    places = list(dict.fromkeys(named))[:MAX_FULLY_SHOWN]
    return {i: one for i in sorted(places) if (one := records[i]) is not None}


def _names(comparison: Comparison) -> list[str]:
    """Return the metrics in the comparison's order."""
    return list(
        dict.fromkeys(one.metric for each in comparison.experiments for one in each.metrics)
    )


def _metrics(comparison: Comparison) -> list[dict[str, Any]]:
    """Return of each metric which value is better, and what it is."""
    scales = [comparison.scales[name] for name in _names(comparison)]
    return [{name: getattr(one, name) for name in SCALE} for one in scales]


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _compared(comparison: Comparison) -> dict[str, dict[str, list[Any]]]:
    """Return each metric's columns, in the table's order; None where one doesn't have it.

    `value_text` and `difference_text` are what the command line prints.
    """
    found = {}
    for metric in _names(comparison):
        own = [
            next((one for one in each.metrics if one.metric == metric), None)
            for each in comparison.experiments
        ]
        columns = {
            name: [None if one is None else getattr(one, name) for one in own]
            for name in METRIC_COLUMNS
        }
        texts = [("", "") if one is None else cells(one) for one in own]
        columns["value_text"] = [value for value, _ in texts]
        columns["difference_text"] = [difference for _, difference in texts]
        found[metric] = columns
    return found


# Chosen blocks say the most, so they come first.
FIRST = ("dataset", "splitter", "featurizer", "model")


def varying_settings(records: Sequence[Record | None]) -> list[dict[str, Any]]:
    """Return each setting that the records don't all have alike.

    It has a `key`, a short `name`, the different `values`, and `of`: the place of each record's
    value among these, or None where no stage of it reads the setting.
    """
    read = [used(one.settings) if one else {} for one in records]
    keys = dict.fromkeys(key for settings in read for key in settings)
    varying = [key for key in keys if len({_told(one, key) for one in read}) > 1]
    varying.sort(key=lambda key: (FIRST.index(key) if key in FIRST else len(FIRST), key))
    names = short_names(varying)
    return [{"key": key, "name": names[key], **_coded(key, read)} for key in varying]


def _told(settings: dict[str, Any], key: str) -> tuple[bool, str]:
    return key in settings, plain(settings.get(key))


def _coded(key: str, read: Sequence[dict[str, Any]]) -> dict[str, Any]:
    texts = [plain(one[key]) if key in one else None for one in read]
    kept = {plain(one[key]): _scalar(one[key]) for one in read if key in one}
    ordered = sorted(kept, key=lambda text: _order(kept[text]))
    places = {text: place for place, text in enumerate(ordered)}
    return {
        "values": [kept[text] for text in ordered],
        "of": [None if text is None else places[text] for text in texts],
    }


def _scalar(value: Any) -> Any:
    """Return a number as it is, anything else as one would type it."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if number else plain(value)


def _order(value: Any) -> tuple[bool, float, str]:
    text = isinstance(value, str)
    return text, 0.0 if text else float(value), str(value)


# About so many numbers keep the page small; what comes first is kept.
MAX_VALUES = 150_000
ENDS = ("value", "low", "high")


def slice_values(
    comparison: Comparison, records: Sequence[Record | None], chosen: Sequence[int]
) -> dict[str, Any]:
    """Return the slices' `names`, and for each metric their values by the slice's place.

    `of[metric][slice]` holds `i`, the experiments' places, with `value`, `low` and `high`; of the
    primary metric as the comparison has them, of others for the `chosen` places.
    """
    primary = comparison.primary
    every = dict.fromkeys([*chosen, *range(len(records))])
    names: dict[str, int] = {}
    tables = {i: record.slices for i in every if (record := records[i])}
    found = {primary: _limited({i: one for i, one in tables.items() if len(one)}, names)}
    for metric in [one for one in _names(comparison) if one != primary]:
        tables = {i: _table(record, metric) for i in chosen if (record := records[i])}
        found[metric] = _limited(tables, names)
    return {"names": [*names], "of": {metric: of for metric, of in found.items() if of}}


def _table(record: Record, metric: str) -> pd.DataFrame:
    try:
        return record.slices_in(metric)
    except Unusable:
        return pd.DataFrame(columns=list(ENDS))


def _limited(
    tables: Mapping[int, pd.DataFrame], names: dict[str, int]
) -> dict[str, dict[str, list[Any]]]:
    """Return the tables' values by slice, of the first tables that there is room for."""
    room = MAX_VALUES
    found: dict[str, dict[str, list[Any]]] = {}
    for i, table in tables.items():
        room -= len(table) * len(ENDS)
        if room < 0:
            break
        rows = table[list(ENDS)].to_numpy(float).tolist()
        for name, row in zip(table.index.tolist(), rows, strict=True):
            place = str(names.setdefault(str(name), len(names)))
            of = found.setdefault(place, {"i": [], **{end: [] for end in ENDS}})
            of["i"].append(i)
            for end, number in zip(ENDS, row, strict=True):
                of[end].append(float(f"{number:.5g}"))
    return found
