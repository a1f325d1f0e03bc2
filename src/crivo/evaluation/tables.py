"""The tables of an evaluation: values with their intervals, differences with their verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd

from crivo.evaluation.jackknife import Jackknife
from crivo.evaluation.metrics import Metric
from crivo.statistics.intervals import Estimate, difference, interval, verdict

INTERVAL = ["value", "se", "low", "high"]
DIFFERENCE = ["difference", "se", "low", "high", "verdict"]


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
    rows = []
    for metric in metrics:
        found = estimate(result, metric, effective)
        rows.append((found.value, *interval(found, metric.bounds)))
    return _by_metric(rows, metrics, INTERVAL)


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
    judged, rows = [metric for metric in metrics if metric.interval], []
    for metric in judged:
        pair = (estimate(result, metric, effective) for result in (one, other))
        gained = difference(metric, *pair)
        limits = interval(gained, critical=critical)
        margin = (margins or {}).get(metric.name, 0.0)
        rows.append((gained.value, *limits, verdict(limits, metric, margin)))
    return _by_metric(rows, judged, DIFFERENCE)


def _by_metric(
    rows: Sequence[tuple[Any, ...]], metrics: Sequence[Metric], columns: list[str]
) -> pd.DataFrame:
    names = [metric.name for metric in metrics]
    return pd.DataFrame(rows, index=names, columns=columns).rename_axis("metric")
