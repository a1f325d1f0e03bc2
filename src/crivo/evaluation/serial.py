"""Order in time: whether neighbouring clusters are alike, and how long blocks should be then."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np
import pandas as pd

from crivo.core.evaluation import Context
from crivo.evaluation.clusters import jackknife_groups
from crivo.evaluation.intervals import FEW_CLUSTERS, autocorrelation, looks_serial
from crivo.evaluation.jackknife import jackknife
from crivo.evaluation.metrics import Metric

# Beyond this the formula asks for blocks longer than any table; so many must remain.
MAX_AUTOCORRELATION = 0.95
MIN_BLOCKS = 4


def longer_blocks(deleted: pd.Series) -> int:
    """Return how many neighbouring clusters should be one, by the autocorrelation of all.

    The block for which the error of the standard error is least when values follow each other as
    an autoregression of first order (Andrews 1991, with Bartlett's weights; Künsch 1989). The
    autocorrelation of a short series is too low, by (1 + 4r) / n (Kendall 1954), which is added.
    """
    count, found = len(deleted), autocorrelation(deleted)
    if not found > 0:
        return 1
    r = min(found + (1 + 4 * found) / count, MAX_AUTOCORRELATION)
    alpha = 4 * r**2 / (1 - r**2) ** 2
    return max(1, min(ceil(1.1447 * (alpha * count) ** (1 / 3)), count // MIN_BLOCKS))


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
    judged = [metric for metric in metrics if metric.interval]
    deleted = jackknife(single, judged, context, groups).deleted
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
    if advised <= block:
        return []
    return [
        f"Blocks of {block} are too short for {metric}, whose values follow each other over "
        f"longer times: its interval is too short. The data suggest evaluate.block: {advised}."
    ]
