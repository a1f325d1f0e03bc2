"""Model inputs are typed columns, a row for each row."""

import numpy as np
import pandas as pd
import pytest

from crivo.core.errors import CrivoError
from crivo.core.inputs import check_inputs

ROWS = pd.DataFrame({"a": ["x", "y"]})


def test_numbers_booleans_categories_and_text_pass() -> None:
    table = pd.DataFrame({"n": [1.5, 2], "b": [True, False], "c": pd.Categorical(["x", None])})
    table = table.assign(t=["some words", None])
    pd.testing.assert_frame_equal(check_inputs(table, ROWS), table)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (np.zeros((2, 1)), "gave a ndarray"),
        (pd.DataFrame({"a": [1.0]}), "gave 1 rows for 2"),
        (pd.DataFrame(index=[0, 1]), "at least one column"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), "each name once"),
        (ROWS.astype("object"), r"neither numbers nor categories nor text: a \(object\)"),
        (pd.DataFrame({"t": pd.to_datetime(["2020", "2021"])}), "neither numbers"),
    ],
)
def test_anything_else_is_refused(inputs: object, message: str) -> None:
    with pytest.raises(CrivoError, match=message):
        check_inputs(inputs, ROWS)
