"""Folds that a splitter's settings can make: each is the splitter with some of them changed.

A split by time moves its origin: each fold is taught by what came before its validation rows.
Other splits deal the rows that aren't test rows into as many parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from datetime import date, datetime, timedelta
from typing import Any, TypeGuard

from crivo.core.errors import CrivoError

# What a fold changes, by the fold's title.
Folds = dict[str, dict[str, Any]]

# The part of the time before the test rows that only teaches.
TEACHES = 1 / 3


def folds_of(splitter: Any, count: int, first_time: Callable[[], Any]) -> Folds:
    """Return the folds of a splitter with the settings of `by_time`, or of `at_random`; else none.

    `first_time` gives the first time of the training rows. CrivoError: it can't be split so often.
    """
    known = {field.name for field in fields(splitter)}
    if {"valid_from", "test_from"} <= known:
        edges = _edges(splitter.test_from, count, first_time)
        return {
            f"{edges[i]} to {edges[i + 1]}": {"valid_from": edges[i], "test_from": edges[i + 1]}
            for i in range(count)
        }
    if {"fold", "valid", "test"} <= known:
        share = (1 - splitter.test) / count
        return {f"part {fold + 1}": {"valid": share, "fold": fold} for fold in range(count)}
    return {}


def _edges(end: date | float, count: int, first_time: Callable[[], Any]) -> list[Any]:
    if isinstance(end, datetime):
        first = first_time().replace(tzinfo=None)
        steps = (_share((end - first).total_seconds(), step / count) for step in range(count + 1))
        return [(first + timedelta(seconds=round(step))).isoformat() for step in steps]
    if isinstance(end, date):
        return day_edges(first_time().date(), end, count)
    if is_share(end):
        return [_share(end, step / count) for step in range(count + 1)]
    return number_edges(first_time(), end, count)


def is_share(start: object) -> TypeGuard[float]:
    """Say whether a split begins after a share of the rows, rather than at a moment.

    >>> is_share(0.6), is_share(2017), is_share(2017.5)
    (True, False, False)
    """
    return isinstance(start, float) and 0 < start < 1


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
