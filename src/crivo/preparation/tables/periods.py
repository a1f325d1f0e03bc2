"""Periods written as text, such as 2013Q1, 2013-W05 or Jan 2013: each is its first day."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

import pandas as pd

from crivo.preparation.tables.cells import MIN_PARSED_FRACTION

SEPARATOR = r"[-/ ]?"
QUARTER, WEEK, MONTH = r"(?P<quarter>[1-4])", r"(?P<week>\d{1,2})", r"(?P<month>\d{1,2})"
YEAR, NAME = r"(?P<year>\d{4})", r"(?P<name>[A-Za-z]{3,9})\.?"
FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        f"{YEAR}{SEPARATOR}Q{QUARTER}",
        f"Q{QUARTER}{SEPARATOR}{YEAR}",
        f"{QUARTER}Q{SEPARATOR}{YEAR}",
        f"{YEAR}{SEPARATOR}W{WEEK}",
        f"W{WEEK}{SEPARATOR}{YEAR}",
        f"{YEAR}{SEPARATOR}M{MONTH}",
        f"{YEAR}[-/]{MONTH}",
        f"{MONTH}[-/]{YEAR}",
        f"{YEAR}{SEPARATOR}{NAME}",
        f"{NAME}{SEPARATOR}{YEAR}",
    )
)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def period_starts(texts: pd.Series) -> pd.Series:
    """Return the first day of each period as ISO writes it; other texts as they are.

    >>> period_starts(pd.Series(["2013Q2", "2013-W01", "Feb 2013", "2013-05-06"])).tolist()
    ['2013-04-01', '2012-12-31', '2013-02-01', '2013-05-06']
    """
    return texts.map(lambda text: _first_day(text) or text)


def are_periods(texts: pd.Series) -> bool:
    """Say whether nearly all of the texts are periods.

    >>> are_periods(pd.Series(["2013Q2", "2013Q3"])), are_periods(pd.Series(["Q2", "Q3"]))
    (True, False)
    """
    known = pd.Series(texts.dropna().unique(), dtype="str")
    return len(known) > 0 and bool(
        known.map(lambda text: _first_day(text) is not None).mean() >= MIN_PARSED_FRACTION
    )


def _first_day(text: str) -> str | None:
    for form in FORMS:
        if found := form.fullmatch(text.strip()):
            parts = found.groupdict()
            year = int(parts.pop("year"))
            ((kind, value),) = parts.items()
            try:
                return FIRST_DAYS[kind](year, value).isoformat()
            except ValueError:
                return None
    return None


def _of_name(year: int, name: str) -> date:
    return date(year, MONTHS.index(name[:3].lower()) + 1, 1)


FIRST_DAYS: dict[str, Callable[[int, str], date]] = {
    "quarter": lambda year, quarter: date(year, 3 * int(quarter) - 2, 1),
    "week": lambda year, week: date.fromisocalendar(year, int(week), 1),
    "month": lambda year, month: date(year, int(month), 1),
    "name": _of_name,
}
