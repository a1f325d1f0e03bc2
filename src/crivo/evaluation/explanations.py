"""What an evaluation finds beside its metrics: slices, weak segments, rows to look at, value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from crivo.core.evaluation import Context, Evaluation
from crivo.core.schema import Schema
from crivo.evaluation.errors import error_tables, residuals
from crivo.evaluation.losses import loss_metric
from crivo.evaluation.metrics import Metric, metrics_of
from crivo.evaluation.slices import slice_table
from crivo.evaluation.tasks import evaluation_of
from crivo.evaluation.thresholds import OperatingPoint
from crivo.evaluation.value import value_curve, value_table
from crivo.evaluation.weak_segments import weak_segments

# The ends of the value's interval, by the names that the list of experiments has.
ENDS = {"low": "value_per_1000_low", "high": "value_per_1000_high"}

# Columns of a table of rows that fit on a page.
WIDTH = 12


@dataclass(frozen=True)
class Explanations:
    """What explains an evaluation.

    `tables` and `plots` by file name; `metrics`: numbers for the list of experiments;
    `page_tables`: tables for people by title; `notes`: sentences for people.
    """

    tables: dict[str, pd.DataFrame]
    plots: dict[str, pd.DataFrame]
    metrics: dict[str, float]
    page_tables: dict[str, pd.DataFrame]
    notes: tuple[str, ...]


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
    slices = slice_table(predictions, context, metrics)
    segments = weak_segments(predictions, context, features, metrics)
    value = value_table(
        predictions,
        context,
        operating_point.value,
        operating_point.thresholds,
        chosen_here=operating_point.here,
    )
    errors = error_tables(predictions, context, raw, operating_point.thresholds[0])
    return Explanations(
        tables={
            "slices": slices if segments.empty else pd.concat([slices, segments]),
            "value": value,
            **{f"errors/{name}": table for name, table in errors.items()},
        },
        plots={
            "value_curve": value_curve(predictions, context, operating_point.value),
            "residuals": residuals(predictions, context),
        },
        metrics=_headline(value),
        page_tables={
            "Value": value.drop(columns="se").rename(columns=ENDS),
            "Slices": readable(slices, metrics[0]),
            "Weak segments": readable(segments, loss_metric(predictions, context)),
            "Worst rows": errors["worst"].iloc[:, :WIDTH],
            "By tenth of the scores": errors["by_decile"],
        },
        notes=tuple(_notes(slices, segments)),
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


def readable(table: pd.DataFrame, metric: Metric) -> pd.DataFrame:
    """Return the columns of a table of slices that fit on a page."""
    name = metric.name
    own = [name, f"{name}_low", f"{name}_high"] if name in table else []
    gap = ["difference", "difference_low", "difference_high"]
    short = table[["slice", "rows", "clusters", *own, *gap]]
    return short.assign(verdict=table["verdict"].where(table["verdict"] != "", table["status"]))


def _headline(value: pd.DataFrame) -> dict[str, float]:
    """Return the model's value for the list of experiments."""
    model = value[value["of"] == "model"]
    names = {"value_per_1000": "value_per_1000"} | ENDS
    return {name: float(model[column].iloc[0]) for column, name in names.items() if len(model)}


def _notes(slices: pd.DataFrame, segments: pd.DataFrame) -> Iterator[str]:
    """Say where the model is surely worse than elsewhere."""
    for table, what in ((slices, "slice"), (segments, "weak segment")):
        worse = table[table["verdict"] == "worse"]
        if len(worse):
            metric, names = worse["judged_by"].iloc[0], _some(worse["slice"].tolist())
            yield f"Worse in {metric} than the other rows: {what}{'s' * (len(worse) > 1)} {names}."


def _some(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return "; ".join(names[:most]) + more
