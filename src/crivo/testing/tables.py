"""Tells two tables apart in a few words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_integer_dtype, is_numeric_dtype

from crivo.testing.contract import promise

# Sums of floating-point numbers depend on their order in the last digits.
TOLERANCE = 1e-9
# Integers from here on can't be told apart as floats.
EXACT = 2**53


@contextmanager
def unchanged(*tables: pd.DataFrame | pd.Series, doing: str) -> Iterator[None]:
    """Check that the tables are afterwards as they were before."""
    before = [table.copy(deep=True) for table in tables]
    yield
    for table, copy in zip(tables, before, strict=True):
        require_equal(copy, table, f"{doing} changed the table it was given", exact=True)


def require_equal(
    expected: pd.DataFrame | pd.Series,
    given: pd.DataFrame | pd.Series,
    finding: str,
    advice: str = "",
    **how: bool,
) -> None:
    """Raise BrokenPromise with the finding, what differs, and advice unless two tables are equal.

    `how` is what `difference` takes.
    """
    change = difference(expected, given, **how)
    promise(change is None, f"{finding} ({change}){advice and '; '}{advice}.")


def difference(
    expected: pd.DataFrame | pd.Series,
    given: pd.DataFrame | pd.Series,
    *,
    exact: bool = False,
    either_number: bool = False,
) -> str | None:
    """Return what tells two tables apart, or None when they are equal.

    Numbers may differ in their last digits unless `exact`. With `either_number`, an integer and a
    float are equal if they are the same number.

    >>> difference(pd.Series([1.0, 2.0], name="a"), pd.Series([1.0, 3.0], name="a"))
    'a differs in 1 of 2 rows: 2.0 became 3.0'
    """
    expected, given = pd.DataFrame(expected), pd.DataFrame(given)
    if list(expected.columns) != list(given.columns):
        return f"columns {list(expected.columns)} became {list(given.columns)}"
    if len(expected) != len(given):
        return f"{len(expected)} rows became {len(given)}"
    if not expected.index.equals(given.index):
        return "the index changed"
    for (name, left), (_, right) in zip(expected.items(), given.items(), strict=True):
        if either_number and _is_number(left) and _is_number(right):
            left, right = left.astype("float64"), right.astype("float64")
        if left.dtype != right.dtype:
            return f"{name} of type {left.dtype} became {right.dtype}"
        same = (left.astype("object") == right.astype("object")) | (left.isna() & right.isna())
        if _is_number(left) and not exact:
            same |= np.isclose(_floats(left), _floats(right), rtol=TOLERANCE, atol=TOLERANCE)
        if not same.all():
            first = int(np.argmin(same))
            what = f"{left.iat[first]} became {right.iat[first]}"
            return f"{name} differs in {(~same).sum()} of {len(same)} rows: {what}"
    return None


def in_other_form(values: pd.Series) -> pd.Series:
    """Return whole numbers as floats where they are integers, else as integers; others stay."""
    if is_integer_dtype(values.dtype):
        return values.astype("float64")
    if not _is_number(values):
        return values
    numbers = _floats(values)
    whole = (numbers == np.floor(numbers)) & (np.abs(numbers) < EXACT)
    return values.astype("int64") if whole.all() else values


def _floats(values: pd.Series) -> np.ndarray:
    return values.to_numpy(float, na_value=np.nan)


def _is_number(values: pd.Series) -> bool:
    return is_numeric_dtype(values.dtype) and not is_bool_dtype(values.dtype)
