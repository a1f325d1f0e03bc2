"""Clusters come from the group, or from stretches of time that are neither few nor many."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from crivo.core.schema import Column, Role, Schema
from crivo.project.choices import Choice
from crivo.project.clusters import choose_clusters

RNG = np.random.default_rng(0)


def chosen(target: object = None, task: Any = "regression", **columns: object) -> Choice:
    """Return the clusters for rows in the order of time `t`, three fifths of them for training."""
    rows = pd.DataFrame(columns)
    noise = np.random.default_rng(len(rows)).normal(size=len(rows))
    rows = rows.assign(y=noise if target is None else target)
    roles: dict[str, Role] = {"y": "target", "t": "time", "g": "group"}
    names = [Column(name=n, role=roles.get(n, "feature"), type="number") for n in rows]
    key = Column(name="key", role="id", type="text")
    place = np.arange(len(rows)) / len(rows)
    splits = pd.Series(np.select([place < 0.6, place < 0.8], ["train", "valid"], "test"))
    return choose_clusters(rows, splits, Schema(task=task, columns=(key, *names)))


def times(freq: str, count: int, each: int = 1) -> pd.Series:
    return pd.Series(pd.date_range("2013-01-01", periods=count, freq=freq).repeat(each))


@pytest.mark.parametrize(
    ("t", "expected", "why"),
    [
        (times("D", 300, 2), ("t", "day", 1), "day are alike; 60"),
        (times("h", 24 * 300), ("t", "day", 1), "day are alike; 60"),
        (times("D", 1200), ("t", "week", 1), "week are alike; 35"),  # 240 days
        (times("D", 1015), ("t", "week", 1), "week are alike; 30"),
        (times("D", 981), ("t", "day", 3), "day are alike; 65"),  # 29 weeks
        (times("12h", 1000), ("t", "day", 1), "day are alike; 100"),
        (times("D", 505), ("t", "day", 2), "day are alike; 50"),  # 101 days
        (times("h", 1200), ("t", "hour", 4), "hour are alike; 60"),  # 240 hours, 10 days
        (times("min", 500), (None, None, 1), "only 2 values of t"),  # 100 minutes
        (times("MS", 100, 4), ("t", "month", 1), "month are alike; 20"),
        (times("QS", 60, 4), ("t", "quarter", 1), "quarter are alike; 12"),
        (times("YS", 20, 30), ("t", "year", 1), "year are alike; 4"),
        (times("YS", 15, 30), (None, None, 1), "only 3 values of t"),
        (np.arange(1000).repeat(6), ("t", None, 4), "time are alike; 50"),
        (np.arange(300).repeat(6), ("t", None, 1), "time are alike; 60"),
        (np.arange(15).repeat(6), (None, None, 1), "only 3 values of t"),
    ],
)
def test_periods_are_chosen_that_give_enough_clusters(
    t: object, expected: tuple[str | None, str | None, int], why: str
) -> None:
    found = chosen(t=t)
    assert tuple(found.values.values()) == expected
    few = f"{why} in validation or test, too few; intervals are likely to be too narrow"
    assert found.why == (f"rows of the same {why} clusters are held out" if expected[0] else few)


def test_neighbours_that_depend_on_each_other_make_longer_blocks_and_a_trend_does_not() -> None:
    shared = np.repeat(RNG.normal(size=100), 3)  # each three days are alike
    found = chosen(shared.repeat(2), t=times("D", 300, 2))
    assert found.values["evaluate.period"] == "day"
    assert 3 <= found.values["evaluate.block"] <= 5
    assert "neighbouring days depend on each other" in found.why
    classes = np.where(shared > 1, "c", np.where(shared > -0.5, "b", "a")).repeat(2)
    found = chosen(classes, "multiclass", t=times("D", 300, 2))  # the share of the commonest, b
    assert 3 <= found.values["evaluate.block"] <= 5
    walk = RNG.normal(size=240).cumsum()  # no block is long enough, so there are as few as may be
    assert chosen(walk, t=times("D", 240)).values["evaluate.block"] == 4
    for count, block in ((24, 3), (23, 1)):  # periods of training rows, and 40 of the others
        t = np.r_[np.arange(240) * count // 240, 24 + np.arange(160) // 2]
        assert chosen(np.sin(t / 5), t=t).values["evaluate.block"] == block
    trend = np.arange(600) / 50 + RNG.normal(size=600)
    assert chosen(trend, t=times("D", 300, 2)).values["evaluate.block"] == 1


def test_groups_come_before_the_time_unless_they_are_too_few() -> None:
    four = np.arange(300) // 15
    assert chosen(g=four).values["evaluate.cluster"] == "g"
    both = chosen(g=four, t=times("D", 300))
    assert both.values["evaluate.cluster"] == "g"
    assert "4 groups are held out" in both.why
    few = np.arange(300) // 100
    assert chosen(g=few, t=times("D", 300)).values["evaluate.cluster"] == "t"
    said = chosen(g=few).why
    assert said.startswith("only 1 value of g in validation or test, too few")
    assert chosen(a=range(50)).why == "rows have no time and no group"
