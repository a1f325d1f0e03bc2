"""Features as small whole numbers that a tree can split, and the splits in words again.

A number becomes the bin it lies in, a category its place by the mean loss, what is missing -1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

MISSING = -1
BINS = 32
# A rule names so many categories at most.
MAX_NAMES = 5


@dataclass(frozen=True)
class Bins:
    """Coded features, and what the codes of each mean.

    `codes` has a row per row that seeks and a column per feature. `meanings` holds for each
    feature the upper ends of its bins (numbers) or the names of its categories (text).
    """

    features: pd.DataFrame
    codes: np.ndarray
    meanings: tuple[np.ndarray | tuple[str, ...], ...]

    def up_to(self, feature: int, code: int) -> np.ndarray:
        """Return which of all rows have at most this code."""
        values, meaning = self.features.iloc[:, feature], self.meanings[feature]
        if isinstance(meaning, tuple):
            codes, names = _named(values)
            return np.append(~names.isin(meaning[code + 1 :]), True)[codes]
        numbers = _numbers(values)
        return np.isnan(numbers) if code == MISSING else ~(numbers > meaning[code])

    def has_gaps(self, feature: int) -> bool:
        """Return whether some values of a feature are missing."""
        return bool(self.features.iloc[:, feature].isna().any())

    def highest(self, feature: int) -> int:
        """Return the highest code of a feature."""
        meaning = self.meanings[feature]
        return len(meaning) - isinstance(meaning, tuple)

    def words(self, feature: int, low: int, high: int) -> str:
        """Return which values have the codes from `low` to `high`."""
        name, meaning = self.features.columns[feature], self.meanings[feature]
        if high == MISSING:
            return f"{name} is missing"
        missing = " or missing" if low == MISSING and self.has_gaps(feature) else ""
        if isinstance(meaning, tuple):
            return f"{name} = {_some(sorted(meaning[max(low, 0) : high + 1]))}{missing}"
        parts = []
        if low > 0:
            parts.append(f"> {meaning[low - 1]:.6g}")
        if high < len(meaning):
            parts.append(f"<= {meaning[high]:.6g}")
        return f"{name} {' and '.join(parts) or 'is known'}{missing}"


def bin_features(features: pd.DataFrame, losses: np.ndarray, seeks: np.ndarray) -> Bins:
    """Return the features coded by what the rows that seek look like."""
    codes = np.empty((int(seeks.sum()), features.shape[1]), dtype=np.float32, order="F")
    meanings: list[np.ndarray | tuple[str, ...]] = []
    for column, name in enumerate(features):
        values = features[name]
        meaning: np.ndarray | tuple[str, ...]
        if is_numeric_dtype(values.dtype):
            column_codes, meaning = _bin_number(_numbers(values)[seeks])
        else:
            column_codes, meaning = _rank_category(values, losses, seeks)
        codes[:, column] = column_codes
        meanings.append(meaning)
    return Bins(features, codes, tuple(meanings))


def _numbers(values: pd.Series) -> np.ndarray:
    return values.to_numpy(float, na_value=np.nan)


def _named(values: pd.Series) -> tuple[np.ndarray, pd.Index]:
    """Return each row's place among the names of the categories, -1 where it is missing."""
    codes, found = pd.factorize(values)
    return codes, pd.Index(found).astype("str")


def _bin_number(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bin of each value, and the highest value of each bin but the last."""
    known = ~np.isnan(values)
    seen = values[known]
    if not len(seen):
        return np.where(known, 0, MISSING), seen
    places = (len(seen) - 1) * np.arange(1, BINS) // BINS
    ends = np.unique(np.sort(seen)[places])
    codes = np.zeros(len(values), dtype=np.int8)
    for end in ends:  # a search for each value takes five times as long
        codes += values > end
    return np.where(known, codes, MISSING), ends


def _rank_category(
    values: pd.Series, losses: np.ndarray, seeks: np.ndarray
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the place of each row that seeks by its category's mean loss.

    A category that none of them has comes last.
    """
    codes, names = _named(values)
    seen = seeks & (codes >= 0)
    counts = np.bincount(codes[seen], minlength=len(names))
    total = np.bincount(codes[seen], losses[seen], minlength=len(names))
    mean = np.divide(total, counts, out=np.full(len(names), np.inf), where=counts > 0)
    order = np.lexsort((np.asarray(names, dtype=str), mean))
    place = np.append(np.argsort(order), MISSING)
    return place[codes[seeks]], tuple(str(name) for name in names[order])


def _some(names: Sequence[str]) -> str:
    if len(names) <= MAX_NAMES:
        return " or ".join(names)
    return f"{' or '.join(names[:MAX_NAMES])} or {len(names) - MAX_NAMES} more"
