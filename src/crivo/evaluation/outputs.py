"""All files of an evaluation by name, the same for the stage and for an outside system's file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from crivo.core.evaluation import Evaluation
from crivo.evaluation.findings import Findings
from crivo.evaluation.report import Report, to_html, to_markdown
from crivo.evaluation.summary import intervals_table, short_metrics
from crivo.evaluation.thresholds import OperatingPoint


def output_files(
    predictions: pd.DataFrame,
    evaluation: Evaluation,
    found: Findings,
    point: OperatingPoint,
    about: Mapping[str, Any],
    curves: Mapping[str, pd.DataFrame],
    chosen: Mapping[str, str],
    verdict: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the content of each file of metrics/evaluation.

    `about` says what was evaluated and how, `chosen` which dataset and model; `verdict` is what
    `metrics.json` says of the incumbent, or against which baseline its verdict is.
    """
    drawn = {**curves, **found.plots}
    report = Report(evaluation, about, chosen, drawn, found.shown, found.notes)
    return {
        "predictions.parquet": predictions,
        "jackknife.csv": evaluation.jackknife.reset_index(),
        "intervals.csv": intervals_table(evaluation),
        **{f"{name}.csv": table for name, table in found.tables.items()},
        **{f"plots/{name}.csv": table for name, table in drawn.items()},
        "metrics.json": short_metrics(evaluation) | found.metrics | dict(verdict),
        "threshold.json": point.to_json(),
        "evaluation.json": dict(about),
        "report.html": to_html(report),
        "report.md": to_markdown(report),
    }
