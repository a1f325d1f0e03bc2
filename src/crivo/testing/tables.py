"""Tells two tables apart in a few words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from crivo.testing.contract import promise

# Sums of floating-point numbers depend on their order in the last digits.
TOLERANCE = 1e-9


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
    """Return a table whose integers are floats where those of the other one are, and vice versa.

    A whole number is a float where another row of its column has a gap or a fraction.
    """
    types = {
        name: expected[name].dtype
        for name in given.columns.intersection(expected.columns)
        if _is_number(expected[name]) and _is_whole(given[name])
    }
    return given.astype(types)


def _is_number(values: pd.Series) -> bool:
    return is_numeric_dtype(values.dtype) and not is_bool_dtype(values.dtype)


def _is_whole(values: pd.Series) -> bool:
    return _is_number(values) and bool((values.notna() & (values % 1 == 0)).all())


def _column_difference(expected: pd.Series, given: pd.Series, exact: bool) -> str | None:
    if expected.dtype != given.dtype:
        return f"of type {expected.dtype} became {given.dtype}"
    if _is_number(expected) and not exact:
        left, right = (
            expected.to_numpy(float, na_value=np.nan),
            given.to_numpy(float, na_value=np.nan),
        )
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
