"""The standard evaluator: what it shows by default, what can be chosen, what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context
from crivo.core.problems import Problems
from crivo.core.registry import make_block

CONTEXTS = {
    "binary": Context("binary", classes=(0, 1), positive=1),
    "multiclass": Context("multiclass", classes=(0, 1, 2)),
    "regression": Context("regression"),
}


def standard(**settings):
    return make_block("evaluator", "standard", settings)


def predictions(task, *, scored=True, count=300):
    random = np.random.default_rng(0)
    kinds = {"binary": 2, "multiclass": 3, "regression": 100}[task]
    scores = random.dirichlet(np.ones(kinds), count)
    columns = {"binary": {"score": scores[:, 1]}, "regression": {}}.get(
        task, {f"score_{k}": scores[:, k] for k in range(kinds)}
    )
    return pd.DataFrame(
        {
            "id": [f"row {i}" for i in range(count)],
            "target": [random.choice(kinds, p=chances) for chances in scores],
            "prediction": scores.argmax(axis=1),
            **(columns if scored else {}),
            "cluster": random.integers(0, 20, count),
            "weight": 1.0,
        }
    )


@pytest.mark.parametrize(
    ("task", "scored", "shown"),
    [
        (
            "binary",
            True,
            ["roc_auc", "average_precision", "log_loss", "brier", "precision_at_share"],
        ),
        ("binary", False, ["f1", "precision", "recall", "accuracy"]),
        ("multiclass", True, ["log_loss", "accuracy", "balanced_accuracy", "macro_f1"]),
        ("multiclass", False, ["balanced_accuracy", "accuracy", "macro_f1"]),
        ("regression", False, ["rmse", "mae", "r2"]),
    ],
)
def test_what_suits_the_task_is_shown(task, scored, shown):
    found = standard().evaluate(predictions(task, scored=scored), CONTEXTS[task])
    assert found.metrics.index.tolist() == shown
    assert found.primary == shown[0]
    assert found.metrics.notna().all(axis=None)


def test_chosen_metrics_are_shown_after_the_primary_one():
    settings = {"primary": "brier", "metrics": ["accuracy", "brier", "recall_at_share"]}
    found = standard(**settings).evaluate(predictions("binary"), CONTEXTS["binary"])
    assert found.metrics.index.tolist() == ["brier", "accuracy", "recall_at_share"]
    assert found.primary == "brier"


def test_primary_and_margin_are_no_part_of_the_definition():
    table, names = predictions("binary"), ["brier", "log_loss"]
    one = standard(primary="brier", metrics=names).evaluate(table, CONTEXTS["binary"])
    other = standard(primary="log_loss", metrics=names, margin=0.1).evaluate(
        table, CONTEXTS["binary"]
    )
    assert one.definition == other.definition


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"primary": "roc_auk"},
            "evaluators.standard.primary: is 'roc_auk', but it names "
            "'roc_auk', which isn't a metric; did you mean `roc_auc`? (there are: ",
        ),
        ({"metrics": ["rmse", "x"]}, "names 'x', which isn't a metric (there are: "),
        ({"share": 0}, "evaluators.standard.share: is 0, but it should be greater than 0"),
        ({"share": 1}, "evaluators.standard.share: is 1, but it should be less than 1"),
        ({"margin": -1}, "should be greater than or equal to 0"),
        ({"metric": "rmse"}, "unknown setting; did you mean `metrics`?"),
    ],
)
def test_wrong_settings_are_refused_before_any_work(settings, sentence):
    with pytest.raises(Problems) as caught:
        standard(**settings)
    assert sentence in str(caught.value)


def test_a_metric_of_another_task_is_refused_with_those_there_are():
    evaluator = standard(primary="rmse")
    with pytest.raises(CrivoError) as caught:
        evaluator.evaluate(predictions("binary"), CONTEXTS["binary"])
    assert "names 'rmse', which isn't a metric of a binary task (there are: accuracy" in str(
        caught.value
    )


def test_a_metric_without_interval_cannot_be_primary():
    evaluator = standard(primary="expected_calibration_error")
    with pytest.raises(CrivoError, match="has no interval, so it can't be the primary metric"):
        evaluator.evaluate(predictions("binary"), CONTEXTS["binary"])
