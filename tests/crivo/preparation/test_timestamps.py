"""Moments: local clocks are read right on the days when they are changed."""

from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest

from crivo.preparation.timestamps import next_clock, start_of_day

ZONES = {"America/New_York": "JFK BOS", "America/Phoenix": "PHX"}


def minute(text: str) -> int:
    """Return a moment written in UTC."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) // 60


def shown(moment: str, clock: float, place: str) -> float:
    at = pd.Series([float(minute(moment))])
    return float(next_clock(at, pd.Series([clock]), pd.Series([place]), ZONES).iloc[0])


@pytest.mark.parametrize(
    ("moment", "clock", "place", "expected"),
    [
        ("2013-01-10 15:00", 1130, "BOS", "2013-01-10 16:30"),
        ("2013-01-10 15:00", 1000, "BOS", "2013-01-10 15:00"),  # at once
        ("2013-01-10 15:00", 959, "BOS", "2013-01-11 14:59"),
        ("2013-01-10 15:00", 2400, "BOS", "2013-01-11 05:00"),
        ("2013-07-10 15:00", 1130, "PHX", "2013-07-10 18:30"),
        ("2013-03-10 06:30", 330, "BOS", "2013-03-10 07:30"),  # the clock jumps from two to three
        ("2013-11-03 04:30", 230, "BOS", "2013-11-03 07:30"),  # and back
        ("2013-11-03 04:30", 130, "BOS", "2013-11-03 06:30"),  # shown twice: the later
    ],
)
def test_the_next_time_a_clock_shows(moment: str, clock: int, place: str, expected: str) -> None:
    assert shown(moment, clock, place) == minute(expected)


def test_nothing_is_known_where_the_zone_or_the_clock_is_not() -> None:
    assert np.isnan(shown("2013-01-10 15:00", 1130, "XXX"))
    assert np.isnan(shown("2013-01-10 15:00", np.nan, "BOS"))


def test_days_begin_at_local_midnight() -> None:
    days = pd.Series(pd.to_datetime(["2013-11-03", "2013-11-04", "2013-11-03"]))
    expected = [minute("2013-11-03 04:00"), minute("2013-11-04 05:00"), minute("2013-11-03 04:00")]
    assert start_of_day(days, "America/New_York").tolist() == expected
