import numpy as np
import pandas as pd
import pytest

from crivo.core.artifacts import EVALUATION, TRAIN_METRICS

PREDICTIONS = "metrics/evaluation/predictions.parquet"


@pytest.mark.parametrize(
    "table",
    [
        {"prediction": [False, False], "score": [0.2, 0.2]},
        {"prediction": [1.5, 1.5]},
        {"prediction": ["a", "a"], "score_a": [0.6, 0.6], "score_b": [0.4, 0.4]},
    ],
)
def test_constant_predictions_are_a_warning(project, evaluated, table):
    evaluated.table("predictions.parquet", pd.DataFrame(table))
    assert project.found("R001") == [("R001", PREDICTIONS)]


@pytest.mark.parametrize(
    "table",
    [
        {"prediction": [False, False], "score": [0.2, 0.3]},
        {"prediction": [1.5, 1.6]},
        {"prediction": ["a", "a"], "score_a": [0.6, 0.7], "score_b": [0.4, 0.3]},
    ],
)
def test_predictions_that_differ_are_fine(project, evaluated, table):
    evaluated.table("predictions.parquet", pd.DataFrame(table))
    assert project.found("R001") == []


def test_the_baseline_as_the_model_may_be_constant(project, evaluated):
    evaluated.table("predictions.parquet", pd.DataFrame({"prediction": [1, 1]}))
    project.edit("params.yaml", "model: small", "baseline: small\nmodel: small")
    assert project.found("R001") == []


def test_each_metric_worse_than_the_baselines_is_a_warning(project, evaluated):
    table = pd.DataFrame(
        {
            "metric": ["roc_auc", "log_loss", "brier", "brier"],
            "of": ["difference", "difference", "difference", "model"],
            "verdict": ["better", "worse", "undecided", np.nan],
        }
    )
    evaluated.table("intervals.csv", table)
    assert project.found("R002") == [("R002", "log_loss")]


# The baseline's log loss of training rows that are half positive is log 2 = 0.693.
@pytest.mark.parametrize(
    ("train", "valid", "found"),
    [
        (0.07, 0.60, True),  # 90 % against 13 %
        (0.07, 0.40, True),  # 90 % against 42 %
        (0.07, 0.30, False),  # 90 % against 57 %
        (0.55, 0.65, False),  # 21 % against 6 %: a gap, and a small one
        (0.60, 0.50, False),  # an easier season
    ],
)
def test_training_far_better_than_evaluation_is_a_warning(project, evaluated, train, valid, found):
    evaluated.metrics(TRAIN_METRICS, train_loss=train, baseline_train_loss=0.693)
    evaluated.metrics(EVALUATION, log_loss=valid, baseline_log_loss=0.69)
    assert project.found("R003") == ([("R003", "train_loss")] if found else [])


@pytest.mark.parametrize(("valid", "found"), [(1.9, True), (0.5, False)])
def test_numbers_are_judged_by_their_squared_error(project, evaluated, valid, found):
    evaluated.metrics(TRAIN_METRICS, train_loss=0.2, baseline_train_loss=2)
    evaluated.metrics(EVALUATION, rmse=valid, baseline_rmse=2.0)
    assert bool(project.found("R003")) == found


@pytest.mark.parametrize(("valid", "found"), [(0.55, True), (0.9, False)])
def test_labels_without_scores_are_judged_by_their_errors(project, evaluated, valid, found):
    evaluated.metrics(TRAIN_METRICS, train_loss=0.05, baseline_train_loss=0.5)
    evaluated.metrics(EVALUATION, accuracy=valid, baseline_accuracy=0.5)
    assert bool(project.found("R003")) == found


@pytest.mark.parametrize("training", [{"step": 1}, {"train_loss": 0.1}])
def test_a_training_without_a_loss_is_not_judged(project, evaluated, training):
    evaluated.metrics(TRAIN_METRICS, **training)
    evaluated.metrics(EVALUATION, log_loss=0.6, baseline_log_loss=0.69)
    assert project.found("R003") == []


def test_broken_metrics_are_named(project, evaluated):
    evaluated.metrics(EVALUATION, log_loss=0.6, baseline_log_loss=0.69)
    evaluated.metrics(TRAIN_METRICS, train_loss=0.6)
    (project.root / TRAIN_METRICS / "metrics.json").write_text("{")
    assert project.found("R003") == [("P001", "metrics/train/metrics.json")]
