"""Each row's loss."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

from crivo.core.evaluation import Context
from crivo.evaluation.losses import loss_metric, row_losses
from crivo.testing.examples import TASKS, example_context, example_predictions

LABELS = Context("binary", ("no", "yes"), "yes")


def test_the_loss_of_a_probability_is_its_log_loss_in_the_order_of_the_table() -> None:
    table = pd.DataFrame({"target": ["yes", "no", "yes"], "score": [0.2, 0.9, 0.5]})
    table = table.assign(prediction="no", weight=1.0)
    assert row_losses(table, LABELS) == pytest.approx(-np.log([0.2, 0.1, 0.5]))
    assert loss_metric(table, LABELS).name == "log_loss"


def test_the_loss_of_a_label_is_one_when_it_is_wrong() -> None:
    table = pd.DataFrame({"target": ["yes", "no"], "prediction": ["no", "no"], "weight": 1.0})
    assert row_losses(table, LABELS).tolist() == [1, 0]
    assert loss_metric(table, LABELS).name == "accuracy"


def test_the_loss_of_a_number_is_its_absolute_error() -> None:
    table = pd.DataFrame({"target": [1.0, 2.0], "prediction": [3.0, 1.5], "weight": 1.0})
    assert row_losses(table, Context("regression")).tolist() == [2, 0.5]
    whole = table.assign(target=[1, 2], prediction=[3, 2])
    assert row_losses(whole, Context("regression")).dtype == float
    assert loss_metric(table, Context("regression")).name == "mae"


def test_the_mean_loss_of_classes_is_their_log_loss() -> None:
    table, context = example_predictions("multiclass"), example_context("multiclass")
    scores = table[[f"score_{name}" for name in context.classes]]
    expected = log_loss(table["target"], scores, labels=list(context.classes))
    assert row_losses(table, context).mean() == pytest.approx(expected)


@pytest.mark.parametrize("task", TASKS)
def test_there_is_a_loss_for_each_row(task: str) -> None:
    table = example_predictions(task)
    assert (row_losses(table, example_context(task)) >= 0).sum() == len(table)
