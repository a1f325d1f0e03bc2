"""All files of an evaluation by name, from an evaluation made by hand."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from crivo.core.evaluation import Evaluation
from crivo.core.findings import Finding, findings_table
from crivo.core.params import Limit
from crivo.evaluation.explanations import Explanations
from crivo.evaluation.outputs import check_results, output_files
from crivo.evaluation.thresholds import OperatingPoint

# Two rows of which the model says the same: check R001 finds that.
PREDICTIONS = pd.DataFrame({"id": ["a", "b"], "target": [1.0, 3.0], "prediction": [2.0, 2.0]})
NUMBERS = {"value": 1.0, "se": 0.1, "low": 0.8, "high": 1.2}
GAP = {"difference": 0.5, "se": 0.1, "low": 0.3, "high": 0.7, "verdict": "worse"}
EVALUATION = Evaluation(
    metrics=pd.DataFrame([NUMBERS], ["rmse"]),
    baseline=pd.DataFrame([NUMBERS | {"value": 0.5}], ["rmse"]),
    against_baseline=pd.DataFrame([GAP], ["rmse"]),
    jackknife=pd.DataFrame({"rmse": [0.9, 1.1]}, pd.Index(["x", "y"], name="cluster")),
    primary="rmse",
    definition="d1",
)
ABOUT = {"task": "regression", "split": "valid", "n_rows": 2, "n_clusters": 2}
FOUND = Explanations(
    tables={
        "slices": pd.DataFrame([{"kind": "all", "status": "all", "mae": 5.0, "difference": None}]),
        "errors/worst": pd.DataFrame({"id": ["b"], "loss": [1.0]}),
    },
    plots={"residuals": pd.DataFrame({"prediction": [2.0, 2.0], "residual": [-1.0, 1.0]})},
    metrics={"value_per_1000": 7.0, "value_per_1000_low": 6.0, "value_per_1000_high": 8.0},
)


def files_of(**incumbent: Any) -> dict[str, Any]:
    """Return the files of the evaluation made by hand."""
    return output_files(
        predictions=PREDICTIONS,
        evaluation=EVALUATION,
        explanations=FOUND,
        operating_point=OperatingPoint(),
        about=ABOUT,
        curves={"learning": pd.DataFrame({"iteration": [], "loss": []})},
        chosen={"dataset": "orders", "model": "made up"},
        baseline="prior",
        incumbent=incumbent,
        limits={"mae": Limit(at_most=4)},
        checked=findings_table([Finding("L005", "note", "x", "y.")]),
    )


def codes(files: dict[str, Any]) -> list[str]:
    """Return the codes of the checks' findings in the report, in their order."""
    starts = ("| L", "| R")
    return [line[2:6] for line in files["report.md"].splitlines() if line.startswith(starts)]


def test_each_file_has_its_name_and_its_content() -> None:
    files = files_of()
    assert list(files) == [
        "predictions.parquet",
        "jackknife.csv",
        "intervals.csv",
        "slices.csv",
        "errors/worst.csv",
        "plots/learning.csv",
        "plots/residuals.csv",
        "metrics.json",
        "threshold.json",
        "evaluation.json",
        "report.html",
        "report.md",
    ]
    assert files["predictions.parquet"] is PREDICTIONS
    assert files["jackknife.csv"].to_dict("list") == {"cluster": ["x", "y"], "rmse": [0.9, 1.1]}
    assert files["intervals.csv"]["of"].tolist() == ["model", "baseline", "difference"]
    assert files["evaluation.json"] == ABOUT


def test_metrics_are_those_of_the_evaluation_then_what_was_found_then_the_verdict() -> None:
    assert list(files_of()["metrics.json"]) == [
        "rmse",
        "rmse_low",
        "rmse_high",
        "baseline_rmse",
        "vs_baseline",
        "vs_baseline_low",
        "vs_baseline_high",
        "verdict",
        "value_per_1000",
        "value_per_1000_low",
        "value_per_1000_high",
        "verdict_against",
    ]


def test_a_limit_of_a_metric_that_slices_alone_have_is_checked() -> None:
    page = files_of()["report.html"]
    title = page.index('<h2 id="limits">')
    assert "✗ violated</td>" in page[title:]


def test_the_verdict_against_an_incumbent_is_reported() -> None:
    versus = {"vs_incumbent": 0.25, "vs_incumbent_low": -0.25, "vs_incumbent_high": 0.75}
    text = files_of(**versus, verdict="undecided", verdict_against="main")["report.md"]
    assert "Against the incumbent, main: undecided (+0.25 [−0.25, 0.75])." in text
    assert "Against the incumbent" not in files_of()["report.md"]


# As far off as 2.0 for both, and right when half as far from their mean.
EXTREME = PREDICTIONS.assign(prediction=[0.0, 4.0])
TRAINING = {"train_loss": 0.1, "baseline_train_loss": 1.0}


@pytest.mark.parametrize(
    ("predictions", "given", "expected"),
    [
        (PREDICTIONS, {}, ["R001", "R002"]),
        (PREDICTIONS, {"is_baseline": True}, ["R002"]),
        (PREDICTIONS, {"training": TRAINING}, ["R001", "R002"]),
        (EXTREME, {}, ["R002"]),
        (EXTREME, {"training": TRAINING}, ["R002", "R003"]),
    ],
)
def test_results_are_checked_with_what_is_known_of_the_training(
    predictions: pd.DataFrame, given: dict[str, Any], expected: list[str]
) -> None:
    checked = check_results(predictions, EVALUATION, **given)
    assert [one.code for one in checked if isinstance(one, Finding)] == expected


def test_the_report_lists_what_the_checks_found() -> None:
    assert codes(files_of()) == ["L005"]
