"""Trains on earlier rows, evaluates on later rows."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from typing import Annotated

import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype
from pydantic import BeforeValidator

from crivo.core.blocks import Splitter, block
from crivo.core.errors import CrivoError
from crivo.core.schema import Schema


def _start(value: object) -> object:
    """Return a day or a share; one sentence for anything else, instead of pydantic's two."""
    if isinstance(value, str):
        with suppress(ValueError):
            return date.fromisoformat(value)
    if isinstance(value, date) or (isinstance(value, float) and 0 < value < 1):
        return value
    raise ValueError("must be a day in quotes, such as '2013-09-01', or a share between 0 and 1")


Start = Annotated[date | float, BeforeValidator(_start)]


@block
class ByTime(Splitter):
    """Splits by the time column: no model is trained on rows that come after those it predicts.

        train            | valid      | test
        -----------------|------------|------------> time
                     valid_from   test_from

    `valid_from`, `test_from`: the first day of validation and test, or the share of the rows
    that comes before it. Rows of the same moment stay together.
    """

    valid_from: Start = 0.6
    test_from: Start = 0.8

    def split(self, rows: pd.DataFrame, schema: Schema) -> pd.Series:
        """Return `train`, `valid` or `test` for each row."""
        if schema.time is None:
            raise CrivoError(
                "splitter by_time needs a time column and the dataset names none; "
                "name one, or use splitter: at_random or by_group."
            )
        times = rows[schema.time]
        _require_order(times, (self.valid_from, self.test_from))
        if times.isna().any():
            raise CrivoError(
                f"splitter by_time: {times.isna().sum()} rows have no {schema.time}; "
                "fill them, or make the column not nullable so that they go to quarantine."
            )
        valid_from, test_from = (_moment(times, at) for at in (self.valid_from, self.test_from))
        if not valid_from < test_from:
            raise CrivoError(
                f"splitters.by_time: valid_from ({self.valid_from}) gives {valid_from}, test_from "
                f"({self.test_from}) gives {test_from}; validation must begin before test."
            )
        splits = pd.Series("train", index=rows.index, dtype="str")
        splits[times >= valid_from] = "valid"
        splits[times >= test_from] = "test"
        return splits


def _require_order(times: pd.Series, starts: tuple[date | float, ...]) -> None:
    """Raise CrivoError when the times can't be compared with the starts of the splits."""
    dates = is_datetime64_any_dtype(times.dtype)
    if not dates and not is_numeric_dtype(times.dtype):
        raise CrivoError(
            f"splitter by_time: {times.name} holds neither dates nor numbers (its type is "
            f"{times.dtype}); the dataset must give a column that can be put in order."
        )
    if not dates and any(isinstance(at, date) for at in starts):
        raise CrivoError(
            f"splitter by_time: {times.name} holds numbers, so the splits can't begin on a day; "
            "give splitters.by_time.valid_from and test_from as shares, such as 0.6 and 0.8."
        )


def _moment(times: pd.Series, at: date | float) -> pd.Timestamp:
    """Return the first moment of a split: a day's start, or a quantile of the times."""
    if isinstance(at, date):
        return pd.Timestamp(at) if times.dt.tz is None else pd.Timestamp(at, tz=times.dt.tz)
    order = times.sort_values(ignore_index=True)
    return order[min(int(at * len(order)), len(order) - 1)]
