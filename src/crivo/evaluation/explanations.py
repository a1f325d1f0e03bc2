"""What an evaluation finds beside its metrics: slices, weak segments, rows to look at, value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from crivo.core.evaluation import Context, Evaluation
from crivo.core.schema import Schema
from crivo.evaluation.errors import error_tables, residuals
from crivo.evaluation.evaluated import Evaluated
from crivo.evaluation.losses import loss_metric
from crivo.evaluation.metrics import Metric, metrics_of
from crivo.evaluation.plain import PlainResult, plain_result
from crivo.evaluation.slices import column_slices, slice_table
from crivo.evaluation.tasks import evaluation_of
from crivo.evaluation.thresholds import OperatingPoint
from crivo.evaluation.value import value_curve, value_table
from crivo.evaluation.weak_segments import find_suspects, weak_segments

# The ends of the value's interval, by the names that the list of experiments has.
ENDS = {"low": "value_per_1000_low", "high": "value_per_1000_high"}


@dataclass(frozen=True)
class Explanations:
    """What explains an evaluation.

    `tables` and `plots` by file name; `metrics`: numbers for the list of experiments; `plain`: the
    result in a number that everybody understands.
    """

    tables: dict[str, pd.DataFrame]
    plots: dict[str, pd.DataFrame]
    metrics: dict[str, float]
    plain: PlainResult | None = None


def explain(
    predictions: pd.DataFrame,
    context: Context,
    evaluation: Evaluation,
    *,
    settings: Mapping[str, Any],
    operating_point: OperatingPoint,
    raw: pd.DataFrame,
    features: pd.DataFrame,
) -> Explanations:
    """Return all that explains an evaluation.

    `settings` are the evaluator's, for the metrics that take some. `raw` and `features` have
    the rows of the predictions in the same order; they may have no columns.
    """
    metrics = slice_metrics(predictions, context, evaluation, settings)
    declared = list(column_slices(predictions))
    evaluated = Evaluated(predictions, context)
    suspected = find_suspects(evaluated, features)
    slices = slice_table(predictions, context, metrics, declared)
    segments = weak_segments(evaluated, features, metrics, suspected)
    value = value_table(
        evaluated,
        operating_point.value,
        operating_point.thresholds,
        chosen_here=operating_point.here,
    )
    threshold = operating_point.thresholds[0]
    places = [one for one in (*declared, *suspected.segments) if one.kind != "further"]
    errors = error_tables(evaluated, raw, threshold, places)
    cut = None if threshold is None else threshold.value
    return Explanations(
        tables={
            "slices": slices if segments.empty else pd.concat([slices, segments]),
            "value": value,
            **{f"errors/{name}": table for name, table in errors.items()},
        },
        plots={
            "value_curve": value_curve(evaluated, operating_point.value, cut),
            "residuals": residuals(predictions, context),
        },
        metrics=_headline(value),
        plain=plain_result(predictions, context, evaluation, operating_point, settings),
    )


def in_order(
    predictions: pd.DataFrame, schema: Schema, rows: pd.DataFrame, *beside: pd.DataFrame
) -> tuple[pd.DataFrame, ...]:
    """Return rows, and tables that stand beside them, in the order of the predictions.

    The rows lose their id and target, which the predictions have.
    """
    ids = pd.Index(rows[schema.id].astype("str"))
    places = ids.get_indexer(pd.Index(predictions["id"]))
    raw = rows.drop(columns=[schema.id, schema.target])
    return tuple(table.iloc[places].reset_index(drop=True) for table in (raw, *beside))


def slice_metrics(
    predictions: pd.DataFrame,
    context: Context,
    evaluation: Evaluation,
    settings: Mapping[str, Any],
) -> list[Metric]:
    """Return the metrics that slices are measured by: those shown, the primary one first.

    An evaluator's own metrics are left out, as they can't be measured here; where it has no
    others, the loss is taken. A task may add some.
    """
    known = metrics_of(context.task)
    metric_names = [evaluation.primary, *map(str, evaluation.metrics.index)]
    names = [name for name in metric_names if name in known]
    names = names or [loss_metric(predictions, context).name]
    names += evaluation_of(context).extra_metrics(predictions)
    return [known[name].with_settings(settings) for name in dict.fromkeys(names)]


def _headline(value: pd.DataFrame) -> dict[str, float]:
    """Return the model's value for the list of experiments."""
    model = value[value["of"] == "model"]
    names = {"value_per_1000": "value_per_1000"} | ENDS
    return {name: float(model[column].iloc[0]) for column, name in names.items() if len(model)}
