"""A whole evaluation: metrics, the baseline's beside them, and the verdict against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context, Evaluation
from crivo.evaluation.caveats import caveats, undefined
from crivo.evaluation.clusters import effective_clusters, jackknife_groups
from crivo.evaluation.definition import definition_of
from crivo.evaluation.jackknife import Jackknife, jackknife
from crivo.evaluation.metrics import Metric
from crivo.evaluation.tables import difference_table, interval_table
from crivo.evaluation.tasks import evaluation_of

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
    effective = effective_clusters(groups, predictions["weight"].to_numpy(float))
    model = jackknife(predictions, metrics, context, groups)
    result = Evaluation(
        metrics=interval_table(model, metrics, effective),
        baseline=interval_table(model, []),
        against_baseline=difference_table(model, model, []),
        jackknife=model.deleted,
        primary=metrics[0].name,
        definition=definition_of(metrics),
        warnings=(
            *caveats(model, metrics, effective),
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
