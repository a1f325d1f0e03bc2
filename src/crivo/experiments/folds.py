"""Folds: the same recipe judged on other rows, each row once, the test rows never.

A split by time moves its origin: each fold is taught by what came before the days that judge
it. Other splits deal the rows that aren't test rows into as many parts.
"""

from __future__ import annotations

import re
from dataclasses import fields
from datetime import date, timedelta
from typing import Any, NamedTuple

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.registry import find_block
from crivo.experiments.cached import Store
from crivo.experiments.records import Record
from crivo.experiments.settings import chosen_block
from crivo.preparation.time_split import is_share

# The end of a fold's name: `boosting-fold=2of6`.
FOLD_NAME = re.compile(r"-fold=\d+of\d+$")

# The part of the time before the test rows that only teaches.
TEACHES = 1 / 3


class Fold(NamedTuple):
    """One fold: the settings that make it, and what judges it, in words."""

    settings: tuple[str, ...]
    title: str


def plan_folds(record: Record, count: int, store: Store) -> list[Fold]:
    """Return the folds of a record's split; CrivoError when it can't be split so often."""
    if count < 2:
        raise CrivoError(f"--folds is {count}; expected 2 or more.")
    splitter, name = chosen_block("splitter", record.settings), record.settings["splitter"]
    known = {field.name for field in fields(find_block("splitter", name))}
    if {"valid_from", "test_from"} <= known:
        return _by_time(splitter, name, record, count, store)
    if not {"fold", "valid", "test"} <= known:
        raise CrivoError(
            f"Splitter {name} can't deal out folds: it has no settings fold, valid and test; "
            "repeat over seeds, or use by_time, by_group or at_random."
        )
    share = (1 - splitter.test) / count
    start = f"splitters.{name}"
    return [
        Fold((f"++{start}.valid={share!r}", f"++{start}.fold={number}"), f"part {number + 1}")
        for number in range(count)
    ]


def _by_time(splitter: Any, name: str, record: Record, count: int, store: Store) -> list[Fold]:
    end = splitter.test_from
    edges: list[Any]
    if is_share(end):
        edges = [_share(end, step / count) for step in range(count + 1)]
    elif isinstance(end, date):
        edges = day_edges(_first(record, store).date(), end, count)
    else:
        edges = number_edges(_first(record, store), end, count)
    start = f"splitters.{name}"
    return [
        Fold(
            (f"++{start}.valid_from={edges[i]}", f"++{start}.test_from={edges[i + 1]}"),
            f"{edges[i]} to {edges[i + 1]}",
        )
        for i in range(count)
    ]


def _share(end: float, part: float) -> float:
    return round(end * (TEACHES + (1 - TEACHES) * part), 6)


def day_edges(first: date, end: date, count: int) -> list[date]:
    """Return the first days of folds of equal length, and the day after the last one.

    >>> day_edges(date(2013, 1, 1), date(2013, 1, 10), 3)[:2]
    [datetime.date(2013, 1, 4), datetime.date(2013, 1, 6)]
    """
    days = (end - first).days
    edges = [first + timedelta(days=round(_share(days, step / count))) for step in range(count + 1)]
    if len(set(edges)) <= count:
        raise CrivoError(
            f"There are {days} days before the test rows, too few for {count} folds of days."
        )
    return edges


def number_edges(first: float, end: float, count: int) -> list[float]:
    """Return the first numbers of folds of equal length, and the end of the last; whole as `end`.

    >>> number_edges(2001, 2010, 3)
    [2004, 2006, 2008, 2010]
    """
    edges = [first + _share(end - first, step / count) for step in range(count + 1)]
    edges = [round(edge) if isinstance(end, int) else edge for edge in edges]
    if len(set(edges)) <= count:
        raise CrivoError(
            f"From {first:g} to {end:g}, where the test rows begin, there are too few whole "
            f"numbers for {count} folds."
        )
    return edges


def _first(record: Record, store: Store) -> Any:
    """Return the first moment of the training rows."""
    time = store.schema(record).time
    rows = artifacts.read_table(store.path(record, "data/prepared/train.parquet"), [str(time)])
    return rows[time].min()
