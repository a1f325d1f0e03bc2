"""A share of the rows is cut where the sorted times have it."""

import numpy as np
import pandas as pd
import pytest

from crivo.preparation.time_split import split_by_time

NUMBERS = pd.Series(np.random.default_rng(0).permutation(10))


@pytest.mark.parametrize(
    "times",
    [
        NUMBERS,
        NUMBERS / 3,
        NUMBERS.astype("Int64"),
        pd.to_datetime(NUMBERS, unit="D"),
        pd.to_datetime(NUMBERS, unit="h").dt.tz_localize("America/New_York"),
    ],
)
def test_shares_are_those_of_the_rows_in_order(times: pd.Series) -> None:
    splits = split_by_time(times.rename("time"), (0.6, 0.8), "by_time")
    assert splits[NUMBERS.sort_values().index].tolist() == (
        ["train"] * 6 + ["valid"] * 2 + ["test"] * 2
    )
