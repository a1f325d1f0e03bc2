"""Trains on earlier rows, evaluates on later rows."""

from __future__ import annotations

import pandas as pd

from crivo import Schema, Splitter, block, time_split


@block
class ByTime(Splitter):
    """Splits by the time column: models are evaluated on rows later than all training rows.

        train            | valid      | test
        -----------------|------------|------------> time
                     valid_from   test_from

    `valid_from`, `test_from`: the first day of the validation or test rows; their first number, if
    the time is a number (such as 2017); or the share of the rows that come before them. Rows with
    the same time stay together, so a cut that is given as a share falls between two times.
    """

    valid_from: time_split.Start = 0.6
    test_from: time_split.Start = 0.8

    def split(self, rows: pd.DataFrame, schema: Schema) -> pd.Series:
        """Return `train`, `valid` or `test` for each row."""
        times = None if schema.time is None else rows[schema.time]
        return time_split.split_by_time(times, (self.valid_from, self.test_from), "by_time")
