"""Tables are told apart in words that a person understands."""

import numpy as np
import pandas as pd
import pytest

from crivo.testing.tables import difference

ROWS = pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": ["x", "y", None], "c": [1, 2, 3]})

CASES = [
    (lambda t: t.assign(a=[1.0, np.nan, 4.0]), "a differs in 1 of 3 rows: 3.0 became 4.0"),
    (lambda t: t.assign(a=[1.0, 2.0, 3.0]), "a differs in 1 of 3 rows: nan became 2.0"),
    (lambda t: t.assign(b=["x", "z", None]), "b differs in 1 of 3 rows: y became z"),
    (lambda t: t.astype({"c": "float64"}), "c of type int64 became float64"),
    (lambda t: t[["b", "a", "c"]], "columns ['a', 'b', 'c'] became ['b', 'a', 'c']"),
    (lambda t: t.head(2), "3 rows became 2"),
    (lambda t: t.set_axis([2, 1, 0], axis="index"), "the index changed"),
]


@pytest.mark.parametrize(("change", "words"), CASES)
def test_what_differs_is_said_in_words(change, words: str) -> None:
    assert difference(ROWS, change(ROWS.copy())) == words


def test_numbers_may_differ_in_their_last_digits_unless_exact() -> None:
    nearly = ROWS.assign(a=ROWS["a"] * (1 + 1e-12))
    assert difference(ROWS, nearly) is None
    assert "a differs in" in str(difference(ROWS, nearly, exact=True))


def test_other_levels_of_a_category_are_a_difference() -> None:
    few = pd.DataFrame({"k": pd.Categorical(["x"], categories=["x"])})
    more = pd.DataFrame({"k": pd.Categorical(["x"], categories=["x", "y"])})
    assert "k of type category became category" in str(difference(few, more))
