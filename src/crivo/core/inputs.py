"""What model inputs must be: numbers and categories, a row for each row."""

from __future__ import annotations

import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from crivo.core.errors import CrivoError


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
