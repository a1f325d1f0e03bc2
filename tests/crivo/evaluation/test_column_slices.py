"""Which slices a column has: its values, bins of its numbers, the most frequent of very many."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from crivo.evaluation.slices import column_slices


def names(values: Iterable[Any]) -> list[str]:
    """Return the names of the slices of a column called n."""
    return [one.name for one in column_slices(pd.DataFrame({"slice_n": values}))]


def test_a_number_is_cut_into_bins_of_equally_many_rows() -> None:
    bins = ["n = 0 to 299", "n = 300 to 599", "n = 600 to 899", "n = 900 to 1199"]
    assert names(range(1200)) == bins


def test_where_half_of_the_numbers_are_equal_there_are_fewer_bins() -> None:
    # Sorted, the 900th is 200 and the 901st 201: a quarter of the rows lies above.
    assert names([0] * 700 + list(range(1, 501))) == ["n = 0 to 200", "n = 201 to 500"]


def test_ten_numbers_are_values_and_eleven_are_bins() -> None:
    assert names(np.arange(1100) % 10) == [f"n = {i}" for i in range(10)]
    # Of 1,100 rows, a hundred of each number, the 275th is a 2, the 550th a 5, the 825th an 8.
    bins = {f"n = {ends}" for ends in ("0 to 2", "3 to 5", "6 to 8", "9 to 10")}
    assert set(names(np.arange(1100) % 11)) == bins


def test_the_most_frequent_come_first_and_of_equally_frequent_the_first_seen() -> None:
    found = names([f"v{i}" for i in range(40) for _ in range(60 if i == 39 else 30)])
    assert found == [*(f"n = v{i}" for i in (39, *range(19))), "n: 20 further values"]


def test_each_slice_says_its_column_and_which_rows_it_has() -> None:
    table = pd.DataFrame({"id": range(3), "slice_n": ["x", None, "x"], "slice_m": [1, 2, 2]})
    found = [(one.column, one.inside.tolist()) for one in column_slices(table)]
    assert found == [
        ("n", [True, False, True]),
        ("n", [False, True, False]),
        ("m", [False, True, True]),
        ("m", [True, False, False]),
    ]
