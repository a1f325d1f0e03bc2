"""Guesses a column's type, and reads its cells: number, boolean, date, category or text.

A column is what nearly all of its different values are; what doesn't fit counts as missing,
and a note says so. Nothing depends on the order of the rows. The cells of rows to be scored are
read here, too: their type is known, and what doesn't fit is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import (
    is_bool_dtype,
    is_datetime64_any_dtype,
    is_float_dtype,
    is_numeric_dtype,
    is_timedelta64_dtype,
)

from crivo.core.errors import CrivoError
from crivo.core.schema import Schema, Type
from crivo.preparation.tables.cells import (
    MIN_PARSED_FRACTION,
    day_comes_first,
    in_plausible_years,
    mostly_converted,
    plain_amounts,
    read_dates,
    require_one_separator,
    require_single_values,
    sample_of,
    with_decimals,
    without_control_characters,
)

# What counts as missing in every table; settings add to it.
MISSING = (
    "", "NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "-nan", "null", "NULL", "None", "NaT",
)  # fmt: skip

EXPECTED: dict[Type, str] = {
    "number": "a number",
    "boolean": "true or false",
    "date": "a date such as 2013-09-01 or 2013-09-01T08:30",
}

YES_NO = (("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"))

# More different values than this, of this many words on average, are text to be read.
TEXT_LEVELS = 100
TEXT_WORDS = 3.0

# So many different cells that mean missing are listed; more are mistakes.
MOST_ODD = 20

# Integers beyond this can't be told apart as floats.
EXACT = 2**53

NUMBER_IN_GROUPS = {
    ".": re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?"),
    ",": re.compile(r"[+-]?(?:[1-9]\d{0,2}(?:\.\d{3})+|\d*)(?:,\d+)?(?:[eE][+-]?\d+)?"),
}
CODE = re.compile(r"0\d+")
DATE_LIKE = re.compile(r"\d{1,4}[-/. ][\w]{1,9}[-/., ]|[A-Za-z]{3,9} \d{1,2}, ?\d{4}|\d{4}-\d\d$")


@dataclass(frozen=True)
class Reading:
    """How cells are read: which mean missing, the decimal mark, and whether days come first.

    None for the last two: whatever suits the column's values. `strict`: a cell that isn't of its
    column's type is refused, and doesn't count as missing.
    """

    missing: frozenset[str] = frozenset(MISSING)
    decimal: str | None = None
    day_first: bool | None = None
    strict: bool = False
    notes: list[str] = field(default_factory=list, compare=False)

    @cached_property
    def sentinels(self) -> list[float]:
        """The numbers that mean missing."""
        return [*pd.to_numeric(pd.Series(sorted(self.missing)), errors="coerce").dropna()]

    def note(self, note: str) -> None:
        """Keep what is to be told of a column, once."""
        if note not in self.notes:
            self.notes.append(note)


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
    if not is_text(values):
        values, known = _from_dtype(values, reading)
        if known == kind or (kind is None and known is not None):
            return values
        values = as_text(values)
    require_single_values(values)
    # Work on each different value once.
    codes, different = pd.factorize(clean(values, reading.missing))
    written = pd.Series(different, dtype="str", name=values.name)
    texts = without_control_characters(written)
    if texts is not written:
        reading.note(f"{texts.name}: control characters are left out")
    if not reading.strict and kind in (None, "number"):
        require_one_separator(texts)
    kind = kind or guess_type(texts, reading)
    converted = CONVERT[kind](texts, reading) if kind in CONVERT else texts
    if reading.strict:
        _require_all(given, converted.isna().reindex(codes, fill_value=False), kind)
    else:
        _tell_lost(texts, converted, kind, reading)
    everywhere = converted.reindex(codes).set_axis(values.index)
    everywhere.name = values.name
    if kind == "boolean" and everywhere.notna().all():
        return everywhere.astype("bool")
    return _integers(everywhere) if kind == "number" else everywhere


def read_features(
    raw: pd.DataFrame, schema: Schema, reading: Reading | None = None
) -> pd.DataFrame:
    """Return the columns of raw rows that the schema has, but for the target, in their types.

    Without a `reading`, the decimal mark is guessed from the rows. CrivoError: a feature's cell is
    not of its type. Another column that can't be read is clean text: no model asks for it.
    """
    known = {column.name: column.type for column in schema.columns if column.role != "target"}
    numbers = [name for name in schema.features if known[name] == "number" and name in raw]
    reading = replace(reading or Reading(decimal=guess_decimal(raw[numbers])), strict=True)
    read = {}
    for name in (str(name) for name in raw if name in known):
        if name in schema.features:
            read[name] = typed(raw[name], reading, known[name])
            continue
        read[name] = clean(raw[name], reading.missing) if is_text(raw[name]) else raw[name]
        with suppress(CrivoError):
            read[name] = typed(raw[name], reading, known[name])
    return pd.DataFrame(read, index=raw.index)


def read_as(
    raw: pd.DataFrame, rows: pd.DataFrame, reading: Reading, missing: Sequence[str]
) -> dict[str, Any]:
    """Return settings of `datasets.table` with which a new row alone is read as these were.

    They are the decimal mark, whether days come first, and cells such as `-` that counted as
    `missing` because they aren't numbers or dates. A cell that means something in another column
    isn't listed.
    """
    texts = {
        name: clean(raw[name], reading.missing)
        for name in raw
        if name in rows and is_text(raw[name])
    }
    days = {
        day_comes_first(pd.Series(cells.dropna().unique(), dtype="str"))
        for name, cells in texts.items()
        if is_datetime64_any_dtype(rows[name])
    }
    odd = {cell for name, cells in texts.items() for cell in cells[rows[name].isna()].dropna()}
    for name, cells in texts.items():
        odd -= set(cells[rows[name].notna() & cells.isin(odd)])
    listed = [cell for cell in sorted(odd) if pd.isna(pd.to_numeric(cell, errors="coerce"))]
    found: dict[str, Any] = {"decimal": ","} if reading.decimal == "," else {}
    if days - {None} == {True}:
        found["day_first"] = True
    if listed and len(listed) <= MOST_ODD:
        found["missing"] = [*missing, *listed]
    return found


def guess_type(texts: pd.Series, reading: Reading) -> Type:
    """Return the type of a column from its different values, all of them text."""
    if len(texts) == 0:
        return "number"
    lowered = set(texts.head(20).str.lower())
    if any(lowered == set(pair) for pair in YES_NO):
        return "boolean"
    if not texts.str.fullmatch(CODE).any() and mostly_converted(
        _numbers(texts, reading, MIN_PARSED_FRACTION)
    ):
        return "number"
    some = sample_of(texts)
    if some.str.contains(DATE_LIKE).mean() >= MIN_PARSED_FRACTION and mostly_converted(
        in_plausible_years(_dates(texts, reading))
    ):
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
    return "text" if reads_as_text(pd.Series(values.dropna().unique())) else "category"


def reads_as_text(texts: pd.Series) -> bool:
    """Say whether different values are sentences rather than names of levels."""
    some = sample_of(texts)
    return len(texts) >= TEXT_LEVELS and bool((some.str.count(" ") + 1).mean() >= TEXT_WORDS)


def is_text(values: pd.Series) -> bool:
    """Say whether a column holds text, or objects of several kinds."""
    return isinstance(values.dtype, pd.StringDtype) or values.dtype == object


def as_text(values: pd.Series) -> pd.Series:
    """Return any values as text: whole numbers without a point, missing stays missing.

    >>> as_text(pd.Series([1.0, 2.5, None])).tolist()
    ['1', '2.5', nan]
    """
    try:
        text = values.astype("str")
    except UnicodeDecodeError:
        raise CrivoError(
            f"Column {values.name!r} holds bytes that aren't text; leave it out of the file, or "
            "drop it (datasets.table.drop, `crivo start --drop`)."
        ) from None
    if is_float_dtype(values.dtype):
        text = text.str.removesuffix(".0")
    known = values.notna()
    return text if known.all() else text.where(known)


def clean(values: pd.Series, missing: frozenset[str] = frozenset(MISSING)) -> pd.Series:
    """Return text without padding, and missing where it says so."""
    text = as_text(values)
    stripped = text if is_numeric_dtype(values.dtype) else text.str.strip()
    absent = stripped.isin(missing)
    return stripped.where(~absent) if absent.any() else stripped  # a copy of many texts takes long


def guess_decimal(table: pd.DataFrame) -> str:
    """Return `,` when columns of text hold numbers like 1,5 and none like 1.5.

    >>> guess_decimal(pd.DataFrame({"a": ["1,5", "12,25"], "b": ["3", "4"]}))
    ','
    """
    points = commas = 0
    for name in table:
        values = table[str(name)]
        if is_text(values):
            texts = pd.Series(clean(values).dropna().unique(), dtype="str")
            found = with_decimals(sample_of(texts))
            points, commas = points + (len(found[0]) > 0), commas + (len(found[1]) > 0)
    return "," if commas > points else "."


def _from_dtype(values: pd.Series, reading: Reading) -> tuple[pd.Series, Type | None]:
    """Return a column that is typed already (Parquet) and its type; None for text."""
    if is_bool_dtype(values.dtype):
        return values, "boolean"
    if is_numeric_dtype(values.dtype):
        return _integers(_without(values.astype("float64"), reading)), "number"
    if is_timedelta64_dtype(values.dtype):
        return values.dt.total_seconds(), "number"
    if isinstance(values.dtype, pd.PeriodDtype):
        values = values.dt.to_timestamp()
    return values, "date" if is_datetime64_any_dtype(values.dtype) else None


def _numbers(texts: pd.Series, reading: Reading, share: float = 0.0) -> pd.Series:
    """Return texts as numbers; amounts in a currency only where the share of the texts is some."""
    decimal = reading.decimal or "."
    texts, percent, mark = plain_amounts(texts, share)
    grouped = texts.str.fullmatch(NUMBER_IN_GROUPS[decimal])
    if grouped.any():
        group = "." if decimal == "," else ","
        plain = texts.str.replace(group, "", regex=False).str.replace(decimal, ".", regex=False)
        texts = texts.mask(grouped, plain)
    numbers = pd.to_numeric(texts, errors="coerce").astype("float64")
    if mark and mostly_converted(numbers):
        how = f"amounts in {mark} are read as numbers"
        if mark == "%":
            how = "percentages are read as fractions, 12% as 0.12"
        reading.note(f"{texts.name}: {how}")
    return _without(numbers.mask(percent, numbers / 100), reading)


def _without(numbers: pd.Series, reading: Reading) -> pd.Series:
    """Return numbers without those that stand for missing, such as -999."""
    known = reading.sentinels
    return numbers.mask(numbers.isin(known)) if known else numbers


def _integers(values: pd.Series) -> pd.Series:
    """Return whole numbers without gaps as integers, others as they are."""
    whole = (np.floor(values) == values) & (values.abs() < EXACT)
    return values.astype("int64") if len(values) and whole.all() else values


def _booleans(texts: pd.Series, reading: Reading) -> pd.Series:
    words = {
        word: value for pair in YES_NO for word, value in zip(pair, (False, True), strict=True)
    }
    return texts.str.lower().map({"0": False, "1": True} | words).astype("boolean")


def _dates(texts: pd.Series, reading: Reading) -> pd.Series:
    dates, unsure = read_dates(texts, reading.day_first)
    if unsure:
        reading.note(f"{texts.name}: days and months can't be told apart; read as {unsure}")
    return dates


# Categories and texts stay as they are.
CONVERT: dict[Type, Callable[[pd.Series, Reading], pd.Series]] = {
    "number": _numbers,
    "boolean": _booleans,
    "date": _dates,
}


def _require_all(given: pd.Series, wrong: pd.Series, kind: Type) -> None:
    """Raise CrivoError with the first value that isn't of the type, counting the others."""
    if not wrong.any():
        return
    at = int(np.argmax(wrong.to_numpy()))
    value = given.iat[at]
    value = value.item() if isinstance(value, np.generic) else value
    more = f" and {wrong.sum() - 1} more" if wrong.sum() > 1 else ""
    raise CrivoError(
        f"Column {given.name} has {value!r} in row {at + 1}{more}; expected {EXPECTED[kind]}, or "
        "nothing where it is not known."
    )


def _tell_lost(texts: pd.Series, converted: pd.Series, kind: Type, reading: Reading) -> None:
    """Note the values that weren't numbers or dates; CrivoError when they are the most."""
    lost = sorted(texts[converted.isna()])
    if not lost:
        return
    examples = ", ".join(repr(text) for text in lost[:3]) + (", …" if len(lost) > 3 else "")
    if len(lost) > len(texts) / 2:
        raise CrivoError(
            f"Column {texts.name!r} can't be read as {kind}: {len(lost)} of its {len(texts)} "
            f"different values don't fit ({examples}); correct datasets.table.types."
        )
    reading.note(f"{texts.name}: {examples} can't be read as {kind} and counts as missing")
