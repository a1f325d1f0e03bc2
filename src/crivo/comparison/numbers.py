"""Formats numbers for comparisons and trials, with as many digits as their uncertainty allows.

The report's numbers are in `crivo.evaluation.report.numbers`.
"""

from __future__ import annotations

from math import floor, isfinite, log10
from typing import Any


def decimals(uncertainty: float, at_most: int = 8) -> int:
    """Return the digits after the point that show two digits of an uncertainty.

    >>> decimals(0.0018), decimals(23.0), decimals(0.0)
    (4, 0, 4)
    """
    if not isfinite(uncertainty) or uncertainty <= 0:
        return 4
    return min(at_most, max(0, 1 - floor(log10(uncertainty))))


def number(value: float, digits: int, *, sign: bool = False) -> str:
    """Return a number with so many digits after its point; a dash when it is missing.

    >>> number(26432.4, 0), number(-0.0012, 4, sign=True), number(-0.0, 2, sign=True)
    ('26,432', '−0.0012', '+0.00')
    """
    if not isfinite(value):
        return "–"
    return f"{round(value, digits) + 0.0:{'+' if sign else ''},.{digits}f}".replace("-", "−")


def with_interval(
    value: float, low: float, high: float, digits: int | None = None, *, sign: bool = False
) -> str:
    """Return a number with its interval, with as many digits as this allows if none are given.

    >>> with_interval(0.00242, -0.00121, 0.0061, sign=True)
    '+0.0024 [−0.0012, +0.0061]'
    """
    digits = decimals((high - low) / 4) if digits is None else digits
    texts = [number(one, digits, sign=sign) for one in (value, low, high)]
    return "{} [{}, {}]".format(*texts)


def value_text(row: Any) -> str:
    """Return a metric with half its interval, from what has `value`, `low` and `high`."""
    half = (row.high - row.low) / 2
    digits = decimals(half / 2)
    return f"{number(row.value, digits)} ±{number(half, digits)}"


def difference_digits(row: Any) -> int:
    """Return the digits that the uncertainty of a row's difference allows, or of its value."""
    width = row.difference_high - row.difference_low
    return decimals(width / 4 if width else row.high - row.low)


def difference_text(row: Any) -> str:
    """Return a row's difference with its interval."""
    ends = row.difference_low, row.difference_high
    return with_interval(row.difference, *ends, difference_digits(row), sign=True)
