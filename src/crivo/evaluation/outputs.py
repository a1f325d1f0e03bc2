"""All files of an evaluation by name, the same for the stage and for an outside system's file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from crivo.core.evaluation import Evaluation
from crivo.core.findings import Finding, Silent
from crivo.core.params import Limit
from crivo.core.schema import Schema
from crivo.evaluation.explanations import Explanations
from crivo.evaluation.limits import check_limits, limitable
from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.report import Report, Subject, to_html, to_markdown
from crivo.evaluation.result_checks import RESULT_CHECKS, Results
from crivo.evaluation.summary import intervals_table, short_metrics
from crivo.evaluation.thresholds import OperatingPoint


def check_results(
    predictions: pd.DataFrame,
    evaluation: Evaluation,
    training: Mapping[str, Any] | None = None,
    is_baseline: bool = False,
) -> list[Finding | Silent]:
    """Return what makes an evaluation doubtful, and which checks found nothing.

    `training`: the metrics of the training.
    """
    metrics, intervals = short_metrics(evaluation), intervals_table(evaluation)
    results = Results(predictions, intervals, metrics, training or {}, is_baseline)
    return RESULT_CHECKS.review(results)


def output_files(
    *,
    predictions: pd.DataFrame,
    evaluation: Evaluation,
    explanations: Explanations,
    operating_point: OperatingPoint,
    about: Mapping[str, Any],
    curves: Mapping[str, pd.DataFrame],
    chosen: Mapping[str, str],
    baseline: str | None,
    incumbent: Mapping[str, Any],
    limits: Mapping[str, Limit],
    checked: pd.DataFrame,
    schema: Schema | None = None,
    settings: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the content of each file of metrics/evaluation.

    `about` says what was evaluated and how, `chosen` which dataset and model; `incumbent` is the
    verdict against it, empty where there is none; that of `metrics.json` is then against the
    `baseline`. The report shows whether the `limits` hold, what the checks found: `checked`, and
    the model's `settings`; it names rows and classes by the `schema`.
    """
    drawn = {**curves, **explanations.plots}
    verdict = dict(incumbent) or ({"verdict_against": baseline} if baseline else {})
    headline = short_metrics(evaluation) | explanations.metrics | verdict
    known = metrics_of(about["task"])
    values = limitable(known, headline, explanations.tables["slices"], about)
    files = {
        "predictions.parquet": predictions,
        **_tables(evaluation, explanations.tables, drawn),
        "metrics.json": headline,
        "threshold.json": operating_point.to_json(),
        "evaluation.json": dict(about),
    }
    report = Report(
        evaluation=evaluation, about=about, chosen=chosen, settings=settings or {},
        subject=Subject.of(schema, about.get("positive"), operating_point.value.currency, baseline),
        plain=explanations.plain,
        threshold=operating_point.thresholds[0],
        plots=drawn,
        tables=explanations.tables,
        headline=headline,
        incumbent=incumbent,
        limits=check_limits(limits, values),
        checked=checked,
        files=(*files, "report.md"),
    )  # fmt: skip
    return {**files, "report.html": to_html(report), "report.md": to_markdown(report)}


def _tables(
    evaluation: Evaluation, explained: Mapping[str, pd.DataFrame], drawn: Mapping[str, pd.DataFrame]
) -> dict[str, pd.DataFrame]:
    """Return the tables of an evaluation by the names of their files."""
    return {
        "jackknife.csv": evaluation.jackknife.reset_index(),
        "intervals.csv": intervals_table(evaluation),
        **{f"{name}.csv": table for name, table in explained.items()},
        **{f"plots/{name}.csv": table for name, table in drawn.items()},
    }
