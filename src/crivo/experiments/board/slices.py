"""The slices' own values on the board: all of the primary metric, the others' of a few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from crivo.experiments.comparison import Comparison
from crivo.experiments.reading import Unusable
from crivo.experiments.records import Record

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
    places = {str(name): i for i, name in enumerate(comparison.table.index)}
    own = {
        places[str(name)]: table.droplevel("name")
        for name, table in comparison.slices.groupby(level="name", sort=False)
    }
    first = [*chosen, *(i for i in sorted(own) if i not in set(chosen))]
    names: dict[str, int] = {}
    found = {primary: _limited({i: own[i] for i in first if i in own}, names)}
    others = dict.fromkeys(comparison.metrics.index.get_level_values("metric"))
    for metric in [str(one) for one in others if one != primary]:
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
