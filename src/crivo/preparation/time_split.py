"""Functions for splitter blocks: split by time, training rows first; equal times stay together."""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime
from math import isfinite
from typing import Annotated, Any

import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype
from pydantic import BeforeValidator

from crivo.core.errors import CrivoError
from crivo.core.folds import is_share


def _start(value: object) -> object:
    """Return a moment, a number or a share; one sentence for anything else, not pydantic's."""
    if isinstance(value, str):
        with suppress(ValueError):
            return date.fromisoformat(value)
        with suppress(ValueError):
            value = datetime.fromisoformat(value)
    if isinstance(value, datetime) and value.tzinfo:
        raise ValueError("must be a local time, without a zone: the time column's zone applies")
    if isinstance(value, date) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if isinstance(value, float) and isfinite(value) and value not in (0.0, 1.0):
        return value
    raise ValueError(
        "must be a day or a moment in quotes, such as '2013-09-01', a number such as 2017 where "
        "the time is a number, or a share between 0 and 1"
    )


def fixed_start(moment: Any) -> str | int | float:
    """Return a moment of a time column as a setting that doesn't change when rows are added.

    >>> fixed_start(pd.Timestamp("2013-09-01")), fixed_start(pd.Timestamp("2013-09-01 06:30"))
    ('2013-09-01', '2013-09-01T06:30:00')
    >>> fixed_start(2017.0)
    2017
    """
    if not isinstance(moment, pd.Timestamp):
        return int(moment) if float(moment).is_integer() else float(moment)
    local = moment.tz_localize(None)
    return str(local.date()) if local == local.normalize() else local.floor("us").isoformat()


Starts = tuple[date | float, date | float]
Start = Annotated[datetime | date | int | float, BeforeValidator(_start)]


def split_by_time(times: pd.Series | None, starts: Starts, splitter: str) -> pd.Series:
    """Return `train`, `valid` or `test` for each row.

    `starts`: where validation and test begin: a day, a number, or the share of the rows that
    comes before. Rows of one moment stay together. CrivoError: there is no time, or its values
    leave no three splits.
    """
    if times is None:
        raise CrivoError(
            f"splitter {splitter} needs a time column and the dataset names none; "
            "name one, or use splitter: at_random or by_group."
        )
    _require_order(times, starts, splitter)
    if times.isna().any():
        raise CrivoError(
            f"splitter {splitter}: {times.name} is missing in {times.isna().sum()} of "
            f"{len(times)} rows; fill it, or make it not nullable, so that they are set aside."
        )
    valid_from, test_from = _moments(times, starts, splitter)
    if not valid_from < test_from:
        raise CrivoError(
            f"splitters.{splitter}: valid_from ({starts[0]}) gives {valid_from}, test_from "
            f"({starts[1]}) gives {test_from}; validation must begin before test."
        )
    splits = pd.Series("train", index=times.index, dtype="str")
    splits[times >= valid_from] = "valid"
    splits[times >= test_from] = "test"
    return splits


def _require_order(times: pd.Series, starts: Starts, splitter: str) -> None:
    """Raise CrivoError when the times can't be compared with the starts of the splits."""
    dates = is_datetime64_any_dtype(times.dtype)
    if not dates and not is_numeric_dtype(times.dtype):
        raise CrivoError(
            f"splitter {splitter}: {times.name} holds neither dates nor numbers (its type is "
            f"{times.dtype}); the dataset must give a column that can be put in order."
        )
    if any(isinstance(at, date) != dates for at in starts if not is_share(at)):
        what, how = "numbers", "numbers or as shares, such as 0.6 and 0.8"
        if dates:
            what, how = "dates", "days in quotes, such as '2017-01-01', or as shares"
        raise CrivoError(
            f"splitter {splitter}: {times.name} holds {what}; give "
            f"splitters.{splitter}.valid_from and test_from as {how}."
        )


def _moments(times: pd.Series, starts: Starts, splitter: str) -> tuple[Any, Any]:
    """Return the first moments of validation and test."""
    first, second = (_moment(times, at) for at in starts)
    shares = [at for at in starts if is_share(at)]
    if shares != [*starts] or shares[0] >= shares[1] or times.min() < first < second:
        return first, second
    return _nearest_times(times, shares, splitter)


def _moment(times: pd.Series, at: date | float) -> Any:
    """Return the first moment of a split: a day's start, a number, or a quantile of the times."""
    if isinstance(at, date):
        return pd.Timestamp(at) if times.dt.tz is None else pd.Timestamp(at, tz=times.dt.tz)
    if not is_share(at):
        return at
    return times.sort_values().iloc[min(int(at * len(times)), len(times) - 1)]


def _nearest_times(times: pd.Series, shares: list[float], splitter: str) -> tuple[Any, Any]:
    """Return starts that leave a period to each split, as near to the shares as periods allow."""
    rows = times.value_counts().sort_index()
    if len(rows) < 3:
        raise CrivoError(
            f"splitter {splitter}: three splits need at least 3 different values, and "
            f"{times.name} has {len(rows)}; use a finer time, or splitter: at_random or by_group."
        )
    before = rows.cumsum().shift(fill_value=0) / len(times)
    second = (before.iloc[2:] - shares[1]).abs().idxmin()
    first = (before[before.index < second].iloc[1:] - shares[0]).abs().idxmin()
    return first, second
