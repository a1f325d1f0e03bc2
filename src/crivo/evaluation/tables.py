"""The tables of an evaluation: values with their intervals, differences with their verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from crivo.evaluation.jackknife import Jackknife
from crivo.evaluation.metrics import Metric
from crivo.statistics.intervals import Estimate, Verdict, difference, interval, verdict


@dataclass(frozen=True)
class MetricRow:
    """A metric's value and its interval."""

    value: float
    se: float
    low: float
    high: float


@dataclass(frozen=True)
class DifferenceRow:
    """How a metric differs, and what that says."""

    difference: float
    se: float
    low: float
    high: float
    verdict: Verdict


def table_of(kind: type, rows: Mapping[str, Any] | Iterable[Any]) -> pd.DataFrame:
    """Return records of one dataclass as a table; the keys of a mapping are its index."""
    columns = [one.name for one in fields(kind)]
    index = list(rows) if isinstance(rows, Mapping) else None
    records = rows.values() if isinstance(rows, Mapping) else rows
    values = [[getattr(one, name) for name in columns] for one in records]
    return pd.DataFrame(values, index=index, columns=columns)


def estimate(result: Jackknife, metric: Metric, effective: float | None = None) -> Estimate:
    """Return one metric of a result; what has no interval has no deleted values.

    `effective`: the effective clusters, where they are known.
    """
    names, value = tuple(result.deleted.index), float(result.values[metric.name])
    if metric.name not in result.deleted:
        return Estimate(value, np.full(len(names), np.nan), effective, None, names)
    return Estimate(value, result.deleted[metric.name].to_numpy(), effective, None, names)


def interval_table(
    result: Jackknife, metrics: Sequence[Metric], effective: float | None = None
) -> pd.DataFrame:
    """Return a row per metric: its value, standard error and interval."""
    rows = {}
    for metric in metrics:
        metric_estimate = estimate(result, metric, effective)
        limits = interval(metric_estimate, metric.bounds)
        rows[metric.name] = MetricRow(metric_estimate.value, *limits)
    return table_of(MetricRow, rows).rename_axis("metric")


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
            word = verdict(limits_of_difference, metric, margin)
            rows[metric.name] = DifferenceRow(
                difference_estimate.value, *limits_of_difference, word
            )
    return table_of(DifferenceRow, rows).rename_axis("metric")
