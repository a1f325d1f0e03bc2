"""A predictions table with what is made of it: rows, clusters and losses, each once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.evaluation import Context
from crivo.evaluation.clusters import jackknife_groups
from crivo.evaluation.metrics import Metric, metrics_of
from crivo.evaluation.tasks import TaskEvaluation, evaluation_of


@dataclass(frozen=True, eq=False)
class Evaluated:
    """A predictions table, how it is evaluated, and what is made of it when it is asked for."""

    predictions: pd.DataFrame
    context: Context

    @cached_property
    def task(self) -> TaskEvaluation:
        """How predictions of the task are evaluated."""
        return evaluation_of(self.context)

    @cached_property
    def rows(self) -> Any:
        """The rows as metrics see them."""
        return self.task.rows(self.predictions)

    @cached_property
    def groups(self) -> pd.Categorical:
        """Each row's group that the jackknife leaves out."""
        return jackknife_groups(self.predictions)

    @cached_property
    def weight(self) -> np.ndarray:
        """Each row's weight."""
        return self.predictions["weight"].to_numpy(float)

    @cached_property
    def losses(self) -> np.ndarray:
        """Each row's loss: log loss, 1 for a wrong label, or the absolute error."""
        return self.task.losses(self.rows)

    @property
    def scored(self) -> bool:
        """Whether the table has the probabilities of its task."""
        return self.task.scored(self.predictions)

    @property
    def loss(self) -> Metric:
        """The metric that is the mean of the losses, or one less that (the accuracy)."""
        return metrics_of(self.context.task)[self.task.loss_name(self.predictions)]


def row_losses(predictions: pd.DataFrame, context: Context) -> np.ndarray:
    """Return each row's loss: log loss, 1 for a wrong label, or the absolute error."""
    return Evaluated(predictions, context).losses
