"""The block that a table of predictions suggests."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from crivo.core.evaluation import Context
from crivo.evaluation.caveats import advised_block, block_warning
from crivo.evaluation.metrics import find_metrics
from tests.crivo.statistics.test_serial import following

MAE = find_metrics(["mae"], "regression")


def table(level: np.ndarray, rows: int = 20) -> tuple[pd.DataFrame, pd.Series]:
    """Return predictions whose errors have the size of their day, in blocks of five days."""
    day = np.repeat(np.arange(len(level)), rows)
    error = np.exp(level[day] / 2)
    found = pd.DataFrame({"id": [f"{i:05d}" for i in range(len(day))], "target": error})
    found = found.assign(prediction=0.0, cluster=day // 5, weight=1.0)
    return found, pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(day, unit="D"))


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
