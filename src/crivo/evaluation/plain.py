"""The result in a number that everybody understands, beside what comes without a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.evaluation import Context, Evaluation
from crivo.core.tasks import task_of
from crivo.evaluation.intervals import interval
from crivo.evaluation.jackknife import jackknife
from crivo.evaluation.metrics import find_metrics
from crivo.evaluation.tables import estimate
from crivo.evaluation.tasks import evaluation_of
from crivo.evaluation.thresholds import OperatingPoint

ENDS = ("value", "low", "high")


@dataclass(frozen=True)
class PlainResult:
    """A metric of the decisions, and what comes without a model.

    `without_model`: the share of positive rows, or the baseline's value of the metric. Of a binary
    task also `flagged`, the share of the rows that are predicted positive, and the shares of the
    positive rows (`recall`) and of the negative rows (`false_alarms`) that are flagged.
    """

    metric: str
    value: float
    low: float = nan
    high: float = nan
    without_model: float = nan
    flagged: float = nan
    recall: float = nan
    false_alarms: float = nan


def plain_result(
    predictions: pd.DataFrame,
    context: Context,
    evaluation: Evaluation,
    operating_point: OperatingPoint,
    settings: Mapping[str, Any],
) -> PlainResult | None:
    """Return the plain result; a metric that is shown keeps its value and its interval."""
    name = evaluation_of(context).plain_metric
    if not name:
        return None
    has_positive = task_of(context).has_positive
    if has_positive and _is_share(evaluation, operating_point, settings):
        name = "precision_at_share"
    shares = _flagged(predictions, context) if has_positive else {}
    row = _measured(name, predictions, context, evaluation)
    without = shares.pop("positive") if shares else _of_baseline(name, context, evaluation)
    return PlainResult(name, *row, without_model=without, **shares)


def _is_share(
    evaluation: Evaluation, operating_point: OperatingPoint, settings: Mapping[str, Any]
) -> bool:
    """Return whether the rows that are flagged are those of the metric that is shown."""
    chosen = operating_point.thresholds[0]
    by_capacity = chosen is not None and chosen.rule == "capacity"
    same = settings.get("share") == operating_point.value.capacity
    return by_capacity and same and "precision_at_share" in evaluation.metrics.index


def _measured(
    name: str, predictions: pd.DataFrame, context: Context, evaluation: Evaluation
) -> tuple[float, float, float]:
    if name in evaluation.metrics.index:
        value, low, high = (float(evaluation.metrics[end][name]) for end in ENDS)
        return value, low, high
    metric = find_metrics([name], context.task)[0]
    made = estimate(
        jackknife(predictions, [metric], context), metric, evaluation.effective_clusters
    )
    limits = interval(made, metric.bounds)
    return made.value, limits.low, limits.high


def _of_baseline(name: str, context: Context, evaluation: Evaluation) -> float:
    if name in evaluation.baseline.index:
        return float(evaluation.baseline["value"][name])
    if context.baseline is None:
        return nan
    metric, rows = find_metrics([name], context.task)[0], evaluation_of(context)
    return metric(rows.rows(context.baseline))


def _flagged(predictions: pd.DataFrame, context: Context) -> dict[str, float]:
    """Return which shares of the rows are positive and flagged."""
    weight = predictions["weight"].to_numpy(float)
    positive = (predictions["target"] == context.positive).to_numpy(float)
    acted = (predictions["prediction"] == context.positive).to_numpy(float)
    return {
        "positive": _mean(positive, weight),
        "flagged": _mean(acted, weight),
        "recall": _mean(acted, weight * positive),
        "false_alarms": _mean(acted, weight * (1 - positive)),
    }


def _mean(values: np.ndarray, weight: np.ndarray) -> float:
    total = float(weight.sum())
    return float((values * weight).sum()) / total if total > 0 else nan
