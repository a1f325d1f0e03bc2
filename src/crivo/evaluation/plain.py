"""The report's first sentence: one easily understood metric, and its value without the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

from crivo.core.blocks import Evaluation
from crivo.evaluation.metrics import find_metrics, metrics_of
from crivo.evaluation.tasks import Evaluated
from crivo.evaluation.thresholds import AT_SHARE, OperatingPoint

# The share of the rows with the highest scores that the result is about if none is set.
SHARE = 0.1


@dataclass(frozen=True)
class PlainResult:
    """A metric of the decisions, and its value without a model.

    `without_model`: the share of positive rows, or the baseline's value of the metric. Binary tasks
    also have `flagged`, the share of the rows that are predicted positive, and the shares of the
    positive rows (`recall`) and of the negative rows (`false_alarms`) that are flagged. `top`: if
    no setting says which rows are acted on, the share of rows (with the highest scores) that the
    metric is about.
    """

    metric: str
    value: float
    low: float = nan
    high: float = nan
    without_model: float = nan
    flagged: float = nan
    recall: float = nan
    false_alarms: float = nan
    top: float = nan

    @property
    def precision(self) -> float:
        """The share of positive rows among those that are predicted positive."""
        return self.recall * self.without_model / self.flagged if self.flagged else nan


def plain_result(
    evaluated: Evaluated,
    evaluation: Evaluation,
    operating_point: OperatingPoint,
    settings: Mapping[str, Any],
) -> PlainResult:
    """Return the plain result; a metric that is shown elsewhere has the same interval here."""
    name, prior = evaluated.rows.plain_metric, evaluated.baseline
    if not evaluated.task.has_positive:
        without = nan if prior is None else metrics_of(evaluated.context.task)[name](prior.rows)
        return PlainResult(name, *_measured(name, evaluated, evaluation), without_model=without)
    rows, is_chosen = evaluated.rows, operating_point.thresholds[0] is not None
    shares = {"flagged": rows.mean(rows.predicted)}
    for part, weight in zip(("recall", "false_alarms"), rows.class_weights, strict=True):
        total = float(weight.sum())
        shares[part] = float((rows.predicted * weight).sum()) / total if total > 0 else nan
    share, rule = float(settings.get("share") or SHARE), is_chosen and operating_point.value.rule
    if rule == "even":
        shares["top"] = share
    same = rule == "capacity" and settings.get("share") == operating_point.value.capacity
    # The flagged rows are the rows of the metric that is shown, or no setting says which they are.
    if rule == "even" or (same and AT_SHARE in evaluation.metrics.index):
        name = AT_SHARE
    measured = _measured(name, evaluated, evaluation, {"share": share})
    return PlainResult(name, *measured, rows.mean(rows.target), **shares)


def _measured(
    name: str,
    evaluated: Evaluated,
    evaluation: Evaluation,
    settings: Mapping[str, Any] | None = None,
) -> tuple[float, float, float]:
    if name in evaluation.metrics.index:
        shown = evaluation.metrics
        return float(shown["value"][name]), float(shown["low"][name]), float(shown["high"][name])
    metric = find_metrics([name], evaluated.context.task, settings)[0]
    value, _, low, high = evaluated.jackknife([metric]).limits(metric)
    return value, low, high
