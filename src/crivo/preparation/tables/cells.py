"""Reads the text of cells: currency and % signs, decimal commas, dates; `columns` decides a type.

A column has a type, such as number or date, when nearly all of its different values can be read
as one.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError

# Nearly all of the different values.
MIN_PARSED_FRACTION = 0.95
SAMPLE = 500

CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
# What a cell of a Parquet file may hold.
INSIDE = (list, tuple, set, dict, np.ndarray)

CURRENCY = r"R\$|US\$|[$€£¥₹]|USD|EUR|GBP|BRL|CHF|JPY"
AMOUNT = (
    rf"(?P<sign>[+-]?)\s*(?P<before>{CURRENCY})?\s*(?P<inner>[+-]?)(?P<number>\d[\d.,]*|[.,]\d+)"
    rf"\s*(?P<after>{CURRENCY}|%)?"
)

# Numbers in which a mark stands before decimals, and can't separate thousands: three places may.
WITH_DECIMALS = {
    mark: re.compile(
        rf"[+-]?(?:\d*[{mark}](?:\d\d?|\d{{4,}})|0?[{mark}]\d+"
        rf"|[1-9]\d{{0,2}}(?:[{group}]\d{{3}})+[{mark}]\d+)"
    )
    for mark, group in (".,", ",.")
}

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


def require_single_values(values: pd.Series) -> None:
    """Raise CrivoError where a cell holds a list or a record, as Parquet files can."""
    if values.dtype != object:
        return
    inside = values[values.map(lambda cell: isinstance(cell, INSIDE))]
    if len(inside):
        what = "records" if isinstance(inside.iloc[0], dict) else "lists"
        raise CrivoError(
            f"Column {values.name!r} holds {what} (such as {str(inside.iloc[0])[:40]}), which "
            "aren't single values; spread them over columns, or leave it out (datasets.table.drop, "
            "`crivo start --drop`)."
        )


def without_control_characters(texts: pd.Series) -> pd.Series:
    """Return the texts without characters that no report can show; the same ones if none has any.

    >>> without_control_characters(pd.Series(["bell\\x07"])).tolist()
    ['bell']
    """
    if not texts.str.contains(CONTROL, na=False).any():
        return texts
    return texts.str.replace(CONTROL, "", regex=True).str.strip()


def mostly_converted(converted: pd.Series) -> bool:
    """Whether so many values could be converted that the column has this type."""
    return bool(converted.notna().mean() >= MIN_PARSED_FRACTION)


def sample_of(texts: pd.Series) -> pd.Series:
    """Return some of the values, evenly from their sorted order; the rows' order doesn't matter."""
    order = texts.sort_values()
    places = np.linspace(0, len(order) - 1, min(SAMPLE, len(order))).astype(int)
    return order.iloc[places].reset_index(drop=True)


def plain_amounts(
    texts: pd.Series, share: float = MIN_PARSED_FRACTION
) -> tuple[pd.Series, pd.Series, str]:
    """Return amounts without their marks, which of them were percentages, and what was taken off.

    Texts that aren't amounts stay as they are, and so does everything where less than the share
    is, or where there are two currencies: those can't be added up.

    >>> plain, percent, marks = plain_amounts(pd.Series(["$1,234.50", "-$2"]))
    >>> plain.tolist(), marks
    (['1,234.50', '-2'], '$')
    """
    parts = texts.str.extract(f"^(?:{AMOUNT})$").fillna("")
    found = parts["number"] != ""
    marks = {*parts["before"], *parts["after"]} - {""}
    if len(marks) != 1 or found.mean() < share:
        return texts, pd.Series(False, index=texts.index), ""
    plain = (parts["sign"] + parts["inner"] + parts["number"]).where(found, texts)
    plain.name = texts.name
    return plain, parts["after"] == "%", marks.pop()


def with_decimals(texts: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Return the numbers with a decimal point, and those with a comma; none if most are no numbers.

    >>> [list(numbers) for numbers in with_decimals(pd.Series(["1,234.5", "1,234", "2,5"]))]
    [['1,234.5'], ['2,5']]
    """
    plain = plain_amounts(texts)[0]
    if not plain.str.fullmatch(r"[+-]?[\d.,]*\d").mean() >= MIN_PARSED_FRACTION:
        return texts[:0], texts[:0]
    point, comma = (texts[plain.str.fullmatch(one)] for one in WITH_DECIMALS.values())
    return point, comma


def require_one_separator(texts: pd.Series) -> None:
    """Raise CrivoError when different values are numbers, some as 1.5 and others as 1,5."""
    if not texts.str.contains(",", regex=False).any():
        return
    point, comma = with_decimals(texts)
    if len(point) and len(comma):
        raise CrivoError(
            f"Column {texts.name!r} has decimal points and decimal commas (such as {point.min()!r} "
            f"and {comma.min()!r}), so its numbers are ambiguous; write all of them in one way, or "
            "leave the column out (datasets.table.drop, `crivo start --drop`)."
        )


def read_dates(texts: pd.Series, day_first: bool | None) -> tuple[pd.Series, str]:
    """Return texts as dates, and their form where days and months can't be told apart.

    `day_first`: whether days come before months; None for what suits most texts.
    """
    utc, form, sure = _form(texts, day_first)
    return _parsed(texts, form, utc), "" if sure else form


def day_comes_first(texts: pd.Series) -> bool | None:
    """Return whether days come before months in dates such as 13/04/2013; None for other forms."""
    _, form, _ = _form(texts)
    return form[1] == "d" if form[2:5] in ("/%m", "-%m", "/%d", "-%d") else None


def are_months(texts: pd.Series) -> bool:
    """Say whether nearly all of the texts are months, such as 2013-01, 01/2013 or Jan 2013."""
    known = pd.Series(texts.dropna().unique(), dtype="str")
    return len(known) > 0 and bool(known.str.fullmatch(MONTH).mean() >= MIN_PARSED_FRACTION)


def in_plausible_years(dates: pd.Series) -> pd.Series:
    """Return dates without those of years that no table is about."""
    return dates.where(dates.dt.year.between(*YEARS))


def _form(texts: pd.Series, day_first: bool | None = None) -> tuple[bool, str, bool]:
    """Return whether dates have an offset, the form that fits most, and whether it is sure.

    Of two forms that fit as many, it is the one with the month before the day.
    """
    some = sample_of(texts)
    utc = bool(some.str.contains(OFFSET).any())
    if mostly_converted(_parsed(some, ISO, utc)):
        return utc, ISO, True
    ambiguous = {None: MONTH_FIRST + DAY_FIRST, True: DAY_FIRST, False: MONTH_FIRST}
    days = ambiguous[day_first] + CLEAR
    forms = [ISO, *(day + time for day in days for time in TIMES), *MONTHS]
    shares = {form: _parsed(some, form, utc).notna().mean() for form in forms}
    best = max(forms, key=lambda form: shares[form])  # the first of the best
    swapped = best.replace("%m", "%D").replace("%d", "%m").replace("%D", "%d")
    clear = day_first is not None or best == swapped or shares.get(swapped) != shares[best]
    # Of texts that are no dates, such as addresses, there is nothing to be unsure of.
    return utc, best, clear or not mostly_converted(_parsed(some, best, utc))


def _parsed(texts: pd.Series, form: str, utc: bool) -> pd.Series:
    return pd.to_datetime(texts, format=form, errors="coerce", utc=utc)
