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
        change = difference(copy, table, exact=True)
        promise(change is None, f"{doing} changed the table it was given ({change}).")


def difference(
    expected: pd.DataFrame | pd.Series, given: pd.DataFrame | pd.Series, *, exact: bool = False
) -> str | None:
    """Return what tells two tables apart, or None when they are equal.

    Numbers may differ in their last digits unless `exact`.

    >>> difference(pd.Series([1.0, 2.0], name="a"), pd.Series([1.0, 3.0], name="a"))
    'a differs in 1 of 2 rows: 2.0 became 3.0'
    """
    if isinstance(expected, pd.Series):
        expected = expected.to_frame()
    if isinstance(given, pd.Series):
        given = given.to_frame()
    if list(expected.columns) != list(given.columns):
        return f"columns {list(expected.columns)} became {list(given.columns)}"
    if len(expected) != len(given):
        return f"{len(expected)} rows became {len(given)}"
    if not expected.index.equals(given.index):
        return "the index changed"
    for position, name in enumerate(expected.columns):
        change = _column_difference(expected.iloc[:, position], given.iloc[:, position], exact)
        if change:
            return f"{name} {change}"
    return None


def numbers_alike(expected: pd.DataFrame, given: pd.DataFrame) -> pd.DataFrame:
    """Return a table with floats as integers, or integers as floats, where another one has these.

    A whole number is a float where another row of its column has a gap or a fraction. All else
    stays, so that `difference` tells it.
    """
    if list(expected.columns) != list(given.columns):
        return given
    columns = {name: _in_form_of(expected[name], given[name]) for name in given}
    return pd.DataFrame(columns, index=given.index)


def _in_form_of(expected: pd.Series, given: pd.Series) -> pd.Series:
    form, other = (is_integer_dtype(values.dtype) for values in (expected, given))
    if form == other or not _is_number(expected) or not is_whole(given):
        return given
    cast = given.astype(expected.dtype)
    return cast if (_floats(cast) == _floats(given)).all() else given


def in_other_form(values: pd.Series) -> pd.Series:
    """Return whole numbers as floats where they are integers, else as integers; others stay."""
    if not is_whole(values):
        return values
    return values.astype("float64" if is_integer_dtype(values.dtype) else "int64")


def is_whole(values: pd.Series) -> bool:
    """Say whether a column has numbers that are the same as integers and as floats."""
    if not _is_number(values):
        return False
    numbers = _floats(values)
    return bool(((numbers == np.floor(numbers)) & (np.abs(numbers) < EXACT)).all())


def _is_number(values: pd.Series) -> bool:
    return is_numeric_dtype(values.dtype) and not is_bool_dtype(values.dtype)


def _floats(values: pd.Series) -> np.ndarray:
    return values.to_numpy(float, na_value=np.nan)


def _column_difference(expected: pd.Series, given: pd.Series, exact: bool) -> str | None:
    if expected.dtype != given.dtype:
        return f"of type {expected.dtype} became {given.dtype}"
    if _is_number(expected) and not exact:
        left, right = _floats(expected), _floats(given)
        same = np.isclose(left, right, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
    else:
        left, right = (_objects(split) for split in (expected, given))
        same = left == right
    if same.all():
        return None
    first = int(np.argmin(same))
    return (
        f"differs in {(~same).sum()} of {len(same)} rows: "
        f"{expected.iat[first]} became {given.iat[first]}"
    )


def _objects(values: pd.Series) -> np.ndarray:
    """Return a column's values as Python objects, missing ones as None."""
    return values.astype("object").where(values.notna(), None).to_numpy()
