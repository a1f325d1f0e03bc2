"""Reads cells as people write them: $1,234.50 is 1234.5, 12% is 0.12, and 1,5 may be 1.5.

Dates are written in one of many forms. A column has a type, such as number or date, when nearly
all of its different values can be read as one.
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
AMOUNT = re.compile(
    rf"(?P<sign>[+-]?)\s*(?P<before>{CURRENCY})?\s*(?P<inner>[+-]?)(?P<number>\d[\d.,]*|[.,]\d+)"
    rf"\s*(?P<after>{CURRENCY}|%)?"
)
EXAMPLE = "12%"

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


def has_control_characters(texts: pd.Series) -> bool:
    """Say whether any text holds what no report can show."""
    return bool(texts.str.contains(CONTROL, na=False).any())


def without_control_characters(texts: pd.Series) -> pd.Series:
    """Return the texts without such characters.

    >>> without_control_characters(pd.Series(["bell\\x07"])).tolist()
    ['bell']
    """
    return texts.str.replace(CONTROL, "", regex=True).str.strip()


def fits(converted: pd.Series) -> bool:
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
    nothing = pd.Series(False, index=texts.index)
    found = [AMOUNT.fullmatch(text) for text in texts]
    marks = {mark for one in found if one for mark in one.group("before", "after") if mark}
    if len(marks) != 1 or sum(one is not None for one in found) < share * len(texts):
        return texts, nothing, ""
    plain = [
        text if one is None else "".join(one.group("sign", "inner", "number"))
        for text, one in zip(texts, found, strict=True)
    ]
    (mark,) = marks
    percent = nothing if mark != "%" else texts.str.endswith("%")
    return pd.Series(plain, index=texts.index, dtype="str", name=texts.name), percent, mark


def require_one_mark(texts: pd.Series) -> None:
    """Raise CrivoError when different values are numbers, some as 1.5 and others as 1,5.

    >>> require_one_mark(pd.Series(["1,234.5", "1,234", "2.5"]))
    """
    if not (
        texts.str.contains(",", regex=False).any() and texts.str.contains(".", regex=False).any()
    ):
        return
    plain = plain_amounts(texts)[0]
    if plain.str.fullmatch(r"[+-]?[\d.,]*\d").mean() < MIN_PARSED_FRACTION:
        return
    point, comma = (texts[plain.str.fullmatch(one)] for one in WITH_DECIMALS.values())
    if len(point) and len(comma):
        raise CrivoError(
            f"Column {texts.name!r} has decimal points and decimal commas (such as "
            f"{point.min()!r} and {comma.min()!r}), so its numbers can't be told from one another; "
            "write all in one way, or leave the column out (datasets.table.drop, "
            "`crivo start --drop`)."
        )


def amount_note(name: object, mark: str) -> str:
    """Say how the amounts of a column are read."""
    if mark == "%":
        return f"{name}: percentages are read as fractions, {EXAMPLE} as 0.12"
    return f"{name}: amounts in {mark} are read as numbers"


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
