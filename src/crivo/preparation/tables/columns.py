"""Guesses a column's type, and reads its cells: number, boolean, date, category or text.

A column is what nearly all of its different values are; what doesn't fit counts as missing,
and a note says so. Numbers may have a currency or % sign and a decimal comma, and dates may have
days before months. Nothing depends on the order of the rows. The cells of rows to be scored are
read here, too: their type is known, and what doesn't fit is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

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
from crivo.core.schema import Schema, Type

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

CODE = r"0\d+"
# A number and two marks, a year, or 20130105T1200; other texts needn't be tried as dates.
DATE_LIKE = r"\d[-/. ]\w+[-/., ]|\b[12]\d{3}(?:\b|\d{4}[T ]\d)"
# Years outside of these are numbers of houses and the like.
YEARS = (1700, 2200)
# What a cell of a Parquet file may hold, and no column of a table.
INSIDE = (list, tuple, set, dict, np.ndarray, bytes)


@dataclass(frozen=True)
class Reading:
    """How cells are read: which mean missing, the decimal mark, and whether days come first.

    `day_first` None: whatever suits the column's values. `strict`: a cell that isn't of its
    column's type is refused, and doesn't count as missing. `notes`: what is to be told of columns.
    """

    missing: frozenset[str] = frozenset(MISSING)
    decimal: str = "."
    day_first: bool | None = None
    strict: bool = False
    notes: list[str] = field(default_factory=list, compare=False)

    @cached_property
    def sentinels(self) -> list[float]:
        """The numbers that mean missing, such as -999."""
        return [*pd.to_numeric(pd.Series(sorted(self.missing)), errors="coerce").dropna()]


def typed(values: pd.Series, reading: Reading, kind: Type | None = None) -> pd.Series:
    """Return a column's values in the type they have, or in the type asked for.

    Numbers are integers or floats, dates datetimes, categories and texts stripped text. What
    was read in a debatable way is noted in `reading.notes`. CrivoError: most values aren't of the
    type, or one isn't and the reading is strict.

    >>> typed(pd.Series([" 1", "2,5", "?"]), Reading(frozenset("?"), decimal=",")).tolist()
    [1.0, 2.5, nan]
    """
    given = values
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(values.dtype.categories.dtype)
    values = values.infer_objects()
    known = "text" if is_text(values) else type_of(values)
    if known in ("number", "boolean", "date") and kind in (None, known):
        is_number = known == "number"
        return _integers(_known(values.astype("float64"), reading)) if is_number else values
    if values.dtype == object and reading.decimal == ",":  # of numbers, `str` writes a point
        values = values.map(lambda cell: str(cell).replace(".", ",") if is_float(cell) else cell)
    if values.dtype == object and values.map(lambda cell: isinstance(cell, INSIDE)).any():
        raise CrivoError(
            f"Column {values.name!r} holds lists, records or bytes, which aren't single values; "
            "spread them over columns, or leave it out (datasets.table.drop, `crivo start --drop`)."
        )
    # Work on each different value once.
    codes, levels = pd.factorize(clean(values, reading.missing))
    texts = pd.Series(levels, dtype="str", name=given.name)
    kind = kind or guess_type(texts, reading)
    converted = CONVERT[kind](texts, reading) if kind in CONVERT else texts
    lost = converted.isna()
    if lost.any():
        first = int(lost.reindex(codes, fill_value=False).to_numpy().argmax()) + 1
        _tell_lost(texts, sorted(texts[lost]), kind, reading, first)
    everywhere = converted.reindex(codes).set_axis(given.index)
    everywhere.name = given.name
    if kind == "boolean" and everywhere.notna().all():
        return everywhere.astype("bool")
    return _integers(everywhere) if kind == "number" else everywhere


def read_features(
    raw: pd.DataFrame, schema: Schema, reading: Reading | None = None
) -> pd.DataFrame:
    """Return the columns of raw rows that the schema has, but for the target, in their types.

    Without a `reading`, the decimal mark is guessed from the rows. CrivoError: a cell is not of its
    column's type.
    """
    kinds = {column.name: column.type for column in schema.columns if column.role != "target"}
    names = [str(name) for name in raw if name in kinds]
    numbers = raw[[name for name in names if kinds[name] == "number"]]
    reading = replace(reading or Reading(decimal=guess_decimal(numbers)), strict=True)
    read = {name: typed(raw[name], reading, kinds[name]) for name in names}
    return pd.DataFrame(read, index=raw.index)


def guess_type(texts: pd.Series, reading: Reading) -> Type:
    """Return the type of a column from its different values, all of them text."""
    if len(texts) == 0:
        return "number"
    if any(set(texts.head(20).str.lower()) == set(pair) for pair in YES_NO):
        return "boolean"
    if not texts.str.fullmatch(CODE).any() and mostly(_numbers(texts, reading).notna()):
        return "number"
    if mostly(sample_of(texts).str.contains(DATE_LIKE)):
        dates = read_dates(texts, date_form(texts, reading.day_first)[0])
        if mostly(dates.dt.year.between(*YEARS)):
            return "date"
    return "text" if reads_as_text(texts) else "category"


def type_of(values: pd.Series) -> Type:
    """Return the type of a column that `typed` has given.

    >>> type_of(pd.Series([True, False]))
    'boolean'
    """
    if is_bool_dtype(values.dtype):
        return "boolean"
    if is_numeric_dtype(values.dtype):
        return "number"
    if is_datetime64_any_dtype(values.dtype):
        return "date"
    return "text" if reads_as_text(pd.Series(values.dropna().unique(), dtype="str")) else "category"


def mostly(fits: pd.Series) -> bool:
    """Say whether so many values fit a type that the column has it."""
    return bool(fits.mean() >= MIN_PARSED_FRACTION)


def sample_of(texts: pd.Series) -> pd.Series:
    """Return some of the values, evenly from their sorted order; the rows' order doesn't matter."""
    order = texts.sort_values()
    places = np.linspace(0, len(order) - 1, min(SAMPLE, len(order))).astype(int)
    return order.iloc[places].reset_index(drop=True)


def reads_as_text(texts: pd.Series) -> bool:
    """Say whether different values are sentences rather than names of levels."""
    some = sample_of(texts)
    return len(texts) >= TEXT_LEVELS and bool((some.str.count(" ") + 1).mean() >= TEXT_WORDS)


def is_text(values: pd.Series) -> bool:
    """Say whether a column holds text, or objects of several kinds."""
    return isinstance(values.dtype, pd.StringDtype) or values.dtype == object


def clean(values: pd.Series, missing: frozenset[str] = frozenset(MISSING)) -> pd.Series:
    """Return text without padding, and missing where it says so."""
    text = as_text(values)
    stripped = text if is_numeric_dtype(values.dtype) else text.str.strip()
    absent = stripped.isin(missing)
    return stripped.where(~absent) if absent.any() else stripped  # a copy of many texts takes long


def different(values: pd.Series, missing: frozenset[str] = frozenset(MISSING)) -> pd.Series:
    """Return each clean text of a column once, but for those that mean missing."""
    return pd.Series(clean(values, missing).dropna().unique(), dtype="str", name=values.name)


def guess_decimal(table: pd.DataFrame) -> str:
    """Return `,` when more columns of text hold numbers like 1,5 than like 1.5.

    >>> guess_decimal(pd.DataFrame({"a": ["1,5", "12,25"], "b": ["3", "4"]}))
    ','
    """
    texts = [different(values) for _, values in table.items() if is_text(values)]
    found = [with_marks(sample_of(one)) for one in texts]
    points, commas = (sum(len(marks[i]) > 0 for marks in found) for i in (0, 1))
    return "," if commas > points else "."


def _known(numbers: pd.Series, reading: Reading) -> pd.Series:
    """Return numbers without those that mean missing."""
    return numbers.mask(numbers.isin(reading.sentinels)) if reading.sentinels else numbers


def _integers(values: pd.Series) -> pd.Series:
    """Return whole numbers without gaps as integers, others as they are."""
    whole = (np.floor(values) == values) & (values.abs() < EXACT)
    return values.astype("int64") if len(values) and whole.all() else values


def _without_sign(texts: pd.Series) -> pd.Series:
    """Return amounts without currency or % sign; as they are if signs differ.

    Amounts in two currencies are no numbers: they can't be added up.
    """
    parts = texts.str.extract(AMOUNT).fillna("")
    signs = {*parts[1], *parts[4]} - {""}
    plain = parts[0] + parts[2] + parts[3]
    return plain.mask(plain == "", texts) if len(signs) == 1 else texts


def with_marks(texts: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Return the numbers that need a decimal point, and those that need a decimal comma.

    Where three places follow, the mark may separate thousands. None if most texts are no numbers.

    >>> [list(numbers) for numbers in with_marks(pd.Series(["1,234.5", "1,234", "2,5"]))]
    [['1,234.5'], ['2,5']]
    """
    plain = _without_sign(texts)
    point, comma = (plain.str.fullmatch(NUMBER[mark]) for mark in ".,")
    if not mostly(point | comma):
        return texts[:0], texts[:0]
    return texts[point & ~comma], texts[comma & ~point]


def _numbers(texts: pd.Series, reading: Reading) -> pd.Series:
    """Return texts as numbers, missing where they are none; percentages become fractions.

    CrivoError: some have a decimal point and others a decimal comma.
    """
    point, comma = with_marks(texts)
    if len(point) and len(comma):
        raise CrivoError(
            f"Column {texts.name!r} has decimal points and decimal commas (such as {point.min()!r} "
            f"and {comma.min()!r}), so its numbers are ambiguous; write all of them in one way, or "
            "leave the column out (datasets.table.drop, `crivo start --drop`)."
        )
    plain = _without_sign(texts)
    group = "." if reading.decimal == "," else ","
    python = plain.str.replace(group, "", regex=False)
    python = python.str.replace(reading.decimal, ".", regex=False)
    python = python.where(plain.str.fullmatch(NUMBER[reading.decimal]), plain)
    numbers = pd.to_numeric(python, errors="coerce").astype("float64")
    return _known(numbers.mask(texts.str.endswith("%"), numbers / 100), reading)


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


def _dates(texts: pd.Series, reading: Reading) -> pd.Series:
    form, sure = date_form(texts, reading.day_first)
    if not sure:
        reading.notes.append(f"{texts.name}: days and months can't be told apart; read as {form}")
    return read_dates(texts, form)


# Categories and texts stay as they are.
CONVERT: dict[Type, Callable[[pd.Series, Reading], pd.Series]] = {
    "number": _numbers,
    "boolean": lambda texts, reading: texts.str.lower().map(WORDS).astype("boolean"),
    "date": _dates,
}


def _tell_lost(texts: pd.Series, lost: list[str], kind: Type, reading: Reading, first: int) -> None:
    """Note the values that aren't of the type; CrivoError when they are the most, or none may be.

    `first`: the first row that has one of them.
    """
    examples = ", ".join(map(repr, lost[:3])) + (", …" if len(lost) > 3 else "")
    if reading.strict or len(lost) > len(texts) / 2:
        raise CrivoError(
            f"Column {texts.name!r} can't be read as {kind}: {len(lost)} of its {len(texts)} "
            f"different values don't fit ({examples}; the first is in row {first}); correct them, "
            "leave them empty, or change the column's type (datasets.table.types)."
        )
    reading.notes.append(f"{texts.name}: {examples} can't be read as {kind} and counts as missing")
