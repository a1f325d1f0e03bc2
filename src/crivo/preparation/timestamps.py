"""Functions for dataset blocks: times, days and clock times as minutes since 1970 in UTC."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

DAY = 24 * 60


def minutes_of(times: pd.Series) -> pd.Series:
    """Return times with a time zone as minutes.

    >>> minutes_of(pd.Series(pd.to_datetime(["1970-01-01 01:30Z"]))).tolist()
    [90]
    """
    return times.astype("datetime64[s, UTC]").astype("int64") // 60


def start_of_day(dates: pd.Series, zone: str) -> pd.Series:
    """Return the moments at which days begin in a time zone.

    >>> start_of_day(pd.Series(pd.to_datetime(["1970-01-02"])), "America/New_York").tolist()
    [1740]
    """
    return minutes_of(dates.dt.tz_localize(zone, nonexistent="shift_forward"))


def next_clock(
    timestamps: pd.Series, clock: pd.Series, places: pd.Series, zones: Mapping[str, str]
) -> pd.Series:
    """Return the first moment at or after the given one when a place's clock shows `clock` (HHMM).

    `clock` is a number such as 1900 for 19:00. `zones` names the places of each time zone.
    Missing for other places, and where the moment or the clock is missing. Of an hour that a
    clock shows twice the later one is taken, so that nothing seems known too early.

    >>> at, hhmm, place = pd.Series([0.0]), pd.Series([1900]), pd.Series(["here"])
    >>> next_clock(at, hhmm, place, {"America/New_York": "here there"}).tolist()
    [0.0]
    """
    next_times = pd.Series(np.nan, index=timestamps.index)
    for zone, names in zones.items():
        here = places.isin(names.split()) & timestamps.notna() & clock.notna()
        start = pd.to_datetime(timestamps[here].astype("int64") * 60, unit="s", utc=True)
        start = start.dt.tz_convert(zone)
        hhmm = clock[here].astype("int64")
        wait = hhmm // 100 * 60 + hhmm % 100 - start.dt.hour * 60 - start.dt.minute
        wall = start.dt.tz_localize(None) + pd.to_timedelta(wait % DAY, unit="min")
        twice = np.zeros(len(wall), dtype=bool)  # False: the later, in standard time
        local = wall.dt.tz_localize(zone, ambiguous=twice, nonexistent="shift_forward")
        next_times[here] = minutes_of(local)
    return next_times
