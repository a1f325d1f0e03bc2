"""The sentences to show beside the numbers: what they can't be trusted to say."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
import pandas as pd
from scipy.special import betaincinv

from crivo.evaluation.intervals import (
    FEW_CLUSTERS,
    FRACTION,
    autocorrelation,
    looks_serial,
    standard_error,
)
from crivo.evaluation.jackknife import Jackknife
from crivo.evaluation.metrics import Metric
from crivo.evaluation.serial import longer_blocks


def caveats(
    result: Jackknife, metrics: Sequence[Metric], effective: float | None = None
) -> list[str]:
    """Return all warnings about a result; `effective`: its effective clusters."""
    return [
        *few_clusters(result, effective),
        *undefined(result),
        *too_sure(result, metrics),
        *nearly_perfect(result, metrics),
        *decisive_cluster(result, effective),
        *rough(result, metrics),
        *serial(result),
    ]


def few_clusters(result: Jackknife, effective: float | None = None) -> list[str]:
    """Warn when too few clusters, or too unequal ones, stand behind the intervals."""
    count = len(result.deleted)
    if count < 2:
        return [f"There are no intervals: they need two clusters at least, and there are {count}."]
    if count >= FEW_CLUSTERS:
        if effective is None or effective >= FEW_CLUSTERS:
            return []
        return [
            f"The {count} clusters are so unequal that they say as much as {effective:.1f} equal "
            f"ones; below {FEW_CLUSTERS} the intervals are rough. A few clusters, or a few rows "
            "with great weights, decide the result."
        ]
    return [
        f"The intervals rest on {count} clusters only; below {FEW_CLUSTERS} they are rough. "
        "Choose evaluate.cluster or evaluate.block so that there are more."
    ]


def undefined(result: Jackknife, of: str = "") -> list[str]:
    """Say why a metric or its interval is missing; `of` says whose metric it is."""
    return [
        f"{name}{of} {'is not defined' if np.isnan(result.values[name]) else 'has no interval'}: "
        f"{why}."
        for name, why in result.reasons.items()
    ]


def too_sure(result: Jackknife, metrics: Sequence[Metric]) -> list[str]:
    """Warn of an interval without width at the end of a metric's range.

    A model that made no mistake on 30 rows can still make one; the jackknife can't see it.
    """
    return [
        f"{metric.name} is {result.values[metric.name]:g} whichever cluster is left out; "
        "its interval has no width and promises too much."
        for metric in metrics
        if metric.interval
        and result.values[metric.name] in metric.bounds
        and standard_error(result.deleted[metric.name]) == 0
    ]


def nearly_perfect(result: Jackknife, metrics: Sequence[Metric]) -> list[str]:
    """Warn when a metric reaches an end of its range because of a single cluster.

    The log odds are infinite there; the interval then has the slope of the log odds alone.
    """
    return [
        f"{metric.name} would be {deleted[at_end].iloc[0]:g} without cluster "
        f"{deleted.index[at_end][0]}, so few errors are there; its interval is rough."
        for metric in metrics
        if metric.interval and metric.bounds == FRACTION and 0 < result.values[metric.name] < 1
        for deleted in [result.deleted[metric.name]]
        for at_end in [deleted.isin((0, 1))]
        if at_end.any()
    ]


def decisive_cluster(result: Jackknife, effective: float | None = None) -> list[str]:
    """Warn when a single cluster makes most of what the clusters differ.

    Of equal normal clusters it happens in 1 % of evaluations at most (Cochran 1941). Where
    clusters are few or unequal there is another warning.
    """
    count = len(result.deleted)
    if min(count, count if effective is None else effective) < FEW_CLUSTERS:
        return []
    limit = max(0.5, float(betaincinv(0.5, (count - 2) / 2, 1 - 0.01 / count)))
    squares = (result.deleted - result.deleted.mean()) ** 2
    parts = squares.max() / squares.sum().where(lambda total: total > 0)
    return [
        f"{name}: cluster {squares[name].idxmax()} alone makes {100 * part:.0f} % of its "
        "variance, so its interval is too short: there may be more clusters like that one."
        for name, part in parts.items()
        if part > limit
    ]


def rough(result: Jackknife, metrics: Sequence[Metric]) -> list[str]:
    """Warn of a quantile's interval when the clusters are too small for it.

    The jackknife of a quantile holds only if more than the square root of all rows is left
    out at a time (Shao & Wu 1989).
    """
    clusters = len(result.deleted)
    if result.count >= clusters**2:
        return []
    return [
        f"{metric.name} is a quantile, and {clusters} clusters of {result.count} rows are too "
        "small for it: its interval is too short."
        for metric in metrics
        if not metric.smooth
    ]


def longer(deleted: pd.Series) -> str:
    """Return the advice on the length of blocks, in words."""
    return (
        f"Use longer blocks (evaluate.block): about {max(2, longer_blocks(deleted))} times as long."
    )


def serial(result: Jackknife) -> list[str]:
    """Warn of metrics whose neighbouring clusters are alike, which makes intervals too short."""
    if not result.ordered or len(result.deleted) < FEW_CLUSTERS:
        return []
    limit = 2 / sqrt(len(result.deleted))
    return [
        f"{name}: neighbouring clusters are alike (autocorrelation "
        f"{autocorrelation(column):.2f}, above {limit:.2f}), so its interval is too short. "
        f"{longer(column)}"
        for name, column in result.deleted.items()
        if looks_serial(column)
    ]
