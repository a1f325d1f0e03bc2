"""Equal rows: are they copies of each other, or does chance make them of coarse values?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

# Fewer values than this say nothing of a column.
MIN_VALUES = 20
# How many times more the odds of agreeing may be than the frequency of a value says: columns
# depend on each other, so rows that agree in the others agree in one more the more often.
TIMES_ODDS = 3.0
# So many standard errors more than chance makes are more than chance.
STANDARD_ERRORS = 2.0


def names_rows(parts: Sequence[pd.Series]) -> bool:
    """Return whether a column names the rows, rather than describes them; a Series per split.

    Its texts or whole numbers differ in every row, or they count the rows, from the start again
    for each table that was put below another.
    """
    import pandas as pd
    from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_float_dtype

    kind = parts[0].dtype
    if is_bool_dtype(kind) or is_datetime64_any_dtype(kind):
        return False
    first = parts[0].head(MIN_VALUES)  # most columns are no ids, and show it soon
    if is_float_dtype(kind) and not (first.dropna() % 1 == 0).all():
        return False
    values = pd.concat([part.dropna() for part in parts], ignore_index=True)
    if len(values) < MIN_VALUES:
        return False
    if pd.api.types.is_numeric_dtype(kind):
        return bool((values % 1 == 0).all()) and (values.is_unique or _count_rows(values))
    return values.is_unique and not values.astype("str").str.contains(r"\s").any()


def _count_rows(values: pd.Series) -> bool:
    """Return whether whole numbers count: without gaps, and each as often as any other."""
    counts = values.value_counts()
    gapless = int(values.max() - values.min()) + 1 == len(counts)
    return gapless and len(counts) >= len(values) / 4 and int(counts.max() - counts.min()) <= 1


@dataclass(frozen=True)
class EqualRows:
    """How many rows of a table equal one of another: `equal`; `copies` of them beyond chance."""

    equal: int
    copies: float

    @property
    def by_chance(self) -> int:
        return max(0, round(self.equal - self.copies))


class Keys:
    """Two tables' rows as numbers, equal ones for equal rows, with any of the columns left out."""

    def __init__(self, first: pd.DataFrame, second: pd.DataFrame) -> None:
        import numpy as np

        names = list(first.columns)
        # Odd numbers, so that sums differ by which column a value is in.
        factors = np.random.default_rng(0).integers(2**63, size=len(names), dtype="uint64") * 2 + 1
        self.columns = {
            name: (_hashed(first[name]) * factor, _hashed(second[name]) * factor)
            for name, factor in zip(names, factors, strict=True)
        }
        sums = [np.sum(parts, axis=0, dtype="uint64") for parts in zip(*self.columns.values())]
        self.first, self.second = sums

    def matches(self, left_out: Iterable[str] = ()) -> np.ndarray:
        """Return how many rows of the first table each of the second equals."""
        first, second = self.first, self.second
        for name in left_out:
            first, second = first - self.columns[name][0], second - self.columns[name][1]
        return count_in(first, second)

    def frequency(self, name: str) -> np.ndarray:
        """Return the share of the first table's rows that have a value, for each of the second."""
        first, second = self.columns[name]
        shares: np.ndarray = count_in(first, second) / len(first)
        return shares


def equal_rows(first: pd.DataFrame, second: pd.DataFrame, target: str, few: float) -> EqualRows:
    """Return how many rows of the second table equal one of the first, and how many are copies.

    Copies are estimated where more than the share `few` of the rows are equal. Rows that agree in
    all columns but one: copies agree in that one too, and rows that chance has made do so as often
    as its values repeat. The column counts that explains most.
    """
    keys = Keys(first, second)
    matches = keys.matches()
    equal = int((matches > 0).sum())
    if not equal or equal < few * len(second):
        return EqualRows(equal, 0.0)
    return EqualRows(equal, min(_beyond_chance(keys, matches, name, target) for name in first))


def _beyond_chance(keys: Keys, matches: np.ndarray, name: str, target: str) -> float:
    """Return how many of the equal rows one column doesn't explain, 0 where chance may do it."""
    import numpy as np

    near = keys.matches([name])
    there = near > 0
    chance = _times_odds(keys.frequency(name)[there])
    if name == target:
        chance = np.maximum(chance, _agreeing(keys, target)[there])
    agreed = matches[there] / near[there]
    excess = float((agreed - chance).sum())
    error = sqrt(float((chance * (1 - chance)).sum()))
    could = 1 - chance[matches[there] > 0]
    if excess <= STANDARD_ERRORS * error or not could.sum():
        return 0.0
    return min(excess / float(could.mean()), float(len(could)))


def _agreeing(keys: Keys, target: str) -> np.ndarray:
    """Return how often rows that differ in one other column have a target, for each row's target.

    The features may say nearly all of it: then equal rows have equal targets, copies or not.
    """
    import numpy as np

    equal, others = keys.matches(), keys.matches([target])
    same, near = np.zeros(len(equal)), np.zeros(len(equal))
    for name in keys.columns:
        if name != target:
            same += keys.matches([name]) - equal
            near += keys.matches([name, target]) - others
    _, group = np.unique(keys.columns[target][1], return_inverse=True)
    sums = np.bincount(group, same), np.bincount(group, near)
    shares: np.ndarray = np.divide(sums[0], sums[1], out=np.zeros(len(sums[0])), where=sums[1] > 0)
    return shares[group]


def count_in(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return how often each wanted key is among the keys.

    >>> import numpy as np
    >>> count_in(np.array([3, 1, 3]), np.array([3, 2, 4])).tolist()
    [2, 0, 0]
    """
    import numpy as np

    known, counts = np.unique(keys, return_counts=True)
    place = np.searchsorted(known, wanted).clip(max=len(known) - 1)
    found: np.ndarray = np.where(known[place] == wanted, counts[place], 0)
    return found


def _times_odds(chance: np.ndarray) -> np.ndarray:
    """Return the chance of `TIMES_ODDS` times the odds.

    >>> import numpy as np
    >>> _times_odds(np.array([0.0, 0.5, 1.0])).tolist()
    [0.0, 0.75, 1.0]
    """
    more: np.ndarray = TIMES_ODDS * chance / (1 + (TIMES_ODDS - 1) * chance)
    return more


def _hashed(values: pd.Series) -> np.ndarray:
    import pandas as pd

    hashed: np.ndarray = pd.util.hash_pandas_object(values, index=False).to_numpy()
    return hashed
