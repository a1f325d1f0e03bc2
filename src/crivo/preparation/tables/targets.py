"""The target column of a table: guesses its task, its classes, and the positive class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
from pandas.api.types import is_bool_dtype, is_float_dtype, is_numeric_dtype

from crivo.core.errors import CrivoError
from crivo.core.layout import a_few
from crivo.core.schema import Task, Type
from crivo.core.tasks import TASKS, Class
from crivo.preparation.tables.columns import EXACT, Reading, clean, guess_type, is_text

# A whole number with at most so many different values is a class rather than a quantity.
MAX_CLASSES = 20
POSITIVE = ("true", "yes", "y", "t", "1", "1.0", "positive", "pos")
NEGATIVE = ("false", "no", "n", "f", "0", "0.0", "negative", "neg")
# Spellings of such words are one class; AB and ab may be two.
WORD = r"[^\W\d_]{2,}(?: [^\W\d_]+)*"


def one_spelling(target: pd.Series) -> tuple[pd.Series, list[str]]:
    """Return labels in the spelling that most rows have, and a note for each that others have.

    >>> one_spelling(pd.Series(["Yes", "yes", "Yes", "No"]))[0].tolist()
    ['Yes', 'Yes', 'Yes', 'No']
    """
    counts = target.value_counts().sort_index().sort_values(ascending=False, kind="stable")
    words = counts[counts.index.str.fullmatch(WORD)]
    spelling: dict[str, str] = {}
    for label in words.index:
        spelling.setdefault(label.casefold(), label)
    other = {one: spelling[one.casefold()] for one in words.index if one not in spelling.values()}
    notes = [f"{target.name}: {one!r} is read as {name!r}" for one, name in other.items()]
    return target.replace(other) if other else target, notes


def target_type(values: pd.Series, reading: Reading) -> Type:
    """Return the type to read a target in: labels stay as they are written.

    >>> target_type(pd.Series(["yes", "no"]), Reading())
    'category'
    """
    if is_bool_dtype(values.dtype):
        return "boolean"
    texts = pd.Series(clean(values, reading.missing).dropna().unique(), dtype="str")
    if set(texts.str.lower()) == {"true", "false"}:
        return "boolean"
    return "number" if guess_type(texts, reading) == "number" else "category"


def guess_task(values: pd.Series) -> Task:
    """Return the task that a target's values speak for.

    >>> guess_task(pd.Series([0, 1, 1])), guess_task(pd.Series(["a", "b", "c"]))
    ('binary', 'multiclass')
    """
    different = values.dropna().unique()
    if len(different) == 2:
        return "binary"
    if is_numeric_dtype(values.dtype):
        whole = all(float(value).is_integer() for value in different[: MAX_CLASSES + 1])
        return "multiclass" if whole and len(different) <= MAX_CLASSES else "regression"
    return "multiclass"


def find_classes(target: pd.Series, task: Task, min_rows: int = 1) -> tuple[Class, ...]:
    """Return the sorted classes that have enough rows; none for regression.

    CrivoError: the target's values don't fit the task.
    """
    name, values = target.name, target.dropna()
    if values.empty:
        raise CrivoError(f"The target {name!r} is missing in every row; choose another column.")
    if not TASKS[task].has_classes:
        _require_quantity(values)
        return ()
    counts = values.value_counts()
    classes = sorted(_plain(value) for value in counts.index[counts >= min_rows])
    if len(classes) < 2:
        enough = f" of at least {min_rows} rows" if min_rows > 1 else ""
        raise CrivoError(
            f"The target {name!r} has {len(classes)} class{'es' * (len(classes) != 1)}{enough} "
            f"({_some(counts.index)}), so there is nothing to distinguish. Choose another column."
        )
    if len(classes) > TASKS[task].max_classes:
        raise CrivoError(
            f"The task is {task} and the target {name!r} has {len(classes)} classes "
            f"({_some(classes)}); set datasets.table.task to multiclass."
        )
    if len(classes) > max(MAX_CLASSES, len(values) / 5):
        raise CrivoError(
            f"The target {name!r} has {len(classes)} different values in {len(values)} rows "
            f"({_some(classes)}), too many for classes; choose another column, or set "
            "datasets.table.task to regression if they are numbers."
        )
    return tuple(classes)


def find_positive(classes: tuple[Class, ...], asked: Class | None, target: pd.Series) -> Class:
    """Return the class of interest: the one asked for, one that says so, or the rarer one."""
    if asked is not None:
        for fold in (str, lambda value: str(value).casefold()):
            for one in classes:
                if fold(one) == fold(asked):
                    return one
        words = POSITIVE if asked is True else NEGATIVE if asked is False else ()
        for one in classes:  # `Yes` without quotes is true where YAML 1.1 is read
            if str(one).casefold() in words:
                return one
        raise CrivoError(
            f"datasets.table.positive is {asked!r}, which isn't a class of {target.name!r}; "
            f"choose one of {_some(classes)}."
        )
    for one in classes:
        if str(one).casefold() in POSITIVE:
            return one
    counts = target.value_counts()
    return min(reversed(classes), key=lambda one: int(counts[one]))


def _require_quantity(values: pd.Series) -> None:
    if not is_numeric_dtype(values.dtype) or is_bool_dtype(values.dtype):
        raise CrivoError(
            f"The task is regression and the target {values.name!r} isn't a number "
            f"({_some(values.unique())}); choose another column or task."
        )
    if values.nunique() == 1:
        raise CrivoError(
            f"The target {values.name!r} is {_some(values.unique())} in every row; there is "
            "nothing to predict. Choose another column."
        )


def _plain(value: Any) -> Class:
    """Return a numpy value as Python's own."""
    plain: Class = value.item() if hasattr(value, "item") else value
    return plain


def _some(values: Any) -> str:
    return a_few(map(str, values), 5)


def class_labels(
    target: pd.Series, reading: Reading, has_classes: Callable[[pd.Series], bool]
) -> pd.Series:
    """Return a target with one spelling for each class, whole numbers whole despite gaps."""
    if is_text(target):
        target, notes = one_spelling(target)
        reading.notes.extend(notes)
        return target
    known = target.dropna()
    whole = is_float_dtype(target.dtype) and (known % 1 == 0).all()
    if whole and (known.abs() < EXACT).all() and has_classes(target):
        return target.astype("Int64")
    return target
