"""Order in time: whether neighbouring clusters are alike, and how long blocks should be then."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
import pandas as pd

from crivo.core.evaluation import Context
from crivo.evaluation.clusters import jackknife_groups
from crivo.evaluation.deletions import leave_out_at_once
from crivo.evaluation.intervals import FEW_CLUSTERS, autocorrelation, looks_serial
from crivo.evaluation.metrics import Metric
from crivo.evaluation.tasks import evaluation_of

# Beyond this the formula asks for blocks longer than any table; so many must remain.
MAX_AUTOCORRELATION = 0.9
MIN_BLOCKS = 4
# The best length is known roughly: blocks may be a little shorter.
MAX_RATIO = 1.25


def longer_blocks(deleted: pd.Series) -> int:
    """Return how many neighbouring clusters should be one, by the autocorrelation of all.

    The block for which the error of the standard error is least (Andrews 1991, with Bartlett's
    weights; Künsch 1989) when values are an autoregression of first order with noise: the
    autocorrelation of lag k is r phi^(k - 1), where phi is the second's ratio to the first, r. In a
    short series both are too low, by about (1 + 4r) / n (Kendall 1954), which is added.
    """
    count, first = len(deleted), autocorrelation(deleted)
    if not first > 0:
        return 1
    missing = (1 + 4 * first) / count
    r = min(first + missing, MAX_AUTOCORRELATION)
    phi = min(max((autocorrelation(deleted, 2) + missing) / r, r), MAX_AUTOCORRELATION)
    slope = 2 * r / (1 - phi) ** 2 / (1 + 2 * r / (1 - phi))
    return max(1, min(ceil(1.1447 * (slope**2 * count) ** (1 / 3)), count // MIN_BLOCKS))


def advised_block(
    predictions: pd.DataFrame, context: Context, metrics: Sequence[Metric], periods: pd.Series
) -> tuple[int, str]:
    """Return how many periods should form a block, and the metric that asks for most.

    `periods` is the period of each row, before any were put into blocks. 1 and no metric where
    neighbours aren't alike, or periods have no order.
    """
    single = predictions.assign(cluster=periods.astype("str").to_numpy())
    groups = jackknife_groups(single)
    if not groups.ordered or len(groups.categories) < FEW_CLUSTERS:
        return 1, ""
    with_interval = [metric for metric in metrics if metric.interval]
    rows = evaluation_of(context).rows(single)
    deleted = leave_out_at_once(rows, groups, with_interval).deleted
    found = {
        longer_blocks(column): str(name) for name, column in deleted.items() if looks_serial(column)
    }
    if not found:
        return 1, ""
    merged = periods.nunique() / len(groups.categories)
    longest = max(found)
    return int(np.ceil(longest * merged)), found[longest]


def block_warning(advised: int, metric: str, block: int) -> list[str]:
    """Return the warning of blocks that are too short, as a list that may be empty."""
    if advised <= MAX_RATIO * block:
        return []
    return [
        f"Blocks of {block} are too short for {metric}, whose values follow each other over "
        f"longer times: its interval is too short. The data suggest evaluate.block: {advised}."
    ]
