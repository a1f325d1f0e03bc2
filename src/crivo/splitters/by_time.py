"""Earlier rows teach, later rows judge."""

from __future__ import annotations

from datetime import date
from typing import Annotated

import pandas as pd
from pydantic import Field

from crivo.core.blocks import Day, Splitter, block
from crivo.core.errors import CrivoError
from crivo.core.schema import Schema

Share = Annotated[float, Field(gt=0, lt=1)]


@block
class ByTime(Splitter):
    """Splits by the time column: what comes later never teaches what came before.

        train            | valid      | test
        -----------------|------------|------------> time
                     valid_from   test_from

    `valid_from`, `test_from`: the first day of validation and test, or the share of the rows
    that comes before it. Rows of the same moment stay together.
    """

    valid_from: Day | Share = 0.6
    test_from: Day | Share = 0.8

    def split(self, rows: pd.DataFrame, schema: Schema) -> pd.Series:
        """Return `train`, `valid` or `test` for each row."""
        if schema.time is None:
            raise CrivoError(
                "splitter by_time needs a time column and the dataset names none; "
                "name one, or use splitter: at_random or by_group."
            )
        times = rows[schema.time]
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
        sides = pd.Series("train", index=rows.index, dtype="str")
        sides[times >= valid_from] = "valid"
        sides[times >= test_from] = "test"
        return sides


def _moment(times: pd.Series, at: date | float) -> object:
    """Return the first moment of a side: a day's start, or a quantile of the times."""
    if isinstance(at, date):
        return pd.Timestamp(at) if times.dt.tz is None else pd.Timestamp(at, tz=times.dt.tz)
    order = times.sort_values(ignore_index=True)
    return order[min(int(at * len(order)), len(order) - 1)]
