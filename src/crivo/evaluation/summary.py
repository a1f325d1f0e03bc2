"""An evaluation as the small files that git keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.evaluation import Context, Evaluation
from crivo.core.predictions import VERSION, EvaluatedRows
from crivo.evaluation.metrics import Metric, find_metrics, metrics_of
from crivo.evaluation.tasks import Evaluated


def short_metrics(evaluation: Evaluation) -> dict[str, Any]:
    """Return what `dvc exp show` lists: each metric with its interval, the baseline's, a verdict.

    `vs_baseline` is the primary metric's difference from the baseline on the same rows; a
    file's predictions may have none.
    """
    metrics: dict[str, Any] = {}
    baseline = evaluation.baseline["value"].to_dict()
    for name, row in evaluation.metrics.to_dict("index").items():
        metrics |= {str(name): row["value"], f"{name}_low": row["low"], f"{name}_high": row["high"]}
        if name in baseline:
            metrics[f"baseline_{name}"] = baseline[name]
    if evaluation.primary not in evaluation.against_baseline.index:
        return metrics
    versus = evaluation.against_baseline.loc[evaluation.primary]
    metrics |= {
        "vs_baseline": versus["difference"],
        "vs_baseline_low": versus["low"],
        "vs_baseline_high": versus["high"],
        "verdict": versus["verdict"],
    }
    return metrics


def intervals_table(evaluation: Evaluation) -> pd.DataFrame:
    """Return every interval: the model's, the baseline's and that of their difference."""
    model = evaluation.metrics.assign(of="model")
    baseline = evaluation.baseline.assign(of="baseline")
    difference = evaluation.against_baseline.rename(columns={"difference": "value"})
    tables = [model, baseline, difference.assign(of="difference")]
    table = pd.concat(tables).rename_axis("metric").reset_index()
    return table[["metric", "of", "value", "se", "low", "high", "verdict"]]


def slice_metrics(
    evaluated: Evaluated, evaluation: Evaluation, settings: Mapping[str, Any]
) -> list[Metric]:
    """Return the metrics that slices are measured by: those shown, the primary one first.

    An evaluator's own metrics are left out, as they can't be measured here; where it has no
    others, the loss is taken. A task may add some.
    """
    task = evaluated.context.task
    metric_names = [evaluation.primary, *map(str, evaluation.metrics.index)]
    names = [name for name in metric_names if name in metrics_of(task)] or [evaluated.loss.name]
    names += evaluated.extra_metrics()
    return find_metrics(names, task, settings)


# So many rows' losses are recorded.
LOSS_ROWS = 1_000


def loss_sample(evaluated: Evaluated) -> str:
    """Return the losses of rows that lie evenly in the table, to three digits.

    Two evaluations of the same rows have those of the same rows: their differences tell whether
    few rows decide between them.
    """
    losses = evaluated.losses
    places = np.linspace(0, len(losses) - 1, min(LOSS_ROWS, len(losses))).astype(int)
    return " ".join(f"{loss:.3g}" for loss in losses[places])


def provenance(
    evaluation: Evaluation, predictions: pd.DataFrame, context: Context, split: str
) -> dict[str, Any]:
    """Return what was evaluated and how: only experiments with equal `rows` may be compared."""
    effective, rows = evaluation.effective_clusters, EvaluatedRows(predictions)
    evaluated = Evaluated.of(predictions, context)
    return {
        "predictions_version": VERSION,
        "rows": rows.fingerprint(context.task, context.positive),
        "sample": rows.sample(),
        "losses": loss_sample(evaluated),
        **({"named_by_content": True} if rows.named_by_content() else {}),
        "definition": evaluation.definition,
        "split": split,
        "task": context.task,
        "positive": context.positive,
        "primary": evaluation.primary,
        "metrics": {one.name: one.to_json() for one in slice_metrics(evaluated, evaluation, {})},
        "n_rows": len(predictions),
        "n_clusters": int(predictions["cluster"].nunique()),
        "clusters_in_order": bool(evaluated.groups.ordered),
        **({} if effective is None else {"effective_clusters": effective}),
        "warnings": list(evaluation.warnings),
    }
