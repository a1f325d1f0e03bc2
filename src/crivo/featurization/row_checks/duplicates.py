"""Statistics of duplicate and near-duplicate rows, for the check L002 and `crivo start`.

Rows are found by keys, sums of a hash per column. `count_copies` estimates how many equal rows are
copies and not equal by chance. `identifies_rows` tells columns of ids from others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype

from crivo.core.predictions import stable_hash

# Copies are reported if they make up at least this share of the later split's rows.
MANY = 0.01
# Numbers are nearly equal within these distances, in standard deviations of a normal column. The
# smaller one is tried first, because fewer rows are that close by chance.
NEAR = (0.01, 0.05)
EXACT: Mapping[str, float] = {}
# Rows of the later split that are examined in detail.
SAMPLE = 10_000
# Fewer values than this say nothing of a column.
MIN_VALUES = 20
# All floats from here on are whole numbers.
LARGEST = 2**53
# The odds that two rows agree in a column may be this many times the odds from the frequency of its
# value: columns depend on each other, so rows that agree in others agree more often in this one.
TIMES_ODDS = 3.0
# Equal rows beyond what chance explains count from this many standard errors on.
STANDARD_ERRORS = 2.0
# A row may have this many copies and still count as rare.
FEW_COPIES = 3
# The smallest number of rows without a value: if all rows have it, the odds are infinite.
SMALL = 1e-6


def identifies_rows(parts: Sequence[pd.Series]) -> bool:
    """Return whether a column identifies the rows instead of describing them.

    Its texts or whole numbers then differ in every row. `parts`: a Series for each split.
    """
    values = pd.concat([part.dropna() for part in parts], ignore_index=True)
    if is_bool_dtype(values.dtype) or is_datetime64_any_dtype(values.dtype):
        return False
    if not values.is_unique or len(values) < MIN_VALUES:
        return False
    if is_numeric_dtype(values.dtype):
        return _whole(values)
    return not values.astype("str").str.contains(r"\s").any()


def _whole(values: pd.Series) -> bool:
    return bool(((values % 1 == 0) & (values.abs() < LARGEST)).all())


@dataclass(frozen=True)
class EqualRows:
    """The rows of a later split that equal a row of an earlier one: `equal` of its `rows`.

    `copies`: an estimate of how many of these chance doesn't explain. `near`: they are only nearly
    equal.
    """

    earlier: str
    later: str
    equal: int
    rows: int
    copies: float
    near: bool = False

    @property
    def by_chance(self) -> int:
        """The number of equal rows that chance explains."""
        return max(0, round(self.equal - self.copies))


def systematic_sample(rows: pd.DataFrame, size: int) -> pd.DataFrame:
    """Return at most `size` rows at equal steps, always the same ones."""
    return rows.take(np.arange(0, len(rows), -(-len(rows) // size) or 1))


def robust_std(rows: pd.DataFrame, columns: Iterable[str]) -> dict[str, float]:
    """Return the standard deviation of each column of fractions, estimated from its quartiles."""
    from scipy.stats import iqr

    fractions = {name: rows[name].dropna() for name in columns}
    found = {
        name: float(iqr(values, scale="normal"))
        for name, values in fractions.items()
        if values.dtype.kind == "f" and np.isfinite(values).all() and not _whole(values)
    }
    return {name: spread for name, spread in found.items() if 0 < spread < np.inf}


def row_keys(
    rows: pd.DataFrame, columns: Iterable[str], steps: Mapping[str, float] = EXACT
) -> np.ndarray:
    """Return a number for each row, the same for rows that are equal in the columns.

    Columns with a step are first rounded to whole steps.
    """
    keys = np.zeros(len(rows), "uint64")
    for name in columns:
        keys += _column_keys(rows[name], steps)
    return keys


def _column_keys(values: pd.Series, steps: Mapping[str, float]) -> np.ndarray:
    """Return a number for each value; equal values have the same number, and so do all gaps."""
    if step := steps.get(str(values.name)):
        values = (values / step).round()
    # Odd factors make the sum depend on the column that a value is in.
    factor = np.uint64(stable_hash(str(values.name)) | 1)
    return pd.util.hash_pandas_object(values, index=False).to_numpy() * factor


def count_copies(
    first: pd.DataFrame,
    second: pd.DataFrame,
    columns: Sequence[str],
    steps: Mapping[str, float] = EXACT,
) -> float:
    """Return an estimate of how many rows of a second table are copies of rows of the first.

    It compares rows that agree in all columns but one: copies also agree in that column, and other
    rows agree in it as often as its values repeat. The column that explains the most is used.
    """
    some = systematic_sample(second[list(columns)], SAMPLE)
    whole, wanted = row_keys(first, columns, steps), row_keys(some, columns, steps)
    equal, copies = _count(whole, wanted), float(len(some))
    for name in columns:
        theirs, own = (_column_keys(rows[name], steps) for rows in (first, some))
        unlike = _count(whole - theirs, wanted - own) - equal
        copies = min(copies, _beyond_chance(equal, unlike, _count(theirs, own), len(first)))
    return copies * len(second) / len(some)


def _beyond_chance(equal: np.ndarray, unlike: np.ndarray, having: np.ndarray, rows: int) -> float:
    """Return how many rows have more equal rows than a column explains.

    For each row, the arrays count the other table's rows that are `equal`, that are equal except in
    the column (`unlike`), and that have the same value in it. `rows`: the size of the other table.
    """
    # A few equal rows don't count: a value that only copies have is a rare value.
    copies = np.minimum(equal, FEW_COPIES)
    having = having - copies
    odds = TIMES_ODDS * having / np.maximum(SMALL, rows - having - copies)
    surplus = (equal - unlike * odds) / np.maximum(1, equal)
    # If no other row is similar, chance explains nothing.
    variance = np.minimum((unlike + equal) * odds, np.maximum(1, odds))[unlike > 0]
    if surplus.sum() <= STANDARD_ERRORS * sqrt(float(variance.sum())):
        return 0.0
    return min(float(surplus.sum()), float((equal > 0).sum()))


def mostly_equal_by_chance(rows: pd.DataFrame, columns: Sequence[str]) -> bool:
    """Return whether chance explains most equal rows of a table, whose last column is the target.

    It compares two random halves of the table, because copies may be anywhere.
    """
    is_second = np.random.default_rng(0).random(len(rows)) < 0.5
    first, second = rows[~is_second], rows[is_second]
    equal = int(np.isin(row_keys(second, columns), row_keys(first, columns)).sum())
    return equal > 0 and count_copies(first, second, columns) < equal / 2


def _count(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return how often each wanted key is among the keys."""
    different, places = np.unique(wanted, return_inverse=True)
    found = pd.Index(different).get_indexer(pd.Index(keys))
    counts: np.ndarray = np.bincount(found + 1, minlength=len(different) + 1)[1:]  # 0: not wanted
    return counts[places]
