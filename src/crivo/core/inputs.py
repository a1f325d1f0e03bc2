"""Checks model inputs (a featurizer's output), and encodes them for plain estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
from pandas.api.types import is_bool_dtype, is_float_dtype, is_numeric_dtype

from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from crivo.core.blocks import Model
    from crivo.core.textinputs import Cut

# The type of a column of text, as pandas names it.
TEXT = "str"


def check_inputs(inputs: object, rows: pd.DataFrame) -> pd.DataFrame:
    """Return a featurizer's output; CrivoError when it isn't a table of typed columns."""
    if not isinstance(inputs, pd.DataFrame) or len(inputs) != len(rows):
        size = f" of {len(inputs)} rows" if isinstance(inputs, pd.DataFrame) else ""
        raise CrivoError(
            f"The featurizer returned a {type(inputs).__name__}{size} for {len(rows)} rows; it "
            "must return a pandas DataFrame with one row for each."
        )
    if not inputs.columns.is_unique or inputs.shape[1] == 0:
        raise CrivoError(
            "The featurizer must return at least one column, and use each name only once."
        )
    strange = [
        f"{name} ({kind})"
        for name, kind in inputs.dtypes.items()
        if not (is_numeric_dtype(kind) or is_bool_dtype(kind) or kind in ("category", TEXT))
    ]
    if strange:
        raise CrivoError(
            f"The featurizer gave columns that are neither numbers nor categories nor text: "
            f"{', '.join(strange)}."
        )
    return inputs.rename(columns=str)


def with_shared_levels(inputs: pd.DataFrame) -> pd.DataFrame:
    """Return inputs of the same values, in which equal texts of a category are one object.

    An estimator that asks pandas for objects would else get a new text for each row, and again with
    each call.
    """
    shared = inputs.copy(deep=False)
    for name in inputs.select_dtypes("category").columns:
        levels = inputs[name].cat.categories
        if isinstance(levels.dtype, pd.StringDtype):
            objects: Any = levels.astype(pd.StringDtype("python", na_value=levels.dtype.na_value))
            shared[name] = inputs[name].cat.rename_categories(objects)
    return shared


def as_text(values: pd.Series) -> pd.Series:
    """Return any values as text: whole numbers without a point, missing stays missing.

    >>> as_text(pd.Series([1.0, 2.5, None])).tolist()
    ['1', '2.5', nan]
    >>> as_text(pd.Series([-0.0, 7, "2.0", True, None])).tolist()
    ['0', '7', '2.0', 'True', nan]
    """
    if values.dtype == object:  # numbers and texts, as in JSON
        values = values.map(lambda one: str(int(one)) if _is_whole(one) else one)
    text = values.astype("str")
    if is_float_dtype(values.dtype):  # a gap elsewhere has made 1 a float
        text = text.str.removesuffix(".0")
    known = values.notna()
    return text if known.all() else text.where(known)


def _is_whole(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer()


def texts_of(inputs: pd.DataFrame) -> list[str]:
    """Return the names of the inputs that are text."""
    return [str(name) for name, kind in inputs.dtypes.items() if kind == TEXT]


def require_taken(inputs: pd.DataFrame, name: str, model: Model) -> None:
    """Raise CrivoError when inputs are text and the model of this name takes none."""
    if (texts := texts_of(inputs)) and not model.takes_text:
        raise CrivoError(
            f"The model {name} can't use the text in {', '.join(texts)}; set "
            "featurizers.tabular.keep_text=false to turn text into numbers, or use a model that "
            "accepts text, such as model=linear."
        )


def numeric_inputs(*, dense: bool = False, text: Cut = "words") -> BaseEstimator:
    """Return a transformer of typed columns for estimators that accept only numbers.

    Missing numbers become the median, and a column marks them; then all numbers are scaled. Each
    category becomes a column of zeros and ones; categories with fewer than 10 rows share one
    column. A text column becomes the TF-IDF weights of its `words`, its `characters`, or `both`.

    If there is text, the result is sparse. Otherwise, it may be sparse unless `dense` is true; a
    dense result has at most 50 columns per categorical column.
    """
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    from crivo.core.textinputs import TextVectorizer

    numbers = make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True),
        StandardScaler(),
    )
    categories = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        min_frequency=10,
        max_categories=50 if dense else None,
        sparse_output=not dense,
    )
    return make_column_transformer(
        (categories, make_column_selector(dtype_include="category")),
        (numbers, make_column_selector(dtype_exclude=["category", TEXT])),
        (TextVectorizer(text), make_column_selector(dtype_include=TEXT)),
    )
