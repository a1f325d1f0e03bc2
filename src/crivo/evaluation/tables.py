"""The tables of an evaluation: values with their intervals, differences with their verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from crivo.evaluation.intervals import Estimate, difference, interval, verdict
from crivo.evaluation.jackknife import Jackknife
from crivo.evaluation.metrics import Metric


def estimate(result: Jackknife, metric: Metric, effective: float | None = None) -> Estimate:
    """Return one metric of a result; what has no interval has no deleted values.

    `effective`: the effective clusters, where they are known.
    """
    missing = pd.Series(np.nan, index=result.deleted.index)
    deleted = result.deleted.get(metric.name, missing)
    return Estimate(float(result.values[metric.name]), deleted, effective)


def interval_table(
    result: Jackknife, metrics: Sequence[Metric], effective: float | None = None
) -> pd.DataFrame:
    """Return a row per metric: its value, standard error and interval."""
    rows = {}
    for metric in metrics:
        metric_estimate = estimate(result, metric, effective)
        rows[metric.name] = (metric_estimate.value, *interval(metric_estimate, metric.bounds))
    return _table(rows, ["value", "se", "low", "high"])


def difference_table(
    one: Jackknife,
    other: Jackknife,
    metrics: Sequence[Metric],
    margins: Mapping[str, float] | None = None,
    critical: float | None = None,
    effective: float | None = None,
) -> pd.DataFrame:
    """Return a row per metric: how `one` differs from `other`, its interval and the verdict.

    `margins` holds, by metric, the greatest difference that doesn't matter. A metric without
    interval gets no verdict and has no row.
    """
    rows = {}
    for metric in metrics:
        if metric.interval:
            pair = (estimate(result, metric, effective) for result in (one, other))
            difference_estimate = difference(metric, *pair)
            limits_of_difference = interval(difference_estimate, critical=critical)
            margin = (margins or {}).get(metric.name, 0.0)
            rows[metric.name] = (
                difference_estimate.value,
                *limits_of_difference,
                verdict(limits_of_difference, metric, margin),
            )
    return _table(rows, ["difference", "se", "low", "high", "verdict"])


def _table(rows: Mapping[str, tuple[Any, ...]], columns: list[str]) -> pd.DataFrame:
    table = pd.DataFrame.from_dict(dict(rows), orient="index", columns=columns)
    return table.rename_axis("metric")
