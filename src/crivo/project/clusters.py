"""Chooses the clusters of a new table's rows from its time or its group, for `crivo start`."""

from __future__ import annotations

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype

from crivo.core.predictions import PERIODS, period_starts
from crivo.core.schema import Period, Schema
from crivo.core.tasks import task_of
from crivo.core.wording import counted
from crivo.project.choices import Choice
from crivo.statistics.departures import looks_serial

# Fewer groups or times than this can't serve as clusters.
MIN_CLUSTERS = 4
# Clusters to aim at in the held-out rows.
GOOD, AIM, MAX_GOOD = 30, 50, 100
# Blocks are made longer until neighbours are independent, or there are so few of them left.
MIN_BLOCKS = 12
# Fewer periods of training rows than this show no dependence.
MIN_SERIES = 24


def choose_clusters(rows: pd.DataFrame, splits: pd.Series, schema: Schema) -> Choice:
    """Return the clusters that suit the rows: groups, else stretches of time.

    Periods are preferred that give 30 to 100 clusters on the held-out rows.
    """
    few = []
    if schema.group is not None:
        count = _held_out(rows[schema.group], splits)
        if count >= MIN_CLUSTERS:
            return _choice(schema.group, f"rows of a group are alike; {count} groups are held out")
        few.append(f"only {counted(count, 'value')} of {schema.group}")
    if schema.time is not None:
        starts, period = _stretches(rows[schema.time], splits)
        count = _held_out(starts, splits)
        if count >= MIN_CLUSTERS:
            shortest = 1 if count <= MAX_GOOD else count // AIM
            means = _means(rows[schema.target], starts, splits == "train", schema)
            block = independent_block(means, shortest, max(shortest, count // MIN_BLOCKS))
            one = period or "time"
            why = f"rows of the same {one} are alike; {count // block} clusters are held out"
            if block > shortest:
                why += f", and the targets of neighbouring {one}s depend on each other"
            return _choice(schema.time, why, period, block)
        few.append(f"only {counted(count, 'value')} of {schema.time}")
    if not few:
        return _choice(None, "rows have no time and no group")
    narrow = "in validation or test, too few; intervals are likely to be too narrow"
    return _choice(None, f"{' and '.join(few)} {narrow}")


def _choice(column: str | None, why: str, period: Period | None = None, block: int = 1) -> Choice:
    values = {"cluster": column, "period": period, "block": block}
    return Choice({f"evaluate.{name}": value for name, value in values.items()}, why)


def _stretches(times: pd.Series, splits: pd.Series) -> tuple[pd.Series, Period | None]:
    """Return what stretch of time each row is in, and what that is called."""
    if not is_datetime64_any_dtype(times.dtype):
        return times, None
    starts = {period: period_starts(times, period) for period in PERIODS}
    counts = {period: _held_out(start, splits) for period, start in starts.items()}
    good = [period for period, count in counts.items() if GOOD <= count <= MAX_GOOD]
    many = [period for period, count in counts.items() if count > MAX_GOOD]
    most = [period for period, count in counts.items() if count == max(counts.values())]
    period = (good or many or most)[-1]
    return starts[period], period


def _held_out(values: pd.Series, splits: pd.Series) -> int:
    """Return how many different values the rows of validation have, or those of test if fewer."""
    return min(int(values[splits == split].nunique()) for split in ("valid", "test"))


def _means(target: pd.Series, starts: pd.Series, training: pd.Series, schema: Schema) -> pd.Series:
    """Return the mean target of each stretch of the training rows, in the order of time."""
    numbers = task_of(schema).numbers(target[training])
    if numbers is None:
        numbers = target[training] == target[training].mode().iloc[0]
    return numbers.astype("float64").groupby(starts[training].to_numpy()).mean().sort_index()


def independent_block(means: pd.Series, shortest: int, longest: int) -> int:
    """Return the shortest block whose neighbours have independent means, less their trend."""
    if len(means) < MIN_SERIES:
        return shortest
    trend = np.polyval(np.polyfit(range(len(means)), means, 1), range(len(means)))
    rest = (means - trend).reset_index(drop=True)
    for length in range(shortest, longest):
        if not looks_serial(rest.groupby(rest.index // length).mean().to_numpy()):
            return length
    return longest
