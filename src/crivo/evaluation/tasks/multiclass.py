"""Several classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import pandas as pd

from crivo.evaluation.rows import Multiclass
from crivo.evaluation.tasks import NOTHING
from crivo.evaluation.tasks._classes import ClassesEvaluation, first, wrong


class MulticlassEvaluation(ClassesEvaluation):
    """The most probable class is predicted; how probable it was says how sure the model is."""

    name = "multiclass"
    rows_type = Multiclass
    plain_metric = "accuracy"
    tenths: ClassVar[Mapping[str, str]] = {
        "lowest": "lowest probability",
        "highest": "highest probability",
        "mean_score": "mean probability of the predicted class",
        "observed_rate": "share right",
        "mean_loss": "mean log loss",
    }
    reliability = "Calibration", "mean probability of the predicted class", "share right"

    @classmethod
    def default_metrics(cls, scored: bool) -> tuple[str, ...]:
        """Return log loss and metrics of the labels, or these alone."""
        if scored:
            return ("log_loss", "accuracy", "balanced_accuracy", "macro_f1")
        return ("balanced_accuracy", "accuracy", "macro_f1")

    def level_and_outcome(self, predictions: pd.DataFrame) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the probability of the predicted class, and 1 for the right rows."""
        if not self.scored(predictions):
            return None
        right = (predictions["target"] == predictions["prediction"]).to_numpy(float)
        return self._scores(predictions).max(axis=1), right

    def confidently_wrong(self, predictions: pd.DataFrame, count: int) -> np.ndarray:
        """Return the wrong rows of the highest probability."""
        if not self.scored(predictions):
            return NOTHING
        return first(-self._scores(predictions).max(axis=1), wrong(predictions), count)

    def near_threshold(
        self, predictions: pd.DataFrame, threshold: float | None, count: int
    ) -> np.ndarray:
        """Return the rows whose second class was nearly as probable as the first."""
        if not self.scored(predictions):
            return NOTHING
        scores = np.sort(self._scores(predictions), axis=1)
        return first(scores[:, -1] - scores[:, -2], np.ones(len(predictions), dtype=bool), count)

    def _scores(self, predictions: pd.DataFrame) -> np.ndarray:
        return self.task.from_columns(predictions)
