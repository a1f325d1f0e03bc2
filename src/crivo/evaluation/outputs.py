"""All files of an evaluation by name, the same for the stage and for an outside system's file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from crivo.core.evaluation import Evaluation
from crivo.core.findings import Finding
from crivo.core.params import Limit
from crivo.evaluation.explanations import Explanations
from crivo.evaluation.importances import for_page
from crivo.evaluation.limits import limitable, limits_table
from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.refitted import TITLE
from crivo.evaluation.report import Report, to_html, to_markdown
from crivo.evaluation.result_checks import RESULT_CHECKS, Results
from crivo.evaluation.summary import intervals_table, short_metrics
from crivo.evaluation.thresholds import OperatingPoint


def check_results(
    predictions: pd.DataFrame,
    evaluation: Evaluation,
    training: Mapping[str, Any] | None = None,
    is_baseline: bool = False,
) -> list[Finding]:
    """Return what makes an evaluation doubtful; `training`: the metrics of the training."""
    metrics, intervals = short_metrics(evaluation), intervals_table(evaluation)
    results = Results(predictions, intervals, metrics, training or {}, is_baseline)
    return RESULT_CHECKS.findings(results)


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
) -> dict[str, Any]:
    """Return the content of each file of metrics/evaluation.

    `about` says what was evaluated and how, `chosen` which dataset and model; `incumbent` is the
    verdict against it, empty where there is none; that of `metrics.json` is then against the
    `baseline`. The report shows whether the `limits` hold, and what the checks found: `checked`.
    """
    drawn = {**curves, **explanations.plots}
    verdict = dict(incumbent) or ({"verdict_against": baseline} if baseline else {})
    headline = short_metrics(evaluation) | explanations.metrics | verdict
    known = metrics_of(about["task"])
    values = limitable(known, headline, explanations.tables["slices"], about)
    importance = for_page(curves.get("importance", pd.DataFrame()))
    report_tables = {**explanations.page_tables, "Permutation importance": importance}
    report_tables["Limits"] = limits_table(limits, values)
    if "refit" in curves:
        report_tables = {TITLE: curves["refit"], **report_tables}
    report = Report(
        evaluation=evaluation,
        about=about,
        settings=chosen,
        plots=drawn,
        tables=report_tables,
        notes=explanations.notes,
        headline=headline,
        incumbent=incumbent,
        checked=checked,
    )
    return {
        "predictions.parquet": predictions,
        "jackknife.csv": evaluation.jackknife.reset_index(),
        "intervals.csv": intervals_table(evaluation),
        **{f"{name}.csv": table for name, table in explanations.tables.items()},
        **{f"plots/{name}.csv": table for name, table in drawn.items()},
        "metrics.json": headline,
        "threshold.json": operating_point.to_json(),
        "evaluation.json": dict(about),
        "report.html": to_html(report),
        "report.md": to_markdown(report),
    }
