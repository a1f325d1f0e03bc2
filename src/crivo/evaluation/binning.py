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

    `codes` has a row per row and a column per feature. `meanings` holds for each feature the
    upper ends of its bins (numbers) or the names of its categories (text).
    """

    codes: np.ndarray
    names: tuple[str, ...]
    meanings: tuple[np.ndarray | tuple[str, ...], ...]

    def has_gaps(self, feature: int) -> bool:
        """Return whether some values of a feature are missing."""
        return bool((self.codes[:, feature] == MISSING).any())

    def highest(self, feature: int) -> int:
        """Return the highest code of a feature."""
        meaning = self.meanings[feature]
        return len(meaning) - isinstance(meaning, tuple)

    def words(self, feature: int, low: int, high: int) -> str:
        """Return which values have the codes from `low` to `high`."""
        name, meaning = self.names[feature], self.meanings[feature]
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
    codes = np.empty(features.shape, dtype=np.float32)
    meanings: list[np.ndarray | tuple[str, ...]] = []
    for column, name in enumerate(features):
        values = features[name]
        meaning: np.ndarray | tuple[str, ...]
        if is_numeric_dtype(values.dtype):
            column_codes, meaning = _bin_number(values.to_numpy(float, na_value=np.nan), seeks)
        else:
            column_codes, meaning = _rank_category(values, losses, seeks)
        codes[:, column] = column_codes
        meanings.append(meaning)
    return Bins(codes, tuple(map(str, features.columns)), tuple(meanings))


def _bin_number(values: np.ndarray, seeks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bin of each value, and the highest value of each bin but the last."""
    known = ~np.isnan(values)
    seen = values[seeks & known]
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
    """Return each category's place by its mean loss; one that nobody saw comes last."""
    codes, found = pd.factorize(values)
    names = found.astype("str")
    seen = seeks & (codes >= 0)
    counts = np.bincount(codes[seen], minlength=len(names))
    total = np.bincount(codes[seen], losses[seen], minlength=len(names))
    mean = np.divide(total, counts, out=np.full(len(names), np.inf), where=counts > 0)
    order = np.lexsort((np.asarray(names, dtype=str), mean))
    place = np.append(np.argsort(order), MISSING)
    return place[codes], tuple(str(name) for name in names[order])


def _some(names: Sequence[str]) -> str:
    if len(names) <= MAX_NAMES:
        return " or ".join(names)
    return f"{' or '.join(names[:MAX_NAMES])} or {len(names) - MAX_NAMES} more"
