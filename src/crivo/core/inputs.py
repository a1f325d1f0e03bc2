"""What model inputs must be, numbers and categories, and how plain estimators take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from crivo.core.errors import CrivoError

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def check_inputs(inputs: object, rows: pd.DataFrame) -> pd.DataFrame:
    """Return a featurizer's output; CrivoError when it is no table of typed columns."""
    if not isinstance(inputs, pd.DataFrame):
        raise CrivoError(
            f"The featurizer gave a {type(inputs).__name__}; it must give a pandas DataFrame."
        )
    if len(inputs) != len(rows):
        raise CrivoError(
            f"The featurizer gave {len(inputs)} rows for {len(rows)}; a row must give a row."
        )
    if not inputs.columns.is_unique or inputs.shape[1] == 0:
        raise CrivoError("The featurizer must give at least one column, and each name once.")
    strange = [
        f"{name} ({kind})"
        for name, kind in inputs.dtypes.items()
        if not (is_numeric_dtype(kind) or is_bool_dtype(kind) or kind == "category")
    ]
    if strange:
        raise CrivoError(
            f"The featurizer gave columns that are neither numbers nor categories: "
            f"{', '.join(strange)}."
        )
    return inputs.rename(columns=str)


def numeric_inputs(*, dense: bool = False) -> BaseEstimator:
    """Return a transformer of typed columns for estimators that take plain numbers only.

    Missing numbers become the median and are marked, all are scaled; categories become one
    column per level, levels of fewer than 10 rows one together. The result may be sparse
    unless it must be `dense`; a dense one has at most 50 columns for a category.
    """
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

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
        (numbers, make_column_selector(dtype_exclude="category")),
    )
