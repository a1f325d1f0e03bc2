"""What tasks with classes have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from crivo.evaluation.curves import confusion
from crivo.evaluation.metrics import Metric
from crivo.evaluation.row_caveats import rare_classes
from crivo.evaluation.tasks._base import TaskEvaluation
from crivo.evaluation.weighting import NotDefined


class ClassesEvaluation(TaskEvaluation):
    """Labels are right or wrong; where there are probabilities, the loss is the log loss."""

    def loss_name(self, predictions: pd.DataFrame) -> str:
        """Return log loss, or accuracy, which is one less the share of errors."""
        return "log_loss" if self.scored(predictions) else "accuracy"

    def losses(self, rows: Any) -> np.ndarray:
        """Return log losses, or 1 for a wrong label."""
        try:
            losses = rows.log_losses
        except NotDefined:
            losses = (rows.target != rows.predicted).astype(float)
        return np.asarray(losses[rows.places])

    def caveats(self, predictions: pd.DataFrame, metrics: Sequence[Metric]) -> list[str]:
        """Return a warning of classes with few rows."""
        counted = predictions.loc[predictions["weight"] > 0, "target"]
        counts = counted.value_counts(sort=False)
        return rare_classes({str(name): int(counts.get(name, 0)) for name in self.context.classes})

    def curves(self, predictions: pd.DataFrame) -> dict[str, pd.DataFrame]:
        """Return the confusion."""
        return {"confusion": confusion(predictions)}


def wrong(predictions: pd.DataFrame) -> np.ndarray:
    """Return which rows have another label than the predicted one."""
    return (predictions["target"] != predictions["prediction"]).to_numpy()


def first(key: np.ndarray, among: np.ndarray, count: int) -> np.ndarray:
    """Return the places of the smallest keys among some rows."""
    places = np.flatnonzero(among)
    return places[np.argsort(key[places], kind="stable")[:count]]
