"""Rows that are equal but for some columns are counted as by comparing every two rows."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from crivo.featurization.row_checks.copies import _Pairs


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 7])
def test_rows_are_counted_as_by_comparing_every_two(columns) -> None:
    draws = np.random.default_rng(columns)
    first, second = (
        pd.DataFrame(draws.integers(0, 3, (rows, columns))).rename(columns=str) for rows in (60, 40)
    )
    pairs = _Pairs(first, second)
    left_out = [(), *combinations(first, 1), *combinations(first, 2)]
    for names in left_out:
        one, other = (rows.drop(columns=[*names]).to_numpy() for rows in (first, second))
        equal = (one[None] == other[:, None]).all(axis=2).sum(axis=1)
        assert pairs.count(names).tolist() == equal.tolist()
