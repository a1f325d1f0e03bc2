"""What the columns of a table are: types, the target, and the rows' ids.

A column is what nearly all of its different values are; what doesn't fit counts as missing, and the
log says so. Numbers may have a currency or % sign and a decimal comma, and dates may have days
before months. Nothing depends on the order of the rows. The cells of rows to be scored are read
here, too: their type is known, and what doesn't fit is refused.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_float, is_numeric_dtype

from crivo.core.errors import CrivoError
from crivo.core.inputs import as_text
from crivo.core.schema import Schema, Task, Type
from crivo.core.tasks import TASKS, Class
from crivo.core.wording import a_few, counted

log = logging.getLogger(__name__)

# What counts as missing in every table; settings add to it.
MISSING = (
    "", "NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "-nan", "null", "NULL", "None", "NaT",
)  # fmt: skip

YES_NO = (("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"))
WORDS = {"0": False, "1": True} | {word: bool(i) for pair in YES_NO for i, word in enumerate(pair)}
# Labels that say whether they are the class of interest.
SAYING = WORDS | {"negative": False, "neg": False, "positive": True, "pos": True}
# A column of whole numbers with at most this many different values contains classes.
MAX_CLASSES = 20

# More different values than this, of this many words on average, are text to be read.
TEXT_LEVELS = 100
TEXT_WORDS = 3.0

# This many different values are enough to recognise, for example, the form of a column's dates.
SAMPLE = 500

CURRENCY = r"R\$|US\$|[$€£¥₹]|USD|EUR|GBP|BRL|CHF|JPY"
# What stands before or after the digits of an amount.
AROUND = rf"^([+-]?)\s*(?:{CURRENCY})?\s*|\s*(?:{CURRENCY}|%)$"

ISO = "ISO8601"
# Forms of dates, with spaces for all marks and three letters for the names of months.
DAYS = (
    "%m %d %Y", "%m %d %y", "%d %m %Y", "%d %m %y", "%Y %m %d", "%d %b %Y", "%d %b %y", "%b %d %Y",
)  # fmt: skip
TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S %f", " %I:%M %p", " %I:%M:%S %p")
FORMS = (*(day + time for day in DAYS for time in TIMES), "%Y %m", "%m %Y", "%b %Y", "%Y %b")

# A number and two marks, a year from 1700 on, or 20130105T1200; other texts aren't tried as dates.
DATE_LIKE = r"\d(?:[-/.]\w+|\.? [A-Za-z]+\.?)[-/., ]|\b(?:1[7-9]|2[01])\d\d(?:\b|\d{4}[T ]\d)"
# What a cell of a Parquet file may hold, and no column of a table.
INSIDE = (list, tuple, set, dict, np.ndarray, bytes)
SPREAD = "spread them over columns, or leave it out (datasets.table.drop, `crivo start --drop`)"


@dataclass(frozen=True)
class Reading:
    """How cells are read: which mean missing, the decimal mark, and whether days come first.

    `marks`: the decimal marks of columns whose mark differs from the table's; `day_first` None:
    whatever suits the column's values. `strict`: a cell that isn't of its column's type is refused,
    and doesn't count as missing.
    """

    missing: frozenset[str] = frozenset(MISSING)
    decimal: str | None = None
    day_first: bool | None = None
    strict: bool = False
    marks: Mapping[str, str] = field(default_factory=dict)

    def of(self, table: pd.DataFrame) -> Reading:
        """Return it with what isn't set, as the columns without marks of their own speak for it.

        The decimal mark is `,` if more columns hold numbers like 1,5 than like 1.5. Days come first
        if some dates are like 13/04/2020 or 13.04.2020, and none like 04/13/2020.
        """
        table = table.drop(columns=[*self.marks], errors="ignore")
        texts = [sample_of(different(one)) for _, one in table.items() if is_text(one)]
        marks = [mark for one in texts for mark in decimal_marks(one)]
        decimal = self.decimal or ("," if marks.count(",") > marks.count(".") else ".")
        dated = [(one, date_forms(one)) for one in texts if mostly(one.str.contains(DATE_LIKE))]
        alone = [(one, forms[0]) for one, forms in dated if len(forms) == 1]
        orders = {form[: len("%d %m")] for one, form in alone if mostly(_dates(one, form).notna())}
        surely = self.day_first is None and "%d %m" in orders and "%m %d" not in orders
        return replace(self, decimal=decimal, day_first=surely or self.day_first)


def typed(values: pd.Series, reading: Reading, kind: Type | None = None) -> pd.Series:
    """Return a column's values in the type they have, or in the type asked for.

    Numbers are integers or floats, dates datetimes, categories and texts stripped text. What
    was read in a debatable way is logged. CrivoError: most values aren't of the type, or one isn't
    and the reading is strict.
    """
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(values.dtype.categories.dtype)
    values = values.infer_objects()
    reading = replace(reading, decimal=reading.marks.get(str(values.name)) or reading.decimal)
    known = "text" if is_text(values) else type_of(values)
    if known in ("number", "boolean", "date") and kind in (None, known):
        return _whole(values.astype("float64"), reading) if known == "number" else values
    if values.dtype == object and reading.decimal == ",":  # of numbers, `str` writes a point
        values = values.map(lambda cell: str(cell).replace(".", ",") if is_float(cell) else cell)
    if values.dtype == object and values.map(lambda cell: isinstance(cell, INSIDE)).any():
        advice = "give each cell one value" if reading.strict else SPREAD
        raise CrivoError(f"Column {values.name!r} holds lists, records or bytes; {advice}.")
    # Work on each different value once.
    codes, levels = pd.factorize(clean(values, reading.missing))
    texts = pd.Series(levels, dtype="str", name=values.name)
    kind, converted = as_type(texts, reading, kind)
    lost = texts[converted.isna()]
    if len(lost):
        cells, rows = a_few(map(repr, sorted(lost)), 3), np.isin(codes, lost.index)
        if reading.strict or len(lost) > len(texts) / 2:
            types = "" if reading.strict else ", or set datasets.table.types"
            raise CrivoError(
                f"Column {values.name!r} can't be read as {kind}: {cells}; the first is in row "
                f"{rows.argmax() + 1}. Correct such cells or leave them empty{types}."
            )
        told = "%s: %s can't be read as %s and counts as missing (%s)"
        log.warning(told, values.name, cells, kind, counted(int(rows.sum()), "row"))
    everywhere = converted.reindex(codes).set_axis(values.index)
    if kind == "boolean" and everywhere.notna().all():
        return everywhere.astype("bool")
    return _whole(everywhere, reading) if kind == "number" else everywhere


def read_features(raw: pd.DataFrame, schema: Schema, reading: Reading = Reading()) -> pd.DataFrame:
    """Return the columns of raw rows that the schema has, but for the target, in their types.

    A decimal mark that isn't set is guessed. CrivoError: a cell is not of its column's type.
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
    if kind == "number" or (kind is None and not texts.str.fullmatch(r"0\d+").any()):
        numbers = _numbers(texts, reading)
        if kind or len(texts) == 0 or mostly(numbers.notna()):
            return "number", numbers
    if kind == "date" or (kind is None and mostly(sample_of(texts).str.contains(DATE_LIKE))):
        form = date_forms(texts, reading.day_first)[0]
        dates = _dates(texts, form)
        if kind or mostly(dates.notna()):
            doubt = "%y" in form or (form.startswith("%m") and len(date_forms(texts)) > 1)
            if doubt and kind is None and not reading.day_first:
                one = texts[dates.notna()].min()
                told = "%s: %r is read as %s; set datasets.table.types, or day_first: true"
                log.warning(told, texts.name, one, dates[texts == one].iloc[0].date())
            return "date", dates
    return kind or "category", texts


def type_of(values: pd.Series) -> Type:
    """Return the type of a column that `typed` has given; text is sentences, not levels."""
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
    """Say whether nearly all of a column's different values fit a type, so that it has it."""
    return bool(fits.mean() >= 0.95)


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
    if texts[fits.all(axis="columns")].str.contains("[.,]").any():
        fits[texts.str.contains(r"[.,]\d{3}[eE]")] = False  # beside 1,234, 1,234e5 says nothing
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
    for mark, other in (".,", ",."):
        thousands = rf"[+-]?[1-9]\d{{0,2}}(?:[{other}]\d{{3}})+(?:[{mark}]\d*)?"
        cells = plain.mask(plain.str.fullmatch(thousands), plain.str.replace(other, ""))
        cells = cells.mask(cells.str.contains(other, regex=False)).str.replace(mark, ".")
        found[mark] = pd.to_numeric(cells, errors="coerce").astype("float64")
    return pd.DataFrame(found).mask(texts.str.endswith("%"), lambda numbers: numbers / 100)


def _numbers(texts: pd.Series, reading: Reading) -> pd.Series:
    """Return texts as numbers, by the mark that is certain or else the known one; missing if none.

    CrivoError: some have another decimal mark than others or, in a number like 1.234, may have.
    """
    marks, by_mark = decimal_marks(texts), _by_mark(texts)
    mark = reading.decimal or next(iter(marks), ".")
    unclear = texts[by_mark.notna().all(axis="columns") & (by_mark["."] != by_mark[","])]
    if set(marks) - {mark} and (len(marks) > 1 or len(unclear)):
        one, two = [*marks.values(), unclear.min()][:2]
        settings = ", set datasets.table.marks, or leave it out (`crivo start --drop`)"
        raise CrivoError(
            f"Column {texts.name!r} has unclear decimal marks (such as {one!r} and {two!r}); write "
            f"all in one way{'' if reading.strict else settings}."
        )
    return by_mark[next(iter(marks), mark)]


def _whole(numbers: pd.Series, reading: Reading) -> pd.Series:
    """Return numbers without those that mean missing (-999), as integers if whole without gaps."""
    cells = pd.Series(sorted(reading.missing), dtype="str")
    known = numbers.mask(numbers.isin(pd.to_numeric(cells, errors="coerce").dropna()))
    whole = (np.floor(known) == known) & (known.abs() < 2**53)  # as floats, larger ones are inexact
    return known.astype("int64") if len(known) and whole.all() else known


def date_forms(texts: pd.Series, day_first: bool | None = None) -> list[str]:
    """Return the forms of dates that fit most texts; those with the month before the day first.

    `day_first`: whether days come before months; None for what suits the texts.
    """
    some = sample_of(texts)
    if mostly(_dates(some, ISO).notna()):
        return [ISO]
    dotted = "%m %d" if mostly(some.str.contains(r"^\d+\.")) else "none"  # 1.2.2020: February
    other = {None: dotted, True: "%m %d", False: "%d %m"}[day_first]
    forms = [form for form in (*FORMS, ISO) if not form.startswith(other)]
    fits = {form: _dates(some, form).count() for form in forms}
    return [form for form, fit in fits.items() if fit == max(fits.values())]


def _dates(texts: pd.Series, form: str) -> pd.Series:
    """Return texts of a form as dates, in UTC where they have an offset; missing where none."""
    if form != ISO:
        texts = texts.str.replace(r"[-/., ]+", " ", regex=True)
    if "%b" in form:
        month = r"(?i)(\w{3})(r?uary|ch|il|e|y|ust|ober|t?ember)\b"
        texts = texts.str.replace(month, r"\1", regex=True)
    return pd.to_datetime(texts, format=form, errors="coerce", utc=True).dt.tz_localize(None)


def read_target(
    values: pd.Series, reading: Reading, task: Task | None = None, kind: Type | None = None
) -> pd.Series:
    """Return a target in its type: a number, or labels as they are written.

    Ja, ja and nein are two classes. Whole numbers that are classes stay whole despite gaps.
    """
    texts = different(values, reading.missing)
    if kind is None and set(texts.str.lower()) != {"true", "false"}:
        guessed = "number" if task == "regression" else as_type(texts, reading)[0]
        kind = "number" if guessed == "number" else "category"
    target = typed(values, reading, kind)
    if target.nunique() > 2 and texts.str.lower().nunique() == 2:
        return target.str.lower()
    has_classes = TASKS[task or guess_task(target)].has_classes
    if target.dtype == "float64" and has_classes and _whole(target.dropna(), reading).dtype == int:
        return target.astype("Int64")
    return target


def guess_task(values: pd.Series) -> Task:
    """Return the task that a target's values suggest."""
    known = values.dropna().unique()
    if len(known) == 2:
        return "binary"
    if not is_numeric_dtype(values.dtype):
        return "multiclass"
    whole = (known.astype("float64") % 1 == 0).all()
    return "multiclass" if whole and len(known) <= MAX_CLASSES else "regression"


def find_classes(target: pd.Series, task: Task, min_rows: int = 1) -> tuple[Class, ...]:
    """Return the sorted classes that have enough rows; none for regression.

    CrivoError: the target's values don't fit the task.
    """
    has_classes, kind, counts = TASKS[task].has_classes, type_of(target), target.value_counts()
    classes = sorted(counts[counts >= (min_rows if has_classes else 1)].index.tolist())
    if has_classes:
        most = min(TASKS[task].max_classes, max(MAX_CLASSES, counts.sum() // 5))
        needs = f"2 to {most} classes" if most > 2 else "2 classes (min_class_rows drops rare ones)"
        fits = kind != "date" and 2 <= len(classes) <= most
    else:
        needs, fits = "different numbers", kind == "number" and len(classes) > 1
    if not fits:
        raise CrivoError(
            f"The target {target.name!r} has {counted(len(classes), 'value')} "
            f"({a_few(map(str, classes), 5)}) of the type {kind}, but {task} with "
            f"{counted(counts.sum(), 'row')} needs {needs}; choose another column or task."
        )
    return tuple(classes) if has_classes else ()


def find_positive(classes: tuple[Class, ...], asked: Class | None, target: pd.Series) -> Class:
    """Return the class of interest: the one asked for, one whose name says so, or the rarer."""
    words = {one: str(one).casefold().removesuffix(".0") for one in classes}
    if asked is None or isinstance(asked, bool):  # `No` without quotes is false in YAML 1.1
        alike = [one for one in classes if SAYING.get(words[one]) is (asked is not False)]
    else:
        alike = [one for one in classes if words[one] == str(asked).casefold().removesuffix(".0")]
    if alike:
        return max(alike, key=lambda one: str(one) == str(asked))
    if asked is not None:
        raise CrivoError(
            f"datasets.table.positive is {asked!r}; choose one of {a_few(map(str, classes), 5)}."
        )
    return min(reversed(classes), key=lambda one: int((target == one).sum()))


def content_ids(rows: pd.DataFrame) -> pd.Series:
    """Return a hash of each row's content; equal rows are counted: `name`, `name~2` and so on.

    The order of rows and columns doesn't matter, so that rows can be added anywhere.
    """
    texts = _joined([as_text(rows[name]).fillna("") for name in sorted(rows.columns)], "\x1f")
    hashes = [hashlib.blake2b(text.encode(), digest_size=8).hexdigest() for text in texts]
    names = pd.Series(hashes, index=rows.index, dtype="str")
    copies = names.groupby(names).cumcount()
    return names.where(copies == 0, names + "~" + (copies + 1).astype("str"))


def joined_ids(rows: pd.DataFrame, missing: frozenset[str]) -> pd.Series:
    r"""Return the columns' texts, joined by `|` (within a text: `\|`); missing where one is."""
    parts = [clean(rows[name], missing) for name in rows.columns]
    if len(parts) > 1:
        parts = [part.str.replace("|", r"\|", regex=False) for part in parts]
    return pd.Series(_joined(parts, "|"), index=rows.index, dtype="str")


def _joined(parts: list[pd.Series], mark: str) -> list[Any]:
    """Return the texts of each row, joined; missing where one of them is."""
    texts = [pa.array(part, pa.large_string()) for part in parts]
    return pc.binary_join_element_wise(*texts, pa.scalar(mark, pa.large_string())).to_pylist()
