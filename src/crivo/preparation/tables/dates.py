"""Reads dates that are written in one of many forms."""

from __future__ import annotations

import re

import pandas as pd

from crivo.preparation.tables.cells import MIN_PARSED_FRACTION, fits, sample_of

OFFSET = re.compile(r":\d\d(?:\.\d+)?\s*(?:Z|[+-]\d\d:?\d\d)$")

# Years outside of these are numbers of houses and the like.
YEARS = (1700, 2200)

ISO = "ISO8601"
MONTH_FIRST = ("%m/%d/%Y", "%m-%d-%Y", "%m/%d/%y")
DAY_FIRST = ("%d/%m/%Y", "%d-%m-%Y", "%d.%m.%Y", "%d/%m/%y", "%d.%m.%y")
CLEAR = (
    "%Y/%m/%d", "%Y.%m.%d", "%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%d %B %Y", "%b %d, %Y",
    "%B %d, %Y", "%b %d %Y",
)  # fmt: skip
MONTHS = (
    "%Y-%m", "%Y/%m", "%m/%Y", "%m-%Y", "%b %Y", "%b-%Y", "%B %Y", "%B-%Y", "%Y %b", "%Y-%b",
)  # fmt: skip
MONTH = re.compile(r"\d{4}[-/]\d{1,2}|\d{1,2}[-/]\d{4}|[A-Za-z]{3,9}[- ]\d{4}|\d{4}[- ][A-Za-z]{3}")
TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p")


def read_dates(texts: pd.Series, day_first: bool | None) -> tuple[pd.Series, str]:
    """Return texts as dates, and their form where days and months can't be told apart.

    `day_first`: whether days come before months; None for what suits most texts.
    """
    utc = bool(sample_of(texts).str.contains(OFFSET).any())
    form, sure = _form(texts, day_first, utc)
    return _parsed(texts, form, utc), "" if sure else form


def day_comes_first(texts: pd.Series) -> bool | None:
    """Return whether days come before months in dates such as 13/04/2013; None for other forms."""
    utc = bool(sample_of(texts).str.contains(OFFSET).any())
    form = _form(texts, None, utc)[0]
    return form[1] == "d" if form[2:3] in ("/", "-") and form[3:5] in ("%m", "%d") else None


def are_months(texts: pd.Series) -> bool:
    """Say whether nearly all of the texts are months, such as 2013-01, 01/2013 or Jan 2013."""
    known = pd.Series(texts.dropna().unique(), dtype="str")
    return len(known) > 0 and bool(known.str.fullmatch(MONTH).mean() >= MIN_PARSED_FRACTION)


def likely(dates: pd.Series) -> pd.Series:
    """Return dates without those of years that no table is about."""
    return dates.where(dates.dt.year.between(*YEARS))


def _form(texts: pd.Series, day_first: bool | None, utc: bool) -> tuple[str, bool]:
    """Return the form that fits most dates, month before day where both do, and if it is sure."""
    some = sample_of(texts)
    if fits(_parsed(some, ISO, utc)):
        return ISO, True
    ambiguous = {None: MONTH_FIRST + DAY_FIRST, True: DAY_FIRST, False: MONTH_FIRST}
    days = ambiguous[day_first] + CLEAR
    forms = [ISO, *(day + time for day in days for time in TIMES), *MONTHS]
    shares = {form: _parsed(some, form, utc).notna().mean() for form in forms}
    best = max(forms, key=lambda form: shares[form])  # the first of the best
    swapped = best.replace("%m", "%D").replace("%d", "%m").replace("%D", "%d")
    clear = day_first is not None or best == swapped or shares.get(swapped) != shares[best]
    # Of texts that are no dates, such as addresses, there is nothing to be unsure of.
    return best, clear or not fits(_parsed(some, best, utc))


def _parsed(texts: pd.Series, form: str, utc: bool) -> pd.Series:
    return pd.to_datetime(texts, format=form, errors="coerce", utc=utc)
