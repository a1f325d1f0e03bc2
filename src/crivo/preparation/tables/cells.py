"""How people write numbers and dates: currency and % signs, decimal commas, days before months.

`columns` decides with it what a column is: a number or a date when nearly all of its different
values can be read as one.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError

# Nearly all of the different values.
MIN_PARSED_FRACTION = 0.95
SAMPLE = 500

CURRENCY = r"R\$|US\$|[$€£¥₹]|USD|EUR|GBP|BRL|CHF|JPY"
# Sign, currency, sign, number, and currency or %.
AMOUNT = rf"^([+-]?)\s*({CURRENCY})?\s*([+-]?)(\d[\d.,]*|[.,]\d+)\s*({CURRENCY}|%)?$"

# By the decimal mark; the other mark may separate thousands.
NUMBER = {
    mark: rf"[+-]?(?:(?:[1-9]\d{{0,2}}(?:[{group}]\d{{3}})+|\d+)(?:[{mark}]\d*)?|[{mark}]\d+)"
    r"(?:[eE][+-]?\d+)?"
    for mark, group in (".,", ",.")
}

OFFSET = r":\d\d(?:\.\d+)?\s*(?:Z|[+-]\d\d:?\d\d)$"
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
TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p")
SWAP = str.maketrans("md", "dm")


def mostly(fits: pd.Series) -> bool:
    """Say whether so many values fit a type that the column has it."""
    return bool(fits.mean() >= MIN_PARSED_FRACTION)


def sample_of(texts: pd.Series) -> pd.Series:
    """Return some of the values, evenly from their sorted order; the rows' order doesn't matter."""
    order = texts.sort_values()
    places = np.linspace(0, len(order) - 1, min(SAMPLE, len(order))).astype(int)
    return order.iloc[places].reset_index(drop=True)


def read_numbers(texts: pd.Series, decimal: str) -> tuple[pd.Series, str]:
    """Return texts as numbers, missing where they are none, and the currency or % sign they have.

    Percentages become fractions. Amounts in two currencies are no numbers: they can't be added up.

    >>> numbers, sign = read_numbers(pd.Series(["$1,234.50", "-$2", "3"]), ".")
    >>> numbers.tolist(), sign
    ([1234.5, -2.0, 3.0], '$')
    """
    plain, sign = _without_sign(texts)
    group = "." if decimal == "," else ","
    python = plain.str.replace(group, "", regex=False).str.replace(decimal, ".", regex=False)
    python = python.where(plain.str.fullmatch(NUMBER[decimal]), plain)
    numbers = pd.to_numeric(python, errors="coerce").astype("float64")
    return numbers.mask(texts.str.endswith("%"), numbers / 100), sign


def _without_sign(texts: pd.Series) -> tuple[pd.Series, str]:
    """Return amounts without currency or % sign, and the sign; as they are if signs differ."""
    parts = texts.str.extract(AMOUNT).fillna("")
    signs = {*parts[1], *parts[4]} - {""}
    if len(signs) != 1:
        return texts, ""
    plain = parts[0] + parts[2] + parts[3]
    return plain.mask(plain == "", texts), signs.pop()


def with_marks(texts: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Return the numbers that need a decimal point, and those that need a decimal comma.

    Where three places follow, the mark may separate thousands. None if most texts are no numbers.

    >>> [list(numbers) for numbers in with_marks(pd.Series(["1,234.5", "1,234", "2,5"]))]
    [['1,234.5'], ['2,5']]
    """
    plain, _ = _without_sign(texts)
    point, comma = (plain.str.fullmatch(NUMBER[mark]) for mark in ".,")
    if not mostly(point | comma):
        return texts[:0], texts[:0]
    return texts[point & ~comma], texts[comma & ~point]


def require_one_mark(texts: pd.Series) -> None:
    """Raise CrivoError when different values are numbers, some as 1.5 and others as 1,5."""
    if not texts.str.contains(",", regex=False).any():
        return
    point, comma = with_marks(texts)
    if len(point) and len(comma):
        raise CrivoError(
            f"Column {texts.name!r} has decimal points and decimal commas (such as {point.min()!r} "
            f"and {comma.min()!r}), so its numbers are ambiguous; write all of them in one way, or "
            "leave the column out (datasets.table.drop, `crivo start --drop`)."
        )


def date_form(texts: pd.Series, day_first: bool | None = None) -> tuple[str, bool]:
    """Return the form of dates that fits most texts, and whether no other order of days does.

    Of two forms that fit as many, it is the one with the month before the day. `day_first`:
    whether days come before months; None for what suits the texts.
    """
    some = sample_of(texts)
    if mostly(read_dates(some, ISO).notna()):
        return ISO, True
    days = {None: MONTH_FIRST + DAY_FIRST, True: DAY_FIRST, False: MONTH_FIRST}[day_first]
    forms = [ISO, *(day + time for day in days + CLEAR for time in TIMES), *MONTHS]
    fits = {form: int(read_dates(some, form).notna().sum()) for form in forms}
    best = max(forms, key=lambda form: fits[form])  # the first of the best
    swapped = best.translate(SWAP)
    return best, best == swapped or fits.get(swapped) != fits[best]


def read_dates(texts: pd.Series, form: str) -> pd.Series:
    """Return texts of a form as dates, missing where they are none; in UTC if some have an offset.

    >>> read_dates(pd.Series(["13/04/2020", "soon"]), "%d/%m/%Y").isna().tolist()
    [False, True]
    """
    dates = pd.to_datetime(texts, format=form, errors="coerce", utc=True)
    return dates if texts.str.contains(OFFSET).any() else dates.dt.tz_localize(None)
