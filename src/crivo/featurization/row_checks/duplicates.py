"""Duplicate rows: tells copies of a row from rows that coarse values make equal by chance.

A row's key is a sum of hashes, one for each column, so that columns can be left out of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype

from crivo.core.predictions import stable_hash

# Equal rows are reported from this share of the later split's rows on.
MANY = 0.01
# Numbers nearer than this are nearly equal, in standard deviations of a normal column: near first,
# as chance makes fewer of them.
NEAR = (0.01, 0.05)
EXACT: Mapping[str, float] = {}
# Rows of the later split that are looked at closely.
SAMPLE = 10_000
# Fewer values than this say nothing of a column.
MIN_VALUES = 20
# Floats from here on are whole numbers, whatever they measure.
LARGEST = 2**53
# How many times more the odds of agreeing may be than the frequency of a value says: columns
# depend on each other, so rows that agree in the others agree in one more the more often.
TIMES_ODDS = 3.0
# So many standard errors more than chance makes are more than chance.
STANDARD_ERRORS = 2.0
# Copies that a row may have and be rare.
FEW_COPIES = 3
# Rows that a value has not, at least: of a value that all have the odds aren't numbers.
SMALL = 1e-6


def identifies_rows(parts: Sequence[pd.Series]) -> bool:
    """Return whether a column names the rows, rather than describes them; a Series per split.

    Its texts or whole numbers differ in every row.
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
    """How many of a later split's `rows` equal a row of an earlier one: `equal` of them.

    `copies` of these, many, are more than chance explains, by an estimate. `near`: they are nearly
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
        """How many of the equal rows chance explains."""
        return max(0, round(self.equal - self.copies))


def systematic_sample(rows: pd.DataFrame, size: int) -> pd.DataFrame:
    """Return at most `size` rows, the same ones every time."""
    return rows.take(np.arange(0, len(rows), -(-len(rows) // size) or 1))


def robust_std(rows: pd.DataFrame, columns: Iterable[str]) -> dict[str, float]:
    """Return the standard deviation of each column of fractions, by its quarters."""
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

    Numbers with a step count in whole steps.
    """
    keys = np.zeros(len(rows), "uint64")
    for name in columns:
        keys += _column_keys(rows[name], steps)
    return keys


def _column_keys(values: pd.Series, steps: Mapping[str, float]) -> np.ndarray:
    """Return a number for each value, the same for equal ones; gaps are equal."""
    if step := steps.get(str(values.name)):
        values = (values / step).round()
    # Odd factors: sums differ by which column a value is in.
    factor = np.uint64(stable_hash(str(values.name)) | 1)
    return pd.util.hash_pandas_object(values, index=False).to_numpy() * factor


def count_copies(
    first: pd.DataFrame,
    second: pd.DataFrame,
    columns: Sequence[str],
    steps: Mapping[str, float] = EXACT,
) -> float:
    """Return how many rows of a second table are copies of the first's, by an estimate.

    Rows that agree in all columns but one: copies agree in that one too, and rows that chance has
    made do so as often as its values repeat. The column counts that explains most.
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
    """Return how many rows have more equal ones than a column explains.

    For each row: how many of the other table's `rows` are `equal`, are equal but for the column,
    and have the row's value of it.
    """
    # A few equal rows don't count: a value that copies alone have is a rare one.
    copies = np.minimum(equal, FEW_COPIES)
    having = having - copies
    odds = TIMES_ODDS * having / np.maximum(SMALL, rows - having - copies)
    surplus = (equal - unlike * odds) / np.maximum(1, equal)
    # Copies of rows that are unlike all others leave nothing to chance.
    variance = np.minimum((unlike + equal) * odds, np.maximum(1, odds))[unlike > 0]
    if surplus.sum() <= STANDARD_ERRORS * sqrt(float(variance.sum())):
        return 0.0
    return min(float(surplus.sum()), float((equal > 0).sum()))


def mostly_equal_by_chance(rows: pd.DataFrame, columns: Sequence[str]) -> bool:
    """Return whether chance explains most equal rows of a table, whose last column is the target.

    Two halves of the table are compared, dealt out at random: copies may be anywhere.
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
