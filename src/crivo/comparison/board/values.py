"""The board's data: the document of `crivo compare`, with settings, costs, curves and slices.

The page computes no statistics. Each difference, interval and verdict on it is `compare`'s.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from crivo.comparison.board.curves import curves_of
from crivo.comparison.result import ComparisonResult
from crivo.comparison.text import cells
from crivo.core.artifacts import rounded
from crivo.core.results import as_json
from crivo.records.history import History
from crivo.records.reading import Unusable
from crivo.records.record import Record
from crivo.records.settings import plain, short_names, used
from crivo.repository.kept import kept_seconds, kept_times

# How many of the best have their curves and slices on the page, beside those with a star.
FULLY_SHOWN = 20
# Chosen blocks say the most, so they come first.
FIRST = ("dataset", "splitter", "featurizer", "model")
SCALE = ("name", "direction", "best")
ENDS = ["value", "low", "high"]


def shown_in_full(comparison: ComparisonResult, history: History) -> dict[int, Record]:
    """Return the records of the reference, the starred and the best, by their places."""
    known = {one.origin.revision: one for one in history.counted}
    return {
        i: known[one.revision]
        for i, one in enumerate(comparison.experiments)
        if one.revision in known and (i < FULLY_SHOWN or one.starred or one.verdict == "reference")
    }


def board_values(
    comparison: ComparisonResult, history: History, reports: Mapping[int, str]
) -> dict[str, Any]:
    """Return what the page's script reads.

    `history` is what the comparison was made from; `reports`: links to reports by the experiments'
    places. The same experiments give the same values.
    """
    known = {one.origin.revision: one for one in history.counted}
    records = [known.get(one.revision) for one in comparison.experiments]
    seconds, times = kept_seconds(history.repository), kept_times(history.repository)
    document = json.loads(as_json("compare", comparison))
    for i, (one, record) in enumerate(zip(comparison.experiments, records, strict=True)):
        of_model = times.get(record.model or "", {}) if record else {}
        document["experiments"][i] |= {
            # As the command line prints them.
            "texts": {each.metric: cells(each) for each in one.metrics},
            "seconds": seconds.get(one.revision),
            "fit_seconds": of_model.get("fit"),
            "predict_seconds": of_model.get("predict"),
            "trial_made": bool(record and record.origin.trial),
            "report": reports.get(i),
        }
    in_full = shown_in_full(comparison, history)
    metrics = dict.fromkeys(one.metric for each in comparison.experiments for one in each.metrics)
    scales = [comparison.scales[name] for name in metrics]
    curves, without = curves_of(history.repository, in_full)
    return rounded(
        document
        | {
            "metrics": [{name: getattr(one, name) for name in SCALE} for one in scales],
            "settings": varying_settings(records),
            "slices": slice_values(comparison.primary, [*metrics], in_full),
            "curves": curves,
            "without_curves": without,
            "in_full": [*in_full],
        }
    )


def varying_settings(records: Sequence[Record | None]) -> list[dict[str, Any]]:
    """Return each setting that the records don't all have alike: its `key`, a short `name`, and
    `of`, each record's value, or None where no stage of it reads the setting.
    """
    read = [used(one.settings) if one else {} for one in records]
    values = {
        key: [_shown(one[key]) if key in one else None for one in read]
        for key in dict.fromkeys(key for settings in read for key in settings)
    }
    varying = [key for key, of in values.items() if len({*of}) > 1]
    varying.sort(key=lambda key: (FIRST.index(key) if key in FIRST else len(FIRST), key))
    names = short_names(varying)
    return [{"key": key, "name": names[key], "of": values[key]} for key in varying]


def _shown(value: Any) -> Any:
    """Return a number as it is, anything else as one would type it."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if number else plain(value)


def slice_values(
    primary: str, metrics: Sequence[str], records: Mapping[int, Record]
) -> dict[str, dict[str, dict[str, list[float]]]]:
    """Return each metric's values by slice and by the records' places: value, low, high."""
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    for metric in metrics:
        for i, record in records.items():
            with suppress(Unusable):
                table = record.slices if metric == primary else record.slices_in(metric)
                for name, *ends in table[ENDS].itertuples(name=None):
                    found.setdefault(metric, {}).setdefault(str(name), {})[str(i)] = ends
    return found
