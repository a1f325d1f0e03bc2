"""The small files that git keeps, from an evaluation made by hand."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from crivo.core.evaluation import Context, Evaluation
from crivo.core.predictions import VERSION, EvaluatedRows
from crivo.evaluation.summary import intervals_table, provenance, short_metrics


def numbers(**lines: list[object]) -> pd.DataFrame:
    return pd.DataFrame.from_dict(lines, orient="index", columns=["value", "se", "low", "high"])


EVALUATION = Evaluation(
    metrics=numbers(roc_auc=[0.7, 0.01, 0.68, 0.72], lift=[2.0, 0.5, 1.0, 3.0]),
    baseline=numbers(roc_auc=[0.5, 0.0, 0.5, 0.5]),
    against_baseline=pd.DataFrame(
        {"difference": 0.2, "se": 0.01, "low": 0.18, "high": 0.22, "verdict": "better"},
        ["roc_auc"],
    ),
    jackknife=pd.DataFrame(),
    primary="roc_auc",
    definition="d1",
    warnings=("Careful.",),
)


def test_what_a_list_of_experiments_shows() -> None:
    assert short_metrics(EVALUATION) == {
        "roc_auc": 0.7,
        "roc_auc_low": 0.68,
        "roc_auc_high": 0.72,
        "baseline_roc_auc": 0.5,
        "lift": 2.0,
        "lift_low": 1.0,
        "lift_high": 3.0,
        "vs_baseline": 0.2,
        "vs_baseline_low": 0.18,
        "vs_baseline_high": 0.22,
        "verdict": "better",
    }


def test_without_a_difference_of_the_primary_metric_there_is_no_verdict() -> None:
    found = short_metrics(replace(EVALUATION, primary="lift"))
    assert list(found)[-1] == "lift_high"


def test_every_interval_is_in_one_table() -> None:
    found = intervals_table(EVALUATION)
    assert found.columns.tolist() == ["metric", "of", "value", "se", "low", "high", "verdict"]
    assert found.fillna("").to_numpy().tolist() == [
        ["roc_auc", "model", 0.7, 0.01, 0.68, 0.72, ""],
        ["lift", "model", 2.0, 0.5, 1.0, 3.0, ""],
        ["roc_auc", "baseline", 0.5, 0.0, 0.5, 0.5, ""],
        ["roc_auc", "difference", 0.2, 0.01, 0.18, 0.22, "better"],
    ]


@pytest.mark.parametrize("positive", ["late", "on time"])
def test_what_was_evaluated_and_how(positive: str) -> None:
    predictions = pd.DataFrame(
        {
            "id": ["a", "b", "c"],
            "target": ["late", "late", "on time"],
            "prediction": ["late"] * 3,
            "cluster": ["x", "y", "x"],
            "weight": 1.0,
        }
    )
    context = Context("binary", ("on time", "late"), positive)
    assert provenance(EVALUATION, predictions, context, "test") == {
        "predictions_version": VERSION,
        "rows": EvaluatedRows(predictions).fingerprint("binary", positive),
        "sample": EvaluatedRows(predictions).sample(),
        "definition": "d1",
        "split": "test",
        "task": "binary",
        "positive": positive,
        "primary": "roc_auc",
        "n_rows": 3,
        "n_clusters": 2,
        "clusters_in_order": False,
        "warnings": ["Careful."],
    }
