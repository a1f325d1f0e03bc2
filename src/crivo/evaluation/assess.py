"""Computes the metrics of model and baseline, their intervals, differences and verdicts.

`assess` does it for evaluator blocks, with metrics from `choose_metrics`. The tables and facts of
its result are made here; the files, plots and report in `evaluate`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.blocks import Context, Evaluation
from crivo.core.errors import CrivoError
from crivo.core.predictions import VERSION, about_rows
from crivo.core.schema import Task
from crivo.evaluation.allowances import judged, losses_between
from crivo.evaluation.caveats import caveats, undefined
from crivo.evaluation.jackknife import Jackknife
from crivo.evaluation.metrics import Metric, find_metrics, metrics_of
from crivo.evaluation.rows import ROWS
from crivo.evaluation.tasks import Evaluated
from crivo.statistics.intervals import difference

# The baseline's columns in the jackknife table start with this.
BASELINE = "baseline."

INTERVAL = ["value", "se", "low", "high"]
DIFFERENCE = ["difference", "se", "low", "high", "verdict"]


def choose_metrics(
    predictions: pd.DataFrame,
    task: Task,
    primary: str | None = None,
    names: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
) -> list[Metric]:
    """Return the metrics to show, the primary one first; by default, those that suit the task.

    `settings` are the settings of the metrics. A CrivoError is raised if a name isn't that of a
    metric, or if the primary metric has no interval.
    """
    scored = any(str(name).startswith("score") for name in predictions)
    usual = ROWS[task].usual_metrics if scored else ROWS[task].usual_of_labels
    chosen = find_metrics((primary or usual[0], *(names or usual)), task, settings)
    if not chosen[0].interval:
        raise CrivoError(
            f"{chosen[0].name} has no interval, so it can't be the primary metric; "
            "set evaluators.standard.primary to another."
        )
    return chosen


def assess(
    predictions: pd.DataFrame,
    context: Context,
    metrics: Sequence[Metric],
    margin: float = 0,
    margins: Mapping[str, float] | None = None,
) -> Evaluation:
    """Return the evaluation of a table of predictions; the first metric is the primary one.

    `margin` is the largest difference in the primary metric that doesn't matter. `margins` may
    contain the margins of other metrics, by name.
    """
    margins = {metrics[0].name: margin} | dict(margins or {})
    evaluated = Evaluated(predictions, context)
    model, prior = evaluated.jackknife(metrics), evaluated.baseline
    warnings = caveats(model, metrics)
    warnings += evaluated.caveats(metrics)
    deleted, baseline = model.deleted, interval_table(model, ())
    differences: dict[str, tuple[Any, ...]] = {}
    if prior is not None:
        _check_same_rows(predictions, prior.predictions)
        other = prior.jackknife(metrics, evaluated.groups)
        deleted = deleted.join(other.deleted.add_prefix(BASELINE))
        baseline = interval_table(other, metrics)
        warnings += undefined(other, " of the baseline")
        for metric in (one for one in metrics if one.interval):
            # A trivial model's shares of 0 and 1 follow from its rule and aren't uncertain.
            beside = other.estimate(metric)._replace(exact=None)
            found = difference(metric, model.estimate(metric), beside)
            losses = losses_between(evaluated.losses, prior.losses, metric, context.task)
            limits, word = judged(
                metric, found, in_order=model.ordered, losses=losses, rows=model.count,
                margin=margins.get(metric.name, 0.0),
            )  # fmt: skip
            differences[metric.name] = (found.value, *limits, word)
    return Evaluation(
        metrics=interval_table(model, metrics),
        baseline=baseline,
        against_baseline=_by_metric(differences, DIFFERENCE),
        jackknife=deleted,
        primary=metrics[0].name,
        definition=definition_of(metrics),
        warnings=tuple(warnings),
        margin=margins[metrics[0].name],
        effective_clusters=model.effective,
        evaluated=evaluated,
    )


def _check_same_rows(predictions: pd.DataFrame, baseline: pd.DataFrame) -> None:
    for name in ("id", "target"):
        own, other = predictions[name], baseline[name]
        if not own.equals(other) and own.tolist() != other.tolist():
            raise CrivoError(
                f"The baseline's predictions are for other rows: column {name!r} differs. "
                "A baseline must have the same rows in the same order."
            )


def interval_table(result: Jackknife, metrics: Sequence[Metric]) -> pd.DataFrame:
    """Return a row per metric: its value, standard error and interval."""
    return _by_metric({metric.name: result.limits(metric) for metric in metrics}, INTERVAL)


def _by_metric(rows: Mapping[str, tuple[Any, ...]], columns: list[str]) -> pd.DataFrame:
    return pd.DataFrame.from_dict(dict(rows), orient="index", columns=columns)


# The version of the metrics without each cluster. Raise it whenever these numbers change.
JACKKNIFE = 1

# Before metrics had versions, the fingerprint covered their code. The usual metrics of each task
# give the same numbers as before, so they keep the fingerprints that were recorded.
RECORDED = {
    "4f721a7ef3c7": "2263818c3a7b",  # binary, with the share as a setting
    "14e9cc436fc5": "e52b4682cb28",  # binary
    "ade44067cd3f": "68bb0faf1d2a",  # binary, labels alone
    "3fcc678c25fe": "fd64c1216b44",  # multiclass
    "ec1fda01bd61": "83143b0c23e2",  # multiclass, labels alone
    "e3df4b7434ef": "4d82e924a654",  # regression
}


def definition_of(metrics: Iterable[Metric]) -> str:
    """Return the fingerprint of the metrics: their versions, settings, and directions."""
    parts = {"jackknife": str(JACKKNIFE)}
    for metric in metrics:
        kind = (metric.direction, metric.best, metric.bounds, metric.interval, metric.definition)
        parts[f"{metric.task} {metric.name}"] = f"{kind} {sorted(metric.settings.items())}"
    text = "\n".join(f"{name}={parts[name]}" for name in sorted(parts))
    found = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()[:12]
    return RECORDED.get(found, found)


# --- the small files that git keeps ---------------------------------------------------------------


def short_metrics(evaluation: Evaluation) -> dict[str, Any]:
    """Return what `dvc exp show` lists: each metric with its interval, the baseline's, a verdict.

    `vs_baseline` is the primary metric's difference from the baseline on the same rows; predictions
    from a file may have no baseline.
    """
    metrics: dict[str, Any] = {}
    for name, row in evaluation.metrics.to_dict("index").items():
        metrics |= {str(name): row["value"], f"{name}_low": row["low"], f"{name}_high": row["high"]}
    known = evaluation.baseline["value"].items()
    metrics |= {f"baseline_{name}": value for name, value in known}
    if evaluation.primary in evaluation.against_baseline.index:
        versus = evaluation.against_baseline.loc[evaluation.primary]
        metrics |= {
            "vs_baseline": versus["difference"],
            "vs_baseline_low": versus["low"],
            "vs_baseline_high": versus["high"],
            "verdict": versus["verdict"],
        }
    return metrics


def intervals_table(evaluation: Evaluation) -> pd.DataFrame:
    """Return all intervals: of the model, of the baseline and of their difference."""
    model = evaluation.metrics.assign(of="model")
    baseline = evaluation.baseline.assign(of="baseline")
    difference = evaluation.against_baseline.rename(columns={"difference": "value"})
    tables = [model, baseline, difference.assign(of="difference")]
    table = pd.concat(tables).rename_axis("metric").reset_index()
    return table[["metric", "of", "value", "se", "low", "high", "verdict"]]


def slice_metrics(
    evaluated: Evaluated, evaluation: Evaluation, settings: Mapping[str, Any]
) -> list[Metric]:
    """Return the metrics of slices: those that are shown, with the primary one first.

    An evaluator's own metrics are left out, because they can't be computed here; if it has no
    others, the loss is used.
    """
    task = evaluated.context.task
    metric_names = [evaluation.primary, *map(str, evaluation.metrics.index)]
    names = [name for name in metric_names if name in metrics_of(task)]
    names = names or [evaluated.rows.loss_metric]
    if evaluated.has_positive_scores:  # where all scores are too low, they may still rank well
        names.append("calibration_in_the_large")
    return find_metrics(names, task, settings)


# The number of rows whose losses are recorded.
LOSS_ROWS = 1_000


def loss_sample(evaluated: Evaluated) -> str:
    """Return the losses of rows at equal steps through the table, to three digits.

    Two evaluations of the same rows record the same ones, so their differences show whether a few
    rows decide between the two.
    """
    losses = evaluated.losses
    places = np.linspace(0, len(losses) - 1, min(LOSS_ROWS, len(losses))).astype(int)
    return " ".join(f"{loss:.3g}" for loss in losses[places])


def provenance(evaluation: Evaluation, evaluated: Evaluated, split: str) -> dict[str, Any]:
    """Return what was evaluated and how: only experiments with equal `rows` may be compared."""
    predictions, context = evaluated.predictions, evaluated.context
    effective = evaluation.effective_clusters
    return {
        "predictions_version": VERSION,
        **about_rows(predictions, context.task, context.positive),
        "losses": loss_sample(evaluated),
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
