"""The rows that early stopping may watch are cut as a split would cut them."""

import numpy as np
import pandas as pd
import pytest

from crivo.core.errors import CrivoError
from crivo.core.schema import Column, Schema
from crivo.training.early_stopping import fit_mask, stopping_mask

ID = Column(name="key", role="id", type="text")
TARGET = Column(name="y", role="target", type="number")
TIME = Column(name="t", role="time", type="date")
GROUP = Column(name="g", role="group", type="category")


def rows(n: int = 1000) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "key": [f"r{i}" for i in range(n)],
            "y": 0.0,
            "t": pd.date_range("2020", periods=n).to_numpy()[np.arange(n)[::-1]],
            "g": [f"g{i % 100}" for i in range(n)],
        }
    )


def schema(*more: Column) -> Schema:
    return Schema(task="regression", columns=(ID, TARGET, *more))


def test_with_a_time_the_latest_rows_are_watched() -> None:
    mask = stopping_mask(rows(), schema(TIME), 0.1)
    assert mask.sum() == 100
    assert rows().loc[mask, "t"].min() > rows().loc[~mask, "t"].max()


def test_rows_of_one_moment_stay_together() -> None:
    table = rows().assign(t=pd.Timestamp("2020-01-01"))
    assert stopping_mask(table, schema(TIME), 0.1).sum() in (0, len(table))


def test_with_a_group_whole_groups_are_watched() -> None:
    mask = stopping_mask(rows(), schema(GROUP), 0.2)
    watched, rest = set(rows().loc[mask, "g"]), set(rows().loc[~mask, "g"])
    assert watched.isdisjoint(rest)
    assert 0.1 < mask.mean() < 0.3


def test_otherwise_the_id_decides_and_added_rows_move_no_old_one() -> None:
    few, many = (
        stopping_mask(rows(500), schema(), 0.1),
        stopping_mask(rows(1000), schema(), 0.1),
    )
    np.testing.assert_array_equal(few, many[:500])
    assert 0.05 < many.mean() < 0.15


def test_a_share_of_zero_watches_nothing() -> None:
    for more in ([TIME], [GROUP], []):
        assert stopping_mask(rows(), schema(*more), 0.0).sum() == 0


def test_rows_that_are_not_watched_teach() -> None:
    stopping_mask = np.array([True, False, False, True])
    assert fit_mask(pd.Series(list("abab")), stopping_mask).tolist() == [False, True, True, False]


def test_a_class_that_only_watched_rows_have_is_taught() -> None:
    stopping_mask = np.array([True, False, True])
    assert fit_mask(pd.Series(["rare", "a", "a"]), stopping_mask).tolist() == [True, True, False]


def test_a_quantity_has_no_classes_to_teach() -> None:
    stopping_mask = np.array([True, False])
    assert fit_mask(pd.Series([1.5, 2.5]), stopping_mask).tolist() == [False, True]


@pytest.mark.parametrize("stopping_mask", [[False, False], [True, True]])
def test_nothing_to_watch_or_nothing_to_teach_is_refused(stopping_mask: list[bool]) -> None:
    with pytest.raises(CrivoError, match=r"change train\.early_stopping_fraction, or set"):
        fit_mask(pd.Series([1.5, 2.5]), np.array(stopping_mask))
