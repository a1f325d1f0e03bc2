"""Clusters come from the group, or from stretches of time that are neither few nor many."""

import numpy as np
import pandas as pd
import pytest

from crivo.core.schema import Column, Role, Schema
from crivo.project.clusters import Clusters, choose_clusters

RNG = np.random.default_rng(0)


def chosen(roles: dict[str, Role], target: object = None, **columns: object) -> Clusters:
    """Return the clusters for rows in the order of time: three fifths are for training."""
    rows = pd.DataFrame(columns)
    noise = np.random.default_rng(len(rows)).normal(size=len(rows))
    rows = rows.assign(y=noise if target is None else target)
    kinds = {"y": "target"} | roles
    names = [Column(name=n, role=kinds.get(n, "feature"), type="number") for n in rows]
    key = Column(name="key", role="id", type="text")
    schema = Schema(task="regression", columns=(key, *names))
    place = np.arange(len(rows)) / len(rows)
    splits = pd.Series(np.select([place < 0.6, place < 0.8], ["train", "valid"], "test"))
    return choose_clusters(rows, splits, schema)


def times(freq: str, count: int, each: int = 1) -> pd.Series:
    return pd.Series(pd.date_range("2013-01-01", periods=count, freq=freq).repeat(each))


@pytest.mark.parametrize(
    ("freq", "count", "each", "expected"),
    [
        ("D", 300, 2, ("day", 1)),  # 60 days are held out
        ("h", 24 * 300, 1, ("day", 1)),
        ("D", 1200, 1, ("week", 1)),  # 240 days, 34 weeks
        ("h", 1200, 1, ("hour", 4)),  # 240 hours, 10 days
        ("min", 500, 1, None),  # 100 minutes: less than 4 hours
        ("MS", 100, 4, ("month", 1)),  # 20 months
        ("QS", 60, 4, ("quarter", 1)),  # 12 quarters
        ("YS", 25, 30, ("year", 1)),  # 5 years
        ("YS", 10, 30, None),  # 2 years
    ],
)
def test_periods_are_chosen_that_give_enough_clusters(
    freq: str, count: int, each: int, expected: tuple[str, int] | None
) -> None:
    found = chosen({"t": "time"}, t=times(freq, count, each))
    if expected is None:
        assert found.column is None
        assert "too few; intervals are likely to be too short" in found.why
    else:
        assert (found.column, found.period, found.block) == ("t", *expected)


@pytest.mark.parametrize(
    ("count", "expected"), [(1000, ("t", None, 4)), (300, ("t", None, 1)), (15, (None, None, 1))]
)
def test_numbers_are_taken_as_they_are_or_in_blocks(
    count: int, expected: tuple[str | None, None, int]
) -> None:
    found = chosen({"t": "time"}, t=np.arange(2000, 2000 + count).repeat(6))
    assert (found.column, found.period, found.block) == expected


def test_neighbours_that_depend_on_each_other_make_longer_blocks() -> None:
    shared = np.repeat(RNG.normal(size=100), 3)  # each three days are alike
    found = chosen({"t": "time"}, shared.repeat(2), t=times("D", 300, 2))
    assert found.period == "day"
    assert 3 <= found.block <= 5
    assert "neighbouring days depend on each other" in found.words


def test_a_trend_alone_makes_no_longer_blocks() -> None:
    trend = np.arange(600) / 50 + RNG.normal(size=600)
    assert chosen({"t": "time"}, trend, t=times("D", 300, 2)).block == 1


def test_groups_are_clusters_and_come_before_the_time() -> None:
    groups = {"g": "group"}
    assert chosen({"g": "group"}, g=np.arange(300) // 5).column == "g"
    both = chosen(groups | {"t": "time"}, g=np.arange(300) // 5, t=times("D", 300))
    assert both.column == "g"
    assert "12 are held out" in both.why


def test_too_few_groups_leave_it_to_the_time_or_are_said() -> None:
    few = np.arange(300) // 100
    assert chosen({"g": "group", "t": "time"}, g=few, t=times("D", 300)).column == "t"
    alone = chosen({"g": "group"}, g=few)
    assert alone.words.startswith("none: only 1 value of g in validation or test, too few")


def test_rows_without_time_and_group_are_independent() -> None:
    assert chosen({}, a=range(50)).words == "none: rows have no time and no group"
