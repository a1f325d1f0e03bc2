"""Guesses a column's type, and reads its cells: number, boolean, date, category or text.

A column is what nearly all of its different values are; what doesn't fit counts as missing, and the
log says so. Numbers may have a currency or % sign and a decimal comma, and dates may have days
before months. Nothing depends on the order of the rows. The cells of rows to be scored are read
here, too: their type is known, and what doesn't fit is refused.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from pandas.api.types import (
    is_bool_dtype,
    is_datetime64_any_dtype,
    is_float,
    is_numeric_dtype,
)

from crivo.core.errors import CrivoError
from crivo.core.inputs import as_text
from crivo.core.layout import a_few
from crivo.core.schema import Schema, Type

log = logging.getLogger("crivo.table")

# What counts as missing in every table; settings add to it.
MISSING = (
    "", "NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "-nan", "null", "NULL", "None", "NaT",
)  # fmt: skip

YES_NO = (("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"))
WORDS = {"0": False, "1": True} | {word: bool(i) for pair in YES_NO for i, word in enumerate(pair)}

# More different values than this, of this many words on average, are text to be read.
TEXT_LEVELS = 100
TEXT_WORDS = 3.0
# Integers beyond this can't be told apart as floats.
EXACT = 2**53

# Nearly all of the different values.
MIN_PARSED_FRACTION = 0.95
SAMPLE = 500

CURRENCY = r"R\$|US\$|[$€£¥₹]|USD|EUR|GBP|BRL|CHF|JPY"
# What stands before or after the digits of an amount.
AROUND = rf"^([+-]?)\s*(?:{CURRENCY})?\s*|\s*(?:{CURRENCY}|%)$"
# By the decimal mark; the other mark may separate thousands.
NUMBER = {
    mark: rf"[+-]?(?:(?:(?:[1-9]\d{{0,2}}(?:[{group}]\d{{3}})+|\d+)(?:[{mark}]\d*)?|[{mark}]\d+)"
    r"(?:[eE][+-]?\d+)?|(?i:inf(?:inity)?))"
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
DAY_AND_MONTH = r"^(\d\d?)[-/](\d\d?)[-/]\d\d"

CODE = r"0\d+"
# A number and two marks, a year from 1700 on, or 20130105T1200; other texts aren't tried as dates.
DATE_LIKE = r"\d[-/. ]\w+[-/., ]|\b(?:1[7-9]|2[01])\d\d(?:\b|\d{4}[T ]\d)"
# What a cell of a Parquet file may hold, and no column of a table.
INSIDE = (list, tuple, set, dict, np.ndarray, bytes)


@dataclass(frozen=True)
class Reading:
    """How cells are read: which mean missing, the decimal mark, and whether days come first.

    `day_first` None: whatever suits the column's values. `strict`: a cell that isn't of its
    column's type is refused, and doesn't count as missing.
    """

    missing: frozenset[str] = frozenset(MISSING)
    decimal: str | None = None
    day_first: bool | None = None
    strict: bool = False

    def of(self, table: pd.DataFrame) -> Reading:
        """Return it with what isn't set, as the columns of a table speak for it.

        The decimal mark is `,` if more columns hold numbers like 1,5 than like 1.5. Days come first
        if some dates are like 13/04/2020 and none like 04/13/2020.

        >>> Reading().of(pd.DataFrame({"a": ["1,5", "12,25"], "b": ["3", "4"]})).decimal
        ','
        """
        texts = [sample_of(different(one)) for _, one in table.items() if is_text(one)]
        marks = [mark for one in texts for mark in decimal_marks(one)]
        decimal = self.decimal or ("," if marks.count(",") > marks.count(".") else ".")
        dates = [one.str.extract(DAY_AND_MONTH).astype("float64") for one in texts]
        days = [found.gt(12).any() for found in dates if mostly(found[0].notna())]
        first, second = (any(day[place] for day in days) for place in (0, 1))
        day_first = True if self.day_first is None and first and not second else self.day_first
        return replace(self, decimal=decimal, day_first=day_first)


ANY = Reading()


def typed(values: pd.Series, reading: Reading, kind: Type | None = None) -> pd.Series:
    """Return a column's values in the type they have, or in the type asked for.

    Numbers are integers or floats, dates datetimes, categories and texts stripped text. What
    was read in a debatable way is logged. CrivoError: most values aren't of the type, or one isn't
    and the reading is strict.

    >>> typed(pd.Series([" 1", "2,5", "?"]), Reading(frozenset("?"), decimal=",")).tolist()
    [1.0, 2.5, nan]
    """
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(values.dtype.categories.dtype)
    values = values.infer_objects()
    known = "text" if is_text(values) else type_of(values)
    if known in ("number", "boolean", "date") and kind in (None, known):
        return _whole(values.astype("float64"), reading) if known == "number" else values
    if values.dtype == object and reading.decimal == ",":  # of numbers, `str` writes a point
        values = values.map(lambda cell: str(cell).replace(".", ",") if is_float(cell) else cell)
    if values.dtype == object and values.map(lambda cell: isinstance(cell, INSIDE)).any():
        raise CrivoError(
            f"Column {values.name!r} holds lists, records or bytes, which aren't single values; "
            "spread them over columns, or leave it out (datasets.table.drop, `crivo start --drop`)."
        )
    # Work on each different value once.
    codes, levels = pd.factorize(clean(values, reading.missing))
    texts = pd.Series(levels, dtype="str", name=values.name)
    kind, converted = as_type(texts, reading, kind)
    lost = texts[converted.isna()].sort_values()
    if len(lost):
        row = int(np.isin(codes, lost.index).argmax()) + 1
        _tell_lost(texts, lost, kind, row, strict=reading.strict)
    everywhere = converted.reindex(codes).set_axis(values.index)
    everywhere.name = values.name
    if kind == "boolean" and everywhere.notna().all():
        return everywhere.astype("bool")
    return _whole(everywhere, reading) if kind == "number" else everywhere


def read_features(raw: pd.DataFrame, schema: Schema, reading: Reading = ANY) -> pd.DataFrame:
    """Return the columns of raw rows that the schema has, but for the target, in their types.

    A decimal mark that isn't set is guessed from the rows. CrivoError: a cell is not of its
    column's type.
    """
    kinds = {column.name: column.type for column in schema.columns if column.role != "target"}
    names = [str(name) for name in raw if name in kinds]
    numbers = raw[[name for name in names if kinds[name] == "number"]]
    reading = replace(reading.of(numbers), strict=True)
    read = {name: typed(raw[name], reading, kinds[name]) for name in names}
    return pd.DataFrame(read, index=raw.index)


def as_type(texts: pd.Series, reading: Reading, kind: Type | None = None) -> tuple[Type, pd.Series]:
    """Return the type of different texts, asked for or guessed, and what they are in that type.

    Texts that are neither numbers nor dates nor yes and no are taken for categories.
    """
    if kind == "boolean" or (kind is None and set(texts.head(20).str.lower()) in map(set, YES_NO)):
        return "boolean", texts.str.lower().map(WORDS).astype("boolean")
    if kind == "number" or (kind is None and not texts.str.fullmatch(CODE).any()):
        numbers = _numbers(texts, reading)
        if kind or len(texts) == 0 or mostly(numbers.notna()):
            return "number", numbers
    if kind == "date" or (kind is None and mostly(sample_of(texts).str.contains(DATE_LIKE))):
        form, *others = date_forms(texts, reading.day_first)
        dates = _dates(texts, form)
        if kind or mostly(dates.notna()):
            if form.translate(SWAP) in others and not reading.strict:
                told = "%s: days and months can't be told apart; read as %s"
                log.warning(told, texts.name, form)
            return "date", dates
    return kind or "category", texts


def type_of(values: pd.Series) -> Type:
    """Return the type of a column that `typed` has given; text is sentences, not names of levels.

    >>> type_of(pd.Series([True, False]))
    'boolean'
    """
    if is_bool_dtype(values.dtype):
        return "boolean"
    if is_numeric_dtype(values.dtype):
        return "number"
    if is_datetime64_any_dtype(values.dtype):
        return "date"
    texts = pd.Series(values.dropna().unique(), dtype="str")
    words = sample_of(texts).str.count(" ") + 1
    return "text" if len(texts) >= TEXT_LEVELS and words.mean() >= TEXT_WORDS else "category"


def mostly(fits: pd.Series) -> bool:
    """Say whether so many values fit a type that the column has it."""
    return bool(fits.mean() >= MIN_PARSED_FRACTION)


def sample_of(texts: pd.Series) -> pd.Series:
    """Return some of the values, evenly from their sorted order; the rows' order doesn't matter."""
    order = texts.sort_values()
    places = np.linspace(0, len(order) - 1, min(SAMPLE, len(order))).astype(int)
    return order.iloc[places].reset_index(drop=True)


def is_text(values: pd.Series) -> bool:
    """Say whether a column holds text, or objects of several kinds."""
    return isinstance(values.dtype, pd.StringDtype) or values.dtype == object


def clean(values: pd.Series, missing: frozenset[str] = frozenset(MISSING)) -> pd.Series:
    """Return text without padding, and missing where it says so."""
    text = as_text(values).str.strip()
    return text.mask(text.isin(missing))


def different(values: pd.Series, missing: frozenset[str] = frozenset(MISSING)) -> pd.Series:
    """Return each clean text of a column once, but for those that mean missing."""
    return pd.Series(clean(values, missing).dropna().unique(), dtype="str", name=values.name)


def decimal_marks(texts: pd.Series) -> dict[str, str]:
    """Return the decimal marks that are sure, each with a number; none if most texts are no number.

    Where three places follow, the mark may separate thousands.

    >>> decimal_marks(pd.Series(["1,234.5", "1,234", "2,5"]))
    {'.': '1,234.5', ',': '2,5'}
    """
    fits = _by_mark(texts).notna()
    if not mostly(fits.any(axis="columns")):
        return {}
    sure = {mark: texts[fits[mark] & ~fits[other]] for mark, other in (".,", ",.")}
    return {mark: some.min() for mark, some in sure.items() if len(some)}


def _by_mark(texts: pd.Series) -> pd.DataFrame:
    """Return texts as numbers with a decimal point, and with a comma; missing where they are none.

    Percentages become fractions. Amounts in two currencies are no numbers: they can't be added up.
    """
    signs = texts.str.replace(r"[\s\d.,+-]", "", regex=True)
    signs = signs[signs.str.fullmatch(f"(?:{CURRENCY}|%)")]
    plain = texts.str.replace(AROUND, r"\1", regex=True) if signs.nunique() == 1 else texts
    found = {}
    for mark, group in (".,", ",."):
        numbers = plain.where(plain.str.fullmatch(NUMBER[mark]))
        numbers = numbers.str.replace(group, "", regex=False).str.replace(mark, ".", regex=False)
        found[mark] = pd.to_numeric(numbers, errors="coerce").astype("float64")
    return pd.DataFrame(found).mask(texts.str.endswith("%"), lambda numbers: numbers / 100)


def _numbers(texts: pd.Series, reading: Reading) -> pd.Series:
    """Return texts as numbers, missing where they are none.

    CrivoError: some have another decimal mark than others or, in a number like 1.234, may have.
    """
    marks, numbers = decimal_marks(texts), _by_mark(texts)
    mark = reading.decimal or next(iter(marks), ".")
    unclear = texts[numbers.notna().all(axis="columns") & (numbers["."] != numbers[","])]
    if set(marks) - {mark} and (len(marks) > 1 or len(unclear)):
        one, two = [*marks.values(), unclear.min()][:2]
        raise CrivoError(
            f"Column {texts.name!r} has unclear decimal marks (such as {one!r} and {two!r}); write "
            "all in one way, or leave the column out (datasets.table.drop, `crivo start --drop`)."
        )
    without_thousands = numbers["."].mask(texts.str.contains(",", regex=False))
    return numbers[mark].fillna(without_thousands)


def _whole(numbers: pd.Series, reading: Reading) -> pd.Series:
    """Return numbers without those that mean missing (-999), as integers if whole without gaps."""
    cells = pd.Series(sorted(reading.missing), dtype="str")
    known = numbers.mask(numbers.isin(pd.to_numeric(cells, errors="coerce").dropna()))
    whole = (np.floor(known) == known) & (known.abs() < EXACT)
    return known.astype("int64") if len(known) and whole.all() else known


def date_forms(texts: pd.Series, day_first: bool | None = None) -> list[str]:
    """Return the forms of dates that fit most texts; those with the month before the day first.

    `day_first`: whether days come before months; None for what suits the texts.
    """
    some = sample_of(texts)
    if mostly(_dates(some, ISO).notna()):
        return [ISO]
    days = {None: MONTH_FIRST + DAY_FIRST, True: DAY_FIRST, False: MONTH_FIRST}[day_first]
    forms = [ISO, *(day + time for day in days + CLEAR for time in TIMES), *MONTHS]
    fits = [_dates(some, form).count() for form in forms]
    return [form for form, fit in zip(forms, fits, strict=True) if fit == max(fits)]


def _dates(texts: pd.Series, form: str) -> pd.Series:
    """Return texts of a form as dates, missing where they are none; in UTC if some have an offset.

    >>> _dates(pd.Series(["13/04/2020", "soon"]), "%d/%m/%Y").isna().tolist()
    [False, True]
    """
    dates = pd.to_datetime(texts, format=form, errors="coerce", utc=True)
    return dates if texts.str.contains(OFFSET).any() else dates.dt.tz_localize(None)


def _tell_lost(texts: pd.Series, lost: pd.Series, kind: Type, row: int, *, strict: bool) -> None:
    """Log the values that aren't of the type; CrivoError when they are the most, or none may be.

    `row`: the first that has one of them.
    """
    examples = a_few(map(repr, lost), 3)
    if strict or len(lost) > len(texts) / 2:
        raise CrivoError(
            f"Column {texts.name!r} can't be read as {kind}: {len(lost)} of its {len(texts)} "
            f"different values don't fit ({examples}; the first is in row {row}); correct them, "
            "leave them empty, or change the column's type (datasets.table.types)."
        )
    told = "%s: %s can't be read as %s and counts as missing"
    log.warning(told, texts.name, examples, kind)
