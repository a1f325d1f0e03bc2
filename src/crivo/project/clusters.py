"""Chooses the clusters of a new table's rows from its time or its group, for `crivo start`."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype

from crivo.core.predictions import PERIODS, period_starts
from crivo.core.schema import Period, Schema
from crivo.core.tasks import task_of
from crivo.evaluation.caveats import MIN_CLUSTERS
from crivo.project.choices import Choice
from crivo.statistics.serial import autocorrelation

HELD_OUT = ("valid", "test")
# Clusters to aim at in the held-out rows.
GOOD, AIM, MAX_GOOD = 30, 50, 100
# Blocks are made longer until neighbours are independent, or there are so few of them left.
MIN_BLOCKS = 12
# Fewer periods of training rows than this show no dependence.
MIN_SERIES = 24


@dataclass(frozen=True)
class Clusters:
    """A column whose values are clusters, in periods and blocks; none: rows are independent."""

    column: str | None
    why: str
    period: Period | None = None
    block: int = 1

    @property
    def choice(self) -> Choice:
        """The settings of the evaluation."""
        values: dict[str, Any] = {
            "evaluate.cluster": self.column,
            "evaluate.period": self.period,
            "evaluate.block": self.block,
        }
        return Choice(values, self.why)

    @property
    def words(self) -> str:
        """The choice in words."""
        if self.column is None:
            return f"none: {self.why}"
        by = f" by {self.period}" if self.period else ""
        blocks = f", {self.block} to a block" if self.block > 1 else ""
        return f"{self.column}{by}{blocks}: {self.why}"


def choose_clusters(rows: pd.DataFrame, splits: pd.Series, schema: Schema) -> Clusters:
    """Return the clusters that suit the rows: groups, else stretches of time.

    Periods are preferred that give 30 to 100 clusters on the held-out rows.
    """
    reasons = []
    if schema.group is not None:
        count = _fewest(rows[schema.group], splits)
        if count >= MIN_CLUSTERS:
            return Clusters(schema.group, f"rows of one group are alike; {count} are held out")
        reasons.append(_only(count, schema.group))
    if schema.time is not None:
        found = _of_time(rows, splits, schema, schema.time)
        if isinstance(found, Clusters):
            return found
        reasons.append(_only(found, schema.time))
    if not reasons:
        return Clusters(None, "rows have no time and no group")
    few = " and ".join(reasons)
    return Clusters(
        None, f"{few} in validation or test, too few; intervals are likely to be too narrow"
    )


def _only(count: int, name: str) -> str:
    return f"only {count} value{'s' * (count != 1)} of {name}"


def _of_time(rows: pd.DataFrame, splits: pd.Series, schema: Schema, time: str) -> Clusters | int:
    """Return clusters of a time column, or how many there would be when they are too few."""
    starts, period, count = _stretches(rows[time], splits)
    if count < MIN_CLUSTERS:
        return count
    block = 1 if count <= MAX_GOOD else count // AIM
    training = splits == "train"
    longer = _independent(rows.loc[training, schema.target], starts[training], schema, block, count)
    clusters = count // longer
    why = f"rows of one {period or 'value'} are alike; {clusters} clusters are held out"
    if longer > block:
        why += f", and the targets of neighbouring {period or 'value'}s depend on each other"
    return Clusters(time, why, period, longer)


def _stretches(times: pd.Series, splits: pd.Series) -> tuple[pd.Series, Period | None, int]:
    """Return what stretch of time each row is in, what that is called, and how many there are."""
    if not is_datetime64_any_dtype(times.dtype):
        return times, None, _fewest(times, splits)
    starts = {period: period_starts(times, period) for period in PERIODS}
    counts = {period: _fewest(start, splits) for period, start in starts.items()}
    good = [period for period, count in counts.items() if GOOD <= count <= MAX_GOOD]
    many = [period for period, count in counts.items() if count > MAX_GOOD]
    most = [period for period, count in counts.items() if count == max(counts.values())]
    period = (good or many or most)[-1]
    return starts[period], period, counts[period]


def _fewest(values: pd.Series, splits: pd.Series) -> int:
    """Return how many different values the held-out rows have: those of validation, or of test."""
    return min(int(values[splits == split].nunique()) for split in HELD_OUT)


def _independent(
    target: pd.Series, starts: pd.Series, schema: Schema, block: int, count: int
) -> int:
    """Return the shortest block from this one on whose neighbours have independent targets.

    Measured on training rows by the correlation of neighbouring means, less their trend.
    """
    numbers = task_of(schema).numbers(target)
    if numbers is None:
        numbers = target == target.mode().iloc[0]
    means = numbers.astype("float64").groupby(starts.to_numpy()).mean().sort_index()
    longest = max(block, count // MIN_BLOCKS)
    if len(means) < MIN_SERIES:
        return block
    trend = np.polyval(np.polyfit(range(len(means)), means, 1), range(len(means)))
    rest = (means - trend).reset_index(drop=True)
    for length in range(block, longest):
        blocks = rest.groupby(rest.index // length).mean()
        if not autocorrelation(blocks.to_numpy()) > 2 / sqrt(len(blocks)):
            return length
    return longest
