"""Each row's loss, and the metric that is its mean: what errors and weak segments go by."""

from __future__ import annotations

import numpy as np
import pandas as pd

from crivo.core.evaluation import Context
from crivo.evaluation.metrics import Metric, metrics_of
from crivo.evaluation.tasks import evaluation_of


def scored(predictions: pd.DataFrame, context: Context) -> bool:
    """Return whether the table has the probabilities of its task."""
    return evaluation_of(context).scored(predictions)


def loss_metric(predictions: pd.DataFrame, context: Context) -> Metric:
    """Return log loss where there are scores, accuracy of labels, mean absolute error of numbers.

    The accuracy is one less the mean loss, the others are the mean loss.
    """
    return metrics_of(context.task)[evaluation_of(context).loss_name(predictions)]


def row_losses(predictions: pd.DataFrame, context: Context) -> np.ndarray:
    """Return each row's loss: log loss, 1 for a wrong label, or the absolute error."""
    task = evaluation_of(context)
    return task.losses(task.rows(predictions))
