"""Numbers for people: digits by the interval, the same in a column, none in identifiers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from crivo.evaluation.report.numbers import number
from crivo.evaluation.report.tables import to_table


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (999.94, "999.9"),
        (999.96, "1,000"),
        (1000, "1,000"),
        (-1000.4, "−1,000"),
        (12, "12.00"),
        (0, "0.000"),
        (1e-7, "1.000e−07"),
        (np.nan, "not defined"),
    ],
)
def test_a_number_has_four_digits(value: float, said: str) -> None:
    assert number(value) == said


def test_a_column_has_one_number_of_digits_that_of_its_median_interval() -> None:
    frame = pd.DataFrame({"auc": [0.5, 0.51, 0.6], "auc_low": [0.4, 0.45, 0.5996]})
    frame["auc_high"] = [0.6, 0.57, 0.6004]
    (column,) = to_table(frame, "").columns
    assert column.head == "auc"
    assert list(column.texts) == [
        "0.500 [0.400, 0.600]",
        "0.510 [0.450, 0.570]",
        "0.600 [0.600, 0.600]",
    ]


def test_columns_of_the_data_keep_their_digits_and_get_no_separators() -> None:
    frame = pd.DataFrame(
        {"flight": [5199, 234], "dep_time": [1530.0, np.nan], "score": [0.0321692, 0.97047]}
    )
    texts = [list(column.texts) for column in to_table(frame, "", raw=True).columns]
    assert texts == [["5199", "234"], ["1530", ""], ["0.0322", "0.9705"]]
    counted = to_table(frame[["flight"]], "").columns[0]
    assert list(counted.texts) == ["5,199", "234"]
