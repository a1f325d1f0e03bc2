"""The rows that early stopping may watch are cut as a split would cut them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from tests.crivo.schemas import few_columns

from crivo.core.blocks import Training
from crivo.core.errors import CrivoError
from crivo.training.fit import stopping_mask


def rows(n: int = 1000) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "key": [f"r{i}" for i in range(n)],
            "y": 0.0,
            "t": pd.date_range("2020", periods=n).to_numpy()[np.arange(n)[::-1]],
            "g": [f"g{i % 100}" for i in range(n)],
        }
    )


@pytest.mark.parametrize("freq", ["W", "Y"])
@pytest.mark.parametrize("numeric", [True, False])
def test_rows_of_one_period_stay_together(freq: str, numeric: bool) -> None:
    periods = pd.Series(pd.period_range("2000", periods=12, freq=freq)).repeat(20)
    times = periods.map(lambda period: period.ordinal) if numeric else periods.dt.to_timestamp()
    table = rows(240).assign(t=times.to_numpy())
    mask = stopping_mask(table, few_columns(t="time"), 0.1)
    assert mask.sum() == 20
    assert table.loc[mask, "t"].min() > table.loc[~mask, "t"].max()


def test_where_the_last_period_is_too_long_groups_are_watched_or_else_rows() -> None:
    table = rows(1000).assign(t=np.repeat([2001, 2002, 2003], [300, 300, 400]))
    groups = stopping_mask(table, few_columns(t="time", g="group"), 0.1)
    single = stopping_mask(table.assign(g="one"), few_columns(t="time", g="group"), 0.1)
    np.testing.assert_array_equal(groups, stopping_mask(table, few_columns(g="group"), 0.1))
    np.testing.assert_array_equal(single, stopping_mask(table, few_columns(), 0.1))


def test_otherwise_the_id_decides_and_added_rows_move_no_old_one() -> None:
    few, many = (stopping_mask(rows(count), few_columns(), 0.1) for count in (500, 1000))
    np.testing.assert_array_equal(few, many[:500])
    assert 0.05 < many.mean() < 0.15
    assert not stopping_mask(rows(), few_columns(), 0).any()


def test_a_class_that_only_watched_rows_have_is_taught_and_a_quantity_has_none() -> None:
    mask = np.array([True, False, True])
    for model, target, taught in (
        (DummyClassifier(), ["rare", "a", "a"], [True, True, False]),
        (DummyRegressor(), [1.5, 2.5, 2.5], [False, True, False]),
        (DummyRegressor(), [1, 2, 2], [False, True, False]),
    ):
        assert Training(mask, print).fit_mask(model, pd.Series(target)).tolist() == taught


@pytest.mark.parametrize("stopping_mask", [[False, False], [True, True]])
def test_nothing_to_watch_or_nothing_to_teach_is_refused(stopping_mask: list[bool]) -> None:
    with pytest.raises(CrivoError, match=r"change train\.early_stopping_fraction, or set"):
        Training(np.array(stopping_mask), print).fit_mask(DummyRegressor(), pd.Series([1.5, 2.5]))
