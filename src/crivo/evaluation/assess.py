"""A whole evaluation: metrics, the baseline's beside them, and the verdict against it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context, Evaluation
from crivo.core.predictions import definition_fingerprint
from crivo.evaluation.caveats import caveats, undefined
from crivo.evaluation.clusters import jackknife_groups, made_by_hash
from crivo.evaluation.jackknife import Jackknife, jackknife
from crivo.evaluation.metrics import Metric
from crivo.evaluation.tables import difference_table, interval_table
from crivo.evaluation.tasks import evaluation_of
from crivo.statistics.jackknife import effective_clusters

# The baseline's columns in the jackknife table start with this.
BASELINE = "baseline."


def assess(
    predictions: pd.DataFrame,
    context: Context,
    metrics: Sequence[Metric],
    margin: float = 0,
    margins: Mapping[str, float] | None = None,
) -> Evaluation:
    """Return the evaluation of a predictions table; the first of the metrics is primary.

    `margin` is the greatest difference of the primary metric that doesn't matter, `margins` are
    those of any metric by name.
    """
    margins = {metrics[0].name: margin} | dict(margins or {})
    groups = jackknife_groups(predictions)
    effective = effective_clusters(groups.codes, predictions["weight"].to_numpy(float))
    model = jackknife(predictions, metrics, context, groups)
    result = Evaluation(
        metrics=interval_table(model, metrics, effective),
        baseline=interval_table(model, []),
        against_baseline=difference_table(model, model, []),
        jackknife=model.deleted,
        primary=metrics[0].name,
        definition=definition_of(metrics),
        warnings=(
            *caveats(model, metrics, effective, by_hash=made_by_hash(predictions)),
            *evaluation_of(context).caveats(predictions, metrics),
        ),
        margin=margins[metrics[0].name],
        effective_clusters=effective,
    )
    if context.baseline is None:
        return result
    _check_same_rows(predictions, context.baseline)
    baseline = jackknife(context.baseline, metrics, context, groups)
    return _beside(result, model, baseline, metrics, margins)


def _beside(
    result: Evaluation,
    model: Jackknife,
    baseline: Jackknife,
    metrics: Sequence[Metric],
    margins: Mapping[str, float],
) -> Evaluation:
    effective = result.effective_clusters
    return replace(
        result,
        baseline=interval_table(baseline, metrics, effective),
        against_baseline=difference_table(model, baseline, metrics, margins, effective=effective),
        jackknife=model.deleted.join(baseline.deleted.add_prefix(BASELINE)),
        warnings=(*result.warnings, *undefined(baseline, " of the baseline")),
    )


def _check_same_rows(predictions: pd.DataFrame, baseline: pd.DataFrame) -> None:
    for name in ("id", "target"):
        own, other = predictions[name], baseline[name]
        if not own.equals(other) and own.tolist() != other.tolist():
            raise CrivoError(
                f"The baseline's predictions are of other rows: column {name!r} differs. "
                "A baseline has the same rows in the same order."
            )


# The version of the metrics without each cluster: it goes up whenever these numbers change.
JACKKNIFE = 1

# Before metrics had versions, the fingerprint covered their code. These gave the same numbers, so
# they go on under the fingerprints that were recorded: the usual metrics of each task.
RECORDED = {
    "4f721a7ef3c7": "2263818c3a7b",  # binary, the share that can be worked on as a setting
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
    found = definition_fingerprint(parts)
    return RECORDED.get(found, found)
