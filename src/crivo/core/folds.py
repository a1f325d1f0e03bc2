"""Cross-validation folds made from a splitter's settings, for `crivo repeat`.

A split by time moves its origin: each fold is trained on rows before its validation rows.
Other splits divide the rows that aren't test rows into as many parts.
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
            _title(edges[i], edges[i + 1]): {"valid_from": edges[i], "test_from": edges[i + 1]}
            for i in range(count)
        }
    if {"fold", "valid", "test"} <= known:
        share = (1 - splitter.test) / count
        return {f"part {fold + 1}": {"valid": share, "fold": fold} for fold in range(count)}
    return {}


def _edges(end: date | float, count: int, first_time: Callable[[], Any]) -> list[Any]:
    """Return where folds of equal length begin, and where the last one ends."""
    if is_share(end):
        return _parts(end, count)
    first = first_time()
    if isinstance(end, datetime):
        first = first.replace(tzinfo=None)
        seconds = _parts((end - first).total_seconds(), count)
        edges = [(first + timedelta(seconds=round(part))).isoformat() for part in seconds]
    elif isinstance(end, date):
        first = first.date()
        edges = [first + timedelta(days=round(part)) for part in _parts((end - first).days, count)]
    else:
        edges = [first + part for part in _parts(end - first, count)]
        edges = [round(edge) if isinstance(end, int) else edge for edge in edges]
    if len(set(edges)) <= count:
        raise CrivoError(
            f"From {first} to {end}, where the test rows begin, there are too few days or numbers "
            f"for {count} folds."
        )
    return edges


def _title(begin: Any, end: Any) -> str:
    """Return a fold's title; it names the fold's last day, or the moment or number at its end."""
    return f"{begin} to {end - timedelta(days=1) if isinstance(end, date) else end}"


def _parts(whole: float, count: int) -> list[float]:
    """Return how much of a stretch lies before each fold, and before the end of the last."""
    parts = (TEACHES + (1 - TEACHES) * (step / count) for step in range(count + 1))
    return [round(whole * part, 6) for part in parts]


def is_share(start: object) -> TypeGuard[float]:
    """Say whether a split begins after a share of the rows, rather than at a moment.

    >>> is_share(0.6), is_share(2017), is_share(2017.5)
    (True, False, False)
    """
    return isinstance(start, float) and 0 < start < 1
