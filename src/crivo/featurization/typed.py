"""`TypedColumns`: types of model inputs: numbers as floats, categories with fixed levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from crivo.core.errors import CrivoError
from crivo.core.inputs import as_text


class TypedColumns(TransformerMixin, BaseEstimator):
    """Keeps the named columns: `numbers` as floats, `categories` as pandas categories.

    The categories of a column are its `max_levels` most frequent values in the training rows. Any
    other value becomes missing. A column without any value in the training rows is left out. If a
    column is missing, a CrivoError is raised.

    >>> rows = pd.DataFrame({"origin": ["JFK", "EWR", "JFK"], "distance": [10, 20, 30]})
    >>> typed = TypedColumns(numbers=["distance"], categories=["origin"]).fit(rows)
    >>> typed.transform(pd.DataFrame({"origin": ["LGA"], "distance": [5]})).to_dict("list")
    {'distance': [5.0], 'origin': [nan]}
    """

    def __init__(
        self,
        numbers: Sequence[str] = (),
        categories: Sequence[str] = (),
        max_levels: int = 200,
    ) -> None:
        self.numbers = numbers
        self.categories = categories
        self.max_levels = max_levels

    def fit(self, rows: pd.DataFrame, target: Any = None) -> Self:
        """Learn which columns have values, and each category's levels."""
        require_columns(rows, (*self.numbers, *self.categories))
        self.numbers_ = [name for name in self.numbers if rows[name].notna().any()]
        self.categories_ = [name for name in self.categories if rows[name].notna().any()]
        counts = [level_counts(rows[name]) for name in self.categories_]
        self.levels_ = [sorted(each.index[: self.max_levels]) for each in counts]
        self.n_features_in_ = len(rows.columns)
        return self

    def transform(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the typed columns, numbers first, on the rows' own index."""
        check_is_fitted(self)
        require_columns(rows, (*self.numbers, *self.categories))
        numbers = {name: pd.to_numeric(rows[name]).astype("float64") for name in self.numbers_}
        categories = {
            name: _categorical(rows[name], levels)
            for name, levels in zip(self.categories_, self.levels_, strict=True)
        }
        return pd.DataFrame(numbers | categories, index=rows.index, copy=False)


def require_columns(rows: pd.DataFrame, names: Sequence[str]) -> None:
    """Raise CrivoError when the rows lack one of the columns."""
    lacking = [name for name in names if name not in rows]
    if lacking:
        raise CrivoError(
            f"The rows lack the column{'s' if len(lacking) > 1 else ''} {', '.join(lacking)}; "
            "give them (empty values count as missing) or train without them."
        )


def level_counts(values: pd.Series) -> pd.Series:
    """Return how often each level occurs, the most frequent first and equal ones by name."""
    counts = as_text(values).value_counts()
    return counts.sort_index().sort_values(ascending=False, kind="stable")


def _categorical(values: pd.Series, levels: list[str]) -> pd.Series:
    kind = pd.CategoricalDtype(pd.Index(levels, dtype="str"))
    codes, different = pd.factorize(as_text(values))  # each text is looked up once
    known = np.append(kind.categories.get_indexer(different), -1)  # the last one: missing
    encoded = pd.Categorical.from_codes(known[codes], dtype=kind)
    return pd.Series(encoded, values.index, name=values.name)
