"""Gives model inputs their types: numbers as floats, categories with fixed levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from crivo.core.errors import CrivoError


class TypedColumns(TransformerMixin, BaseEstimator):
    """Keeps the named columns: `numbers` as floats, `categories` as pandas categories.

    A category's levels are the `max_levels` most frequent values of the training rows; any
    other value, seen or unseen, becomes missing. A column without any value in the training
    rows is left out; one that is not there is a CrivoError.

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
        self._require(rows)
        self.numbers_ = [name for name in self.numbers if rows[name].notna().any()]
        self.categories_ = [name for name in self.categories if rows[name].notna().any()]
        self.levels_ = [self._levels(rows[name]) for name in self.categories_]
        self.n_features_in_ = len(rows.columns)
        return self

    def transform(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the typed columns, numbers first, on the rows' own index."""
        check_is_fitted(self)
        self._require(rows)
        numbers = {name: pd.to_numeric(rows[name]).astype("float64") for name in self.numbers_}
        categories = {
            name: _categorical(rows[name], levels)
            for name, levels in zip(self.categories_, self.levels_, strict=True)
        }
        return pd.DataFrame(numbers | categories, index=rows.index)

    def get_feature_names_out(self, names: Any = None) -> list[str]:
        """Return the names of the columns that `transform` gives."""
        check_is_fitted(self)
        return [*self.numbers_, *self.categories_]

    def _require(self, rows: pd.DataFrame) -> None:
        lacking = [name for name in (*self.numbers, *self.categories) if name not in rows]
        if lacking:
            raise CrivoError(
                f"The rows lack the column{'s' if len(lacking) > 1 else ''} {', '.join(lacking)}; "
                "give them (empty values count as missing) or train without them."
            )

    def _levels(self, values: pd.Series) -> list[str]:
        counts = values.dropna().astype("str").value_counts().rename_axis("value").reset_index()
        counts = counts.sort_values(["count", "value"], ascending=[False, True])
        return sorted(counts["value"].head(self.max_levels))


def _categorical(values: pd.Series, levels: list[str]) -> pd.Series:
    text = values.astype("str").where(values.notna())
    # pandas will refuse values outside the levels: make them missing first.
    known = text.where(text.isin(levels))
    return known.astype(pd.CategoricalDtype(pd.Index(levels, dtype="str")))
