"""Check L002: copies of training rows among the held-out rows.

Equal rows are found by keys, sums of a hash per column. `count_copies` estimates how many of them
are copies and not equal by chance. `identifies_rows` tells columns of ids from others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype

from crivo.core.artifacts import SPLITS
from crivo.core.findings import Found
from crivo.core.predictions import stable_hash
from crivo.featurization.row_checks.split_rows import SAMPLE, SplitRows, check, systematic_sample

# Copies are reported if they make up at least this share of the later split's rows.
MANY = 0.01
# Numbers are nearly equal within these distances, in standard deviations of a normal column. The
# smaller one is tried first, because fewer rows are that close by chance.
NEAR = (0.01, 0.05)
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


@check(
    "L002",
    "Copies of training rows are among the held-out rows",
    severity="warning",
    example="train/test: 31 rows (4.2 %) equal a row of train in every feature and the target, and "
    "chance explains about 2; drop rows that were entered twice, or keep them in one split with a "
    "group.",
)
def copies_apart(rows: SplitRows) -> Iterator[Found]:
    """A copy is a row that the model has already seen, although its id is different. The check
    reports copies if they make up at least one row in a hundred, not counting rows that are equal
    by chance. It ignores columns that identify the rows: columns of whole numbers, or of text
    without spaces, in which no value is repeated.

    How does the check tell copies from rows that are equal by chance? It leaves one column out and
    looks at the rows that agree in all others. Copies also agree in the column that was left out.
    Other rows agree in it only as often as its values repeat. The check estimates this rate from
    the frequencies of the values, and triples the odds because columns depend on each other. It
    leaves out the column for which chance explains the most equal rows. If chance alone would
    produce as many equal rows as there are, the check can't recognise copies, but they do little
    harm then.

    If there is nothing to report, the check also looks for nearly equal rows, among at most 10,000
    rows of each split. In such rows, fractions may differ by a twentieth of their column's standard
    deviation, as they might if something was measured twice.
    """
    parts, sample = {name: rows.split(name) for name in SPLITS}, rows.sample()
    naming = [
        name
        for name in rows.features
        if sample[name].dropna().is_unique
        and identifies_rows([part[name] for part in parts.values()])
    ]
    columns = [name for name in [*rows.features, rows.schema.target] if name not in naming]
    if len(columns) == 1:
        return
    but = " and ".join(f"`{name}`" for name in naming)
    what = f"the target and every feature but {but}" if but else "every feature and the target"
    spread = _spread(sample[columns])
    for near in (0.0, *NEAR) if spread else (0.0,):
        steps = {name: near * std for name, std in spread.items()}
        some = {name: _rounded(part, steps) for name, part in parts.items()} if near else parts
        found = [*_copies(some, columns)]
        for one, other, equal, copies in found:
            share, chance = 100 * equal / len(some[other]), max(0, round(equal - copies))
            yield Found(
                f"{one}/{other}",
                f"{equal} rows ({share:.1f} %) {'nearly ' if near else ''}equal a row of {one} in "
                f"{what}, and chance explains {f'about {chance}' if chance else 'none'}; drop rows "
                "that were entered twice, or keep them in one split with a group.",
            )
        if found:
            return


def _copies(
    parts: Mapping[str, pd.DataFrame], columns: Sequence[str]
) -> Iterator[tuple[str, str, int, float]]:
    """Yield two splits, how many rows of the later are in the earlier, and how many are copies."""
    numbers = [name for name in columns if parts["train"][name].dtype.kind in "biufM"]
    # The keys of text take longest.
    for one, other, equal in _equal(parts, numbers or columns) and _equal(parts, columns):
        first, second = (np.stack([*_keys(parts[name], columns)]) for name in (one, other))
        many = MANY * len(parts[other])
        if (copies := count_copies(first, second, many)) >= many:
            yield one, other, equal, copies


def _equal(parts: Mapping[str, pd.DataFrame], columns: Sequence[str]) -> list[tuple[str, str, int]]:
    """Return pairs of splits, and how many rows of the later are in the earlier, if many are."""
    of_rows: dict[str, Any] = {name: sum(_keys(part, columns)) for name, part in parts.items()}
    pairs = [
        (one, other, int(pd.Index(of_rows[other]).isin(of_rows[one]).sum()))
        for one, other in combinations(parts, 2)
    ]
    return [pair for pair in pairs if pair[2] >= MANY * len(parts[pair[1]]) > 0]


def identifies_rows(parts: Sequence[pd.Series]) -> bool:
    """Return whether a column identifies the rows instead of describing them.

    Its texts or whole numbers then differ in every row. `parts`: a Series for each split.
    """
    values = pd.concat([part.dropna() for part in parts])
    if is_bool_dtype(values.dtype) or is_datetime64_any_dtype(values.dtype):
        return False
    if not values.is_unique or len(values) < MIN_VALUES:
        return False
    if is_numeric_dtype(values.dtype):
        return _whole(values)
    return not values.astype("str").str.contains(r"\s").any()


def _whole(values: pd.Series) -> bool:
    return bool(((values % 1 == 0) & (values.abs() < LARGEST)).all())


def _spread(rows: pd.DataFrame) -> dict[str, float]:
    """Return the standard deviation of each column of fractions, estimated from its quartiles."""
    from scipy.special import ndtri

    spread = {}
    for name in rows:
        values = rows[name].dropna()
        if values.dtype.kind == "f" and np.isfinite(values).all() and not _whole(values):
            spread[str(name)] = float(np.ptp(values.quantile([0.25, 0.75])) / (2 * ndtri(0.75)))
    return {name: std for name, std in spread.items() if 0 < std < np.inf}


def _rounded(rows: pd.DataFrame, steps: Mapping[str, float]) -> pd.DataFrame:
    """Return a sample of the rows with columns rounded to steps: nearly equal numbers are equal."""
    some = systematic_sample(rows)
    return some.assign(**{name: (some[name] / step).round() for name, step in steps.items()})


def _keys(rows: pd.DataFrame, columns: Sequence[str]) -> Iterator[np.ndarray]:
    """Give the values of each column a number; equal values have the same, and so have its gaps.

    Rows that are equal in columns have the same sum.
    """
    for name in columns:
        # Odd factors make the sum depend on the column that a value is in.
        factor = np.uint64(stable_hash(str(name)) | 1)
        yield pd.util.hash_pandas_object(rows[name], index=False).to_numpy() * factor


def count_copies(first: np.ndarray, second: np.ndarray, many: float) -> float:
    """Return an estimate of how many rows of a second table are copies of rows of the first.

    `first` and `second`: the keys of their values, of shape (columns, rows). Rows are compared that
    agree in all columns but one: copies also agree in that column, and other rows agree in it as
    often as its values repeat. The column that explains the most is used, or the first that leaves
    fewer than `many`.
    """
    some = second[:, :: -(-second.shape[1] // SAMPLE)]
    part = some.shape[1] / second.shape[1]
    whole, wanted = first.sum(axis=0), some.sum(axis=0)
    equal, copies = _count(whole, wanted), float(some.shape[1])
    for values, own in zip(first, some, strict=True):
        unlike = _count(whole - values, wanted - own) - equal
        surplus = _beyond_chance(equal, unlike, _count(values, own), first.shape[1])
        if (copies := min(copies, surplus)) < many * part:
            break
    return copies / part


def _beyond_chance(equal: np.ndarray, unlike: np.ndarray, having: np.ndarray, rows: int) -> float:
    """Return how many rows have more equal rows than a column explains.

    For each row, the arrays count the other table's rows that are `equal`, that are equal except in
    the column (`unlike`), and that have the same value in it. `rows`: the size of the other table.
    """
    # A few equal rows don't count: a value that only copies have is a rare value.
    copies = np.minimum(equal, FEW_COPIES)
    having = having - copies
    odds = TIMES_ODDS * having / np.maximum(SMALL, rows - having - copies)
    surplus = float(((equal - unlike * odds) / np.maximum(1, equal)).sum())
    # If no other row is similar, chance explains nothing.
    variance = np.minimum((unlike + equal) * odds, np.maximum(1, odds))[unlike > 0]
    if surplus <= STANDARD_ERRORS * sqrt(float(variance.sum())):
        return 0.0
    return min(surplus, float((equal > 0).sum()))


def _count(keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return how often each wanted key is among the keys."""
    places, different = pd.factorize(wanted)
    found = pd.Index(different).get_indexer(keys)
    return np.bincount(found[found >= 0], minlength=len(different))[places]


def mostly_equal_by_chance(rows: pd.DataFrame, columns: Sequence[str]) -> bool:
    """Return whether chance explains most equal rows of a table, whose last column is the target.

    It compares two random halves of the table, because copies may be anywhere.
    """
    keys = np.stack([*_keys(rows, columns)])
    is_second = np.random.default_rng(0).random(len(rows)) < 0.5
    first, second = keys[:, ~is_second], keys[:, is_second]
    equal = int(np.isin(second.sum(axis=0), first.sum(axis=0)).sum())
    return equal > 0 and count_copies(first, second, equal / 2) < equal / 2
