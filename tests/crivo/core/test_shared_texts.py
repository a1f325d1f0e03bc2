"""Columns in which equal texts are one object have the same values."""

import numpy as np
import pandas as pd

from crivo.core.shared_texts import shared_texts, with_shared_levels

ROWS = pd.DataFrame(
    {
        "whole": pd.array([1, 2, None, 4, 5], dtype="Int32"),
        "number": [1.5, None, 2.5, 3.5, 4.5],
        "count": np.arange(5, dtype="int16"),
        "sure": [True, False, True, True, None],
        "word": pd.Series(["a", "b", None, "d", "e"], dtype="str"),
        "kind": pd.Categorical(["x", "y", "x", "z", "z"], ["z", "y", "x", "w"]),
        "day": pd.date_range("2013-01-01", periods=5, unit="us"),
        "day.zoned": pd.date_range("2013-01-01", periods=5, unit="us", tz="America/New_York"),
    }
)


def test_equal_texts_are_one_object() -> None:
    texts = pd.Series(["late", "on time"] * 50, dtype="str", name="y")
    shared = shared_texts(texts)
    assert len({id(text) for text in np.asarray(shared)}) == 2
    classes, codes = np.unique(shared, return_inverse=True)
    assert classes.tolist() == ["late", "on time"]
    assert classes.dtype == np.unique(texts).dtype
    assert codes.tolist() == [0, 1] * 50


def test_equal_levels_are_one_object_in_a_table_of_the_same_values() -> None:
    table = ROWS.set_axis([4, 3, 3, 1, 0]).assign(
        ordered=pd.Categorical(["u", None, "v", "u", "v"], ["v", "u"], ordered=True),
        size=pd.Categorical([1, 2, None, 2, 1]),
        none=pd.Categorical([None] * 5, pd.Index([], dtype="str")),
    )
    for shared in (with_shared_levels(table), with_shared_levels(table[:0])):
        assert shared.dtypes.astype(str).tolist() == table.dtypes.astype(str).tolist()
        for name in ("kind", "ordered", "size", "none"):
            assert shared[name].cat.categories.tolist() == table[name].cat.categories.tolist()
            assert shared[name].cat.ordered == table[name].cat.ordered
            texts = np.asarray(shared[name].dropna(), dtype=object)
            assert len({id(text) for text in texts}) == len(set(texts))
    pd.testing.assert_frame_equal(with_shared_levels(table).astype(object), table.astype(object))
