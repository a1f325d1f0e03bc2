"""Formats numbers for the report, with as many digits as their intervals bear."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

import pandas as pd

from crivo.core.wording import four_digits

MAX_DIGITS = 7


def number(value: Any, digits: int | None = None, *, sign: bool = False) -> str:
    """Return a number with so many digits after its point; four significant ones by default.

    `sign`: a difference, which says when it is above 0.

    >>> number(0.5), number(-15234.7), number(float("nan")), number(1803.5, -1)
    ('0.5000', '−15,235', 'not defined', '1,800')
    """
    if pd.isna(value):
        return "not defined"
    plus = "+z" if sign else "z"
    if digits is None:
        text = four_digits(value, plus)
    elif digits > MAX_DIGITS or abs(value) >= 1e15:
        text = format(float(value), f"{plus}.3g")
    else:
        text = format(float(round(value, digits)), f"{plus},.{max(digits, 0)}f")
    return text.replace("-", "−")


def digits_of(low: float, high: float) -> int | None:
    """Return how many digits after the point an interval bears: about a hundredth of its width.

    Below 0 for whole tens or hundreds; None where there is no interval or it has no width.

    >>> digits_of(0.687, 0.794), digits_of(580, 3027), digits_of(1.0, 1.0)
    (3, -1, None)
    """
    width = float(high) - float(low)
    if not (math.isfinite(width) and width > 0) or math.isclose(low, high, rel_tol=1e-9):
        return None
    return 2 - math.floor(math.log10(width) + 0.5)


def interval(row: Any, digits: int | None = None, *, sign: bool = False) -> str:
    """Return the two ends in brackets, or nothing where there is no interval with a width."""
    low, high = row["low"], row["high"]
    if pd.isna(low) or pd.isna(high) or math.isclose(low, high, rel_tol=1e-9):
        return ""
    return f"[{number(low, digits, sign=sign)}, {number(high, digits, sign=sign)}]"


def with_interval(row: Any, digits: int | None = None, *, sign: bool = False) -> str:
    """Return a row's value and its interval, by default with the digits that the interval bears.

    >>> with_interval({"value": 0.74446, "low": 0.68715, "high": 0.7944})
    '0.744 [0.687, 0.794]'
    """
    digits = digits_of(row["low"], row["high"]) if digits is None else digits
    return f"{number(row['value'], digits, sign=sign)} {interval(row, digits, sign=sign)}".strip()


def with_intervals(table: pd.DataFrame, name: str, *, sign: bool = False) -> list[str]:
    """Return a column's numbers and their intervals, with the digits of the median interval."""
    rows = [with_ends(row, name) for row in table.to_dict("records")]
    widths = [row["high"] - row["low"] for row in rows if row["high"] > row["low"]]
    digits = digits_of(0.0, median(widths)) if widths else None
    return ["" if pd.isna(row["value"]) else with_interval(row, digits, sign=sign) for row in rows]


def same_digits(numbers: Sequence[float], *, raw: bool = False) -> list[str]:
    """Return a column's numbers without intervals, with three digits of the largest.

    `raw`: of the data, with four digits; whole ones may be identifiers and get no separators.

    >>> same_digits([1530.0, 700.0], raw=True), same_digits([16616.52, 7.0, 0.05])
    (['1530', '700'], ['16,617', '7', '0'])
    """
    known = [abs(float(value)) for value in numbers if math.isfinite(value)]
    whole, largest = all(value.is_integer() for value in known), max(known, default=0.0)
    digits = 0 if whole else max(0, 2 + raw - math.floor(math.log10(largest)))
    texts = ["" if pd.isna(value) else number(value, digits) for value in numbers]
    return [text.replace(",", "") for text in texts] if raw and whole else texts


def with_ends(row: Mapping[Any, Any], name: str) -> dict[str, Any]:
    """Return a number that stands under its name, with the ends of its interval."""
    return {"value": row[name], "low": row[f"{name}_low"], "high": row[f"{name}_high"]}


def brief(value: Any) -> str:
    """Return a number in three significant digits, or whole; nothing where it is missing.

    A text stays as it is.

    >>> brief(0.00698423), brief(-50), brief(16616.5)
    ('0.00698', '−50', '16,616')
    """
    if isinstance(value, str) or pd.isna(value):
        return value if isinstance(value, str) else ""
    return number(value, 0) if abs(value) >= 1000 else f"{value:.3g}".replace("-", "−")


def cell(value: Any, *, raw: bool = False) -> str:
    """Return a table's value: short numbers, nothing for what is missing.

    `raw`: of the data, where a whole number may be an identifier and has no separators.
    """
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ""
    if isinstance(value, pd.Timestamp):
        return value.strftime("%Y-%m-%d %H:%M").removesuffix(" 00:00")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return brief(value) if is_number and not (raw and isinstance(value, int)) else str(value)


def out_of(*shares: float, rest: Iterable[float] = ()) -> int:
    """Return of how many rows to speak: a hundred, or more where the shares are small.

    `rest`: what shares lack of all rows, which must be seen too.

    >>> out_of(0.55, 0.16), out_of(0.042, 0.003), out_of(0.999, rest=(0.001, 0.003))
    (100, 1000, 1000)
    """
    known = [*shares, *(4 * one for one in rest)]
    least = min((share for share in known if share > 1e-6), default=1.0)
    return next((size for size in (100, 1000, 10_000) if least * size >= 2), 100_000)
