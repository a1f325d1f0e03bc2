"""How long blocks should be, from the autocorrelation of the data."""

from __future__ import annotations

from math import ceil

import numpy as np
import pandas as pd
import pytest

from crivo.core.evaluation import Context
from crivo.evaluation.intervals import autocorrelation
from crivo.evaluation.metrics import find_metrics
from crivo.evaluation.serial import advised_block, block_warning, longer_blocks

MAE = find_metrics(["mae"], "regression")


def following(strength: float, days: int, seed: int = 0) -> np.ndarray:
    """Return an autoregression of first order."""
    random = np.random.default_rng(seed)
    values = random.standard_normal(days)
    for day in range(1, days):
        values[day] = strength * values[day - 1] + np.sqrt(1 - strength**2) * values[day]
    return values


def table(level: np.ndarray, rows: int = 20) -> tuple[pd.DataFrame, pd.Series]:
    """Return predictions whose errors have the size of their day, in blocks of five days."""
    day = np.repeat(np.arange(len(level)), rows)
    error = np.exp(level[day] / 2)
    found = pd.DataFrame({"id": [f"{i:05d}" for i in range(len(day))], "target": error})
    found = found.assign(prediction=0.0, cluster=day // 5, weight=1.0)
    return found, pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(day, unit="D"))


def test_the_block_is_andrews_s_for_an_autoregression():
    """By sums: alpha = (2 Σ k r_k / (1 + 2 Σ r_k))² over all lags k, 1.1447 (alpha n)^(1/3)."""
    series = pd.Series(following(0.6, 200))
    first, second = autocorrelation(series), autocorrelation(series, 2)
    r, two = (found + (1 + 4 * first) / 200 for found in (first, second))
    correlations = r * max(two / r, r) ** np.arange(500)
    slope = 2 * (np.arange(1, 501) * correlations).sum() / (1 + 2 * correlations.sum())
    expected = ceil(1.1447 * (slope**2 * 200) ** (1 / 3))
    assert longer_blocks(series) == expected
    assert 8 <= expected <= 16


def test_independent_and_alternating_values_need_no_blocks():
    assert longer_blocks(pd.Series([1.0, -1.0] * 20)) == 1
    assert longer_blocks(pd.Series([1.0] * 20)) == 1


def test_advised_blocks_leave_four_of_them():
    assert longer_blocks(pd.Series(np.arange(40.0))) == 10


def test_days_that_follow_each_other_ask_for_longer_blocks():
    predictions, days = table(following(0.8, 60))
    advised, metric = advised_block(predictions, Context("regression"), MAE, days)
    assert metric == "mae"
    assert advised > 5
    assert block_warning(advised, metric, 5) == [
        "Blocks of 5 are too short for mae, whose values follow each other over longer times: "
        f"its interval is too short. The data suggest evaluate.block: {advised}."
    ]


def test_blocks_that_are_long_enough_are_left_alone():
    assert block_warning(6, "mae", 5) == block_warning(1, "", 1) == []
    assert block_warning(7, "mae", 5) != []


@pytest.mark.parametrize("order", [True, False])
def test_independent_or_unordered_days_ask_for_nothing(order):
    predictions, days = table(following(0.0, 60, seed=1) if order else following(0.8, 60))
    periods = days if order else days.dt.day_name().str.cat(days.astype("str"))
    assert advised_block(predictions, Context("regression"), MAE, periods) == (1, "")
