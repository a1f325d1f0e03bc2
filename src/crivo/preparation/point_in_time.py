"""Functions for dataset blocks: features of past events, as known at a given moment.

A feature such as "the mean delay of the last three hours" must count only what was known at
each row's own moment. Moments are whole minutes since 1970 (`crivo.preparation.timestamps`); an
event that never happened has a missing moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

# Moments are below 2 to this power minutes (the year 2097), so group and moment make one key.
MOMENT_BITS = 26

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def group_numbers(table: pd.DataFrame, names: Sequence[str]) -> Integers:
    """Return a number for each combination of values; it is negative if a value is missing.

    >>> group_numbers(pd.DataFrame({"a": ["x", "y", "x"], "b": [1, 1, 1]}), ["a", "b"]).tolist()
    [0, 1, 0]
    """
    numbers = np.zeros(len(table), dtype="int64")
    for name in names:
        codes, values = pd.factorize(table[name])
        numbers = np.where((codes < 0) | (numbers < 0), -1, numbers * len(values) + codes)
    return numbers


class Past:
    """Events of several groups, with sums of their values up to any moment.

    `groups` are whole numbers (below 0: in no group), `values` whole numbers to be summed, so
    that a later event can't change an earlier sum by as much as a rounding error.

    >>> past = Past([0, 0, 1], [10, 20, 10], [5, 7, 9])
    >>> past.sums([0, 0, 1], after=[0, 10, 0], until=[20, 20, 9])[0].tolist()
    [12, 7, 0]
    """

    def __init__(self, groups: Any, timestamps: Any, *values: Any) -> None:
        groups, timestamps = np.asarray(groups), np.asarray(timestamps, dtype="float64")
        happened = np.flatnonzero(~np.isnan(timestamps) & (groups >= 0))
        keys = _keys(groups[happened], timestamps[happened].astype("int64"))
        order = np.argsort(keys, kind="stable")
        self._keys, self._events = keys[order], happened[order]
        self._running = [self._run(np.asarray(value)) for value in values]

    @classmethod
    def queue(cls, groups: Any, joins: Any, quits: Any) -> Past:
        """Return a past whose sums count who has joined and not quit, and sum when they joined.

        >>> line = Past.queue([0, 0], joins=[10, 20], quits=[30, 30])
        >>> [x.tolist() for x in line.sums([0, 0], after=[0, 0], until=[25, 30])]
        [[2, 0], [30, 0]]
        """
        groups, joins = np.asarray(groups), np.asarray(joins, dtype="int64")
        one = np.ones_like(joins)
        return cls(
            np.concatenate([groups, groups]),
            np.concatenate([joins, np.asarray(quits, dtype="float64")]),
            np.concatenate([one, -one]),
            np.concatenate([joins, -joins]),
        )

    def sums(self, groups: Any, after: Any, until: Any) -> list[Integers]:
        """Return each value's sum over the events of a group with `after` < moment <= `until`."""
        first, last = self._stretch(groups, after, until)
        return [running[last] - running[first] for running in self._running]

    def latest(self, groups: Any, after: Any, until: Any) -> Integers:
        """Return the index of the last event with `after` < moment <= `until`; -1 for none.

        >>> Past([0, 0], [20, 10]).latest([0, 0, 1], after=[0, 10, 0], until=[20, 19, 20]).tolist()
        [0, -1, -1]
        """
        first, last = self._stretch(groups, after, until)
        events = np.full(len(last), -1)
        events[last > first] = self._events[last[last > first] - 1]
        return events

    def _run(self, value: NDArray[Any]) -> Integers:
        running = np.zeros(len(self._events) + 1, dtype="int64")
        np.cumsum(value[self._events], out=running[1:])
        return running

    def _stretch(self, groups: Any, after: Any, until: Any) -> tuple[Integers, Integers]:
        """Return where the stretch begins and ends among the sorted events."""
        first, last = (
            np.searchsorted(self._keys, _keys(groups, ends), side="right")
            for ends in (after, until)
        )
        return first, np.maximum(first, last)


def insert_rows(
    asked: pd.DataFrame, stored: pd.DataFrame, key: Sequence[str]
) -> tuple[pd.DataFrame, Integers]:
    """Return the stored rows with the requested rows inserted, and the requested rows' positions.

    A row that is stored keeps what happened to it, and is otherwise as it is asked for. One
    that isn't stored is treated as not yet happened.

    >>> stored = pd.DataFrame({"id": [1, 2], "size": [5.0, 6.0], "sold": [0.0, 1.0]})
    >>> rows, places = insert_rows(pd.DataFrame({"id": [3, 2], "size": [7.0, 8.0]}), stored, ["id"])
    >>> rows["sold"].tolist(), rows["size"].tolist(), places.tolist()
    ([0.0, 1.0, nan], [5.0, 8.0, 7.0], [2, 1])
    """
    keys = list(key)
    stored = stored[~stored.duplicated(keys)]
    once = asked[~asked.duplicated(keys)]
    known = pd.MultiIndex.from_frame(stored[keys])
    new = once[known.get_indexer(pd.MultiIndex.from_frame(once[keys])) < 0]
    rows = pd.concat([stored, new.reindex(columns=stored.columns)], ignore_index=True)
    rows = rows.astype(stored.dtypes)
    wanted = pd.MultiIndex.from_frame(asked[keys])
    places: Integers = pd.MultiIndex.from_frame(rows[keys]).get_indexer(wanted)
    for name in asked:
        rows.loc[places, name] = asked[name].to_numpy()
    return rows, places


def ratio(count: NDArray[Any], total: NDArray[Any], otherwise: float = np.nan) -> Floats:
    """Return total divided by count, or `otherwise` where the count is zero.

    >>> ratio(np.array([4, 0]), np.array([6, 0])).tolist()
    [1.5, nan]
    """
    shares = np.full(len(count), otherwise)
    np.divide(total, count, out=shares, where=count > 0)
    return shares


def _keys(groups: Any, timestamps: Any) -> Integers:
    # A stretch that begins before 1970 must not reach into the group before.
    since: Integers = np.maximum(np.asarray(timestamps, dtype="int64"), 0)
    return (np.asarray(groups, dtype="int64") << MOMENT_BITS) + since
