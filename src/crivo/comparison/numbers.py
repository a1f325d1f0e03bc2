"""Numbers as a reader wants them: as many digits as their uncertainty allows."""

from __future__ import annotations

from datetime import UTC, datetime
from math import floor, isfinite, log10

MINUTE, HOUR, DAY = 60, 3600, 86400


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

    >>> number(0.7172, 3), number(-0.0012, 4, sign=True), number(0.0, 2, sign=True)
    ('0.717', '-0.0012', '+0.00')
    """
    if not isfinite(value):
        return "–"
    text = f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
    if text.startswith("-") and not float(text):
        text = text.replace("-", "+" if sign else "")
    return text


def percent(share: float) -> str:
    """Return a share in percent with two digits that count.

    >>> percent(0.0146), percent(0.0004), percent(0.0)
    ('1.5 %', '0.040 %', '0 %')
    """
    return f"{number(100 * share, decimals(100 * share))} %" if share > 0 else "0 %"


def bracket(low: float, high: float, digits: int, *, sign: bool = False) -> str:
    """Return an interval: `[-0.0012, +0.0061]`."""
    return f"[{number(low, digits, sign=sign)}, {number(high, digits, sign=sign)}]"


def age(when: datetime, now: datetime | None = None) -> str:
    """Return how long ago something was, roughly.

    >>> age(datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 3, 5, tzinfo=UTC))
    '2 d'
    """
    seconds = ((now or datetime.now(UTC)) - when).total_seconds()
    for unit, name in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min")):
        if seconds >= unit:
            return f"{int(seconds // unit)} {name}"
    return "now"
