"""A table's target (labels, task, positive class) and its row ids.

An id is the declared id columns joined, or a hash of the row's content; never the row number.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pandas.api.types import is_bool_dtype, is_float_dtype, is_numeric_dtype

from crivo.core.errors import CrivoError
from crivo.core.inputs import as_text
from crivo.core.layout import a_few, counted
from crivo.core.schema import Task, Type
from crivo.core.tasks import TASKS, Class
from crivo.preparation.tables.columns import (
    EXACT,
    WORDS,
    Reading,
    as_type,
    clean,
    different,
    is_text,
    type_of,
    typed,
)

log = logging.getLogger("crivo.table")

# A whole number with at most so many different values is a class rather than a quantity.
MAX_CLASSES = 20
# Labels that say whether they are the class of interest.
SAYING = WORDS | {"negative": False, "neg": False, "positive": True, "pos": True}
# Spellings of such words are one class; AB and ab may be two.
WORD = r"[^\W\d_]{2,}(?: [^\W\d_]+)*"


def read_target(
    values: pd.Series, reading: Reading, task: Task | None = None, kind: Type | None = None
) -> pd.Series:
    """Return a target in its type: a number, or labels as they are written, each in one spelling.

    Whole numbers that are classes stay whole despite gaps.

    >>> read_target(pd.Series(["Yes", "yes", "Yes", "No"]), Reading()).tolist()
    ['Yes', 'Yes', 'Yes', 'No']
    """
    target = typed(values, reading, kind or _type(values, reading, task))
    if is_text(target):
        return _one_spelling(target)
    if is_float_dtype(target.dtype) and TASKS[task or guess_task(target)].has_classes:
        known = target.dropna()
        if ((known % 1 == 0) & (known.abs() < EXACT)).all():
            return target.astype("Int64")
    return target


def _type(values: pd.Series, reading: Reading, task: Task | None) -> Type:
    if task is not None and not TASKS[task].has_classes:
        return "number"
    texts = different(values, reading.missing)
    if is_bool_dtype(values.dtype) or set(texts.str.lower()) == {"true", "false"}:
        return "boolean"
    return "number" if as_type(texts, reading)[0] == "number" else "category"


def _one_spelling(target: pd.Series) -> pd.Series:
    """Return labels in the spelling that most rows have, and log those that others have."""
    counts = target.value_counts().sort_index().sort_values(ascending=False, kind="stable")
    words = counts.index[counts.index.str.fullmatch(WORD)]
    first = words.to_series().groupby(words.str.casefold(), sort=False).transform("first")
    other = first[first != words]
    for one, to in other.items():
        log.warning("%s: %r is read as %r", target.name, one, to)
    return target.replace(other.to_dict()) if len(other) else target


def guess_task(values: pd.Series) -> Task:
    """Return the task that a target's values speak for.

    >>> guess_task(pd.Series([0, 1, 1])), guess_task(pd.Series(["a", "b", "c"]))
    ('binary', 'multiclass')
    """
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
        needs = "2 classes" if most == 2 else f"2 to {most} classes"
        fits = kind != "date" and 2 <= len(classes) <= most
    else:
        needs, fits = "different numbers", kind == "number" and len(classes) > 1
    if not fits:
        each = f" in {min_rows} rows or more each" if min_rows > 1 else ""
        raise CrivoError(
            f"The target {target.name!r} has {counted(len(classes), 'value')} ({_some(classes)}) "
            f"of the type {kind}{each}, but {task} with {counted(counts.sum(), 'row')} needs "
            f"{needs}; choose another column, or another task (datasets.table.task)."
        )
    return tuple(classes) if has_classes else ()


def find_positive(classes: tuple[Class, ...], asked: Class | None, target: pd.Series) -> Class:
    """Return the class of interest: the one asked for, one that says so, or the rarer one."""
    if asked is None or isinstance(asked, bool):  # `No` without quotes is false in YAML 1.1
        alike = [one for one in classes if SAYING.get(_word(one)) is (asked is not False)]
    else:
        alike = [one for one in classes if _word(one) == _word(asked)]
    if alike:
        return max(alike, key=lambda one: str(one) == str(asked))
    if asked is not None:
        raise CrivoError(
            f"datasets.table.positive is {asked!r}, which isn't a class of {target.name!r}; "
            f"choose one of {_some(classes)}."
        )
    counts = target.value_counts()
    return min(reversed(classes), key=lambda one: int(counts[one]))


def _word(label: Class) -> str:
    return str(label).casefold().removesuffix(".0")


def _some(values: Iterable[object]) -> str:
    return a_few(map(str, values), 5) or "none"


# Stands before the number of a copy: the second of two equal rows is `name~2`.
COPY = "~"


def content_ids(rows: pd.DataFrame) -> pd.Series:
    """Return a hash of each row's content; equal rows are counted: `name`, `name~2` and so on.

    The order of rows and columns doesn't matter, so that rows can be added anywhere.

    >>> ids = content_ids(pd.DataFrame({"a": ["1", "2", "1"]}))
    >>> ids[2] == ids[0] + "~2"
    True
    """
    texts = _joined([as_text(rows[name]).fillna("") for name in sorted(rows.columns)], "\x1f")
    hashes = [hashlib.blake2b(text.encode(), digest_size=8).hexdigest() for text in texts]
    names = pd.Series(hashes, index=rows.index, dtype="str")
    copies = names.groupby(names).cumcount()
    return names.where(copies == 0, names + COPY + (copies + 1).astype("str"))


def joined_ids(rows: pd.DataFrame, missing: frozenset[str]) -> pd.Series:
    r"""Return the text of the named columns, joined by `|`, in texts `\|`; missing where one is.

    >>> joined_ids(pd.DataFrame({"shop": ["a", "b"], "day": [1.0, 2.0]}), frozenset()).tolist()
    ['a|1', 'b|2']
    """
    parts = [clean(rows[name], missing) for name in rows.columns]
    if len(parts) > 1:
        parts = [part.str.replace("|", r"\|", regex=False) for part in parts]
    return pd.Series(_joined(parts, "|"), index=rows.index, dtype="str")


def without_copy(name: str) -> str:
    """Return an id without the number of its copy.

    >>> without_copy("3f9c~12"), without_copy("order 7")
    ('3f9c', 'order 7')
    """
    base, mark, count = name.rpartition(COPY)
    return base if mark and count.isdigit() else name


def _joined(parts: list[pd.Series], mark: str) -> list[Any]:
    """Return the texts of each row, joined; missing where one of them is."""
    texts = [pa.array(part, pa.large_string()) for part in parts]
    return pc.binary_join_element_wise(*texts, pa.scalar(mark, pa.large_string())).to_pylist()
