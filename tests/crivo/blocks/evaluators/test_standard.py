"""The standard evaluator: what it shows by default, what can be chosen, what is refused."""

import pytest

from crivo.core.errors import CrivoError
from crivo.core.problems import Problems
from crivo.core.registry import make_block
from crivo.testing import example_context, example_predictions


def standard(**settings):
    return make_block("evaluator", "standard", settings)


def evaluated(task="binary", *, scored=True, **settings):
    table = example_predictions(task)
    if not scored:
        table = table.drop(columns=[name for name in table if name.startswith("score")])
    return standard(**settings).evaluate(table, example_context(task))


SCORED = ["roc_auc", "average_precision", "log_loss", "brier", "precision_at_share"]


@pytest.mark.parametrize(
    ("task", "scored", "shown"),
    [
        ("binary", True, SCORED),
        ("binary", False, ["f1", "precision", "recall", "accuracy"]),
        ("multiclass", True, ["log_loss", "accuracy", "balanced_accuracy", "macro_f1"]),
        ("multiclass", False, ["balanced_accuracy", "accuracy", "macro_f1"]),
        ("regression", False, ["rmse", "mae", "r2"]),
    ],
)
def test_what_suits_the_task_is_shown(task, scored, shown):
    found = evaluated(task, scored=scored)
    assert found.metrics.index.tolist() == shown
    assert found.primary == shown[0]
    assert found.metrics.notna().all(axis=None)


def test_chosen_metrics_are_shown_after_the_primary_one():
    found = evaluated(primary="brier", metrics=["accuracy", "brier", "recall_at_share"])
    assert found.metrics.index.tolist() == ["brier", "accuracy", "recall_at_share"]
    assert found.primary == "brier"


def test_primary_and_margin_are_no_part_of_the_definition():
    names = ["brier", "log_loss"]
    one = evaluated(primary="brier", metrics=names)
    other = evaluated(primary="log_loss", metrics=names, margin=0.1)
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
    ],
)
def test_wrong_settings_are_refused_before_any_work(settings, sentence):
    with pytest.raises(Problems) as caught:
        standard(**settings)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("primary", "words"),
    [
        ("rmse", r"names 'rmse', which isn't a metric of a binary task \(there are: accuracy"),
        ("expected_calibration_error", "has no interval, so it can't be the primary metric"),
    ],
)
def test_a_primary_metric_that_cannot_be_is_refused(primary, words):
    with pytest.raises(CrivoError, match=words):
        evaluated(primary=primary)
