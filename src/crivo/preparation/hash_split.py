"""Functions for splitter blocks: split rows or groups by a hash of their names and a seed.

A row's split depends on no other row. `at_random` and `by_group` use it.
"""

from __future__ import annotations

from typing import Annotated

import pandas as pd
from pydantic import Field, ValidationInfo

from crivo.core.predictions import stable_hash

Fraction = Annotated[float, Field(gt=0, lt=1)]


def leaves_training_rows(test: float, info: ValidationInfo) -> float:
    """Return the setting `test`, or raise a ValueError if no training rows are left."""
    if info.data.get("valid", 0.0) + test >= 1:
        raise ValueError("must leave training rows: valid and test must sum to less than 1")
    return test


def has_rows(fold: int, info: ValidationInfo) -> int:
    """Return the setting `fold`, or raise a ValueError if it has no validation rows."""
    valid, test = info.data.get("valid", 0.0), info.data.get("test", 0.0)
    if fold and test + (fold + 1) * valid > 1 + 1e-9:
        raise ValueError(f"must be less than (1 - test) / valid = {(1 - test) / valid:.3g}")
    return fold


def places(names: pd.Series, seed: int, *, copies_together: bool = False) -> pd.Series:
    """Return a pseudo-random number from 0 to 1 for each name; equal names get equal numbers.

    With `copies_together`, copies of one row (`3f9c`, `3f9c~2`) have equal names.

    >>> dealt = places(pd.Series(["a", "b", "a"]), seed=0)
    >>> bool(dealt[0] == dealt[2] != dealt[1])
    True
    """
    if copies_together:
        names = names.map(without_copy)
    known = {name: stable_hash(f"{seed} {name}") / 2**64 for name in names.unique()}
    return names.map(known).astype("float64")


def without_copy(name: str) -> str:
    """Return an id without its copy number.

    >>> without_copy("3f9c~12"), without_copy("order 7")
    ('3f9c', 'order 7')
    """
    base, mark, count = name.rpartition("~")
    return base if mark and count.isdigit() else name


def splits(dealt: pd.Series, valid: float, test: float, fold: int = 0) -> pd.Series:
    """Return the split of each number: test for the lowest ones, validation for the next.

    Another `fold` takes the next validation rows from those that taught; the test rows stay.

    >>> splits(pd.Series([0.1, 0.2, 0.9]), valid=0.3, test=0.2).tolist()
    ['test', 'valid', 'train']
    >>> splits(pd.Series([0.1, 0.2, 0.9]), valid=0.4, test=0.2, fold=1).tolist()
    ['test', 'train', 'valid']
    """
    start = test + fold * valid
    result = pd.Series("train", index=dealt.index, dtype="str")
    result[(dealt >= start) & (dealt < start + valid)] = "valid"
    result[dealt < test] = "test"
    return result
