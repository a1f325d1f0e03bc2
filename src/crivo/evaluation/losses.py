"""Each row's loss, and the metric that is its mean: what errors and weak segments go by."""

from __future__ import annotations

import numpy as np
import pandas as pd

from crivo.core.evaluation import Context
from crivo.evaluation.checked_predictions import score_columns
from crivo.evaluation.metrics import Metric, metrics_of
from crivo.evaluation.rows import TASKS


def scored(predictions: pd.DataFrame, context: Context) -> bool:
    """Return whether the table has the probabilities of its task."""
    names = score_columns(context)
    return bool(names) and set(names) <= set(predictions)


def loss_metric(predictions: pd.DataFrame, context: Context) -> Metric:
    """Return log loss where there are scores, accuracy of labels, mean absolute error of numbers.

    The accuracy is one less the mean loss, the others are the mean loss.
    """
    if context.task == "regression":
        name = "mae"
    else:
        name = "log_loss" if scored(predictions, context) else "accuracy"
    return metrics_of(context.task)[name]


def row_losses(predictions: pd.DataFrame, context: Context) -> np.ndarray:
    """Return each row's loss: log loss, 1 for a wrong label, or the absolute error."""
    if context.task == "regression":
        return (predictions["target"] - predictions["prediction"]).abs().to_numpy(float)
    if not scored(predictions, context):
        return (predictions["target"] != predictions["prediction"]).to_numpy(float)
    rows = TASKS[context.task].of(predictions, context)
    losses = np.empty(len(predictions))
    losses[rows.order] = rows.log_losses  # type: ignore[union-attr]
    return losses
