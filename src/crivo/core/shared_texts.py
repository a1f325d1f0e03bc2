"""Makes equal texts of a column one Python object, which saves libraries time and memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


def shared_texts(values: pd.Series) -> pd.Series:
    """Return a column of the same values, in which equal texts are one object.

    A library that asks pandas for objects would else get a new text for each row, and again with
    each call. Columns of other types are returned as they are.
    """
    if not isinstance(values.dtype, pd.StringDtype):
        return values
    codes, texts = pd.factorize(values, use_na_sentinel=False)
    objects = np.asarray(texts, dtype=object)[codes]
    return pd.Series(objects, values.index, _of_objects(values.dtype), values.name, copy=False)


def with_shared_levels(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of the same values, in which equal texts of a category are one object.

    It is to categories what `shared_texts` is to texts. pandas calls the types of both different.
    """
    shared = table.copy(deep=False)
    for name in table.select_dtypes("category").columns:
        levels = table[name].cat.categories
        if isinstance(levels.dtype, pd.StringDtype):
            objects = levels.astype(_of_objects(levels.dtype))
            shared[name] = table[name].cat.rename_categories(objects)
    return shared


def _of_objects(kind: pd.StringDtype) -> Any:
    return pd.StringDtype("python", na_value=kind.na_value)
