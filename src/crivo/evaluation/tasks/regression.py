"""Numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from crivo.evaluation.metrics import Metric
from crivo.evaluation.row_caveats import heavy_tails
from crivo.evaluation.rows import Regression
from crivo.evaluation.tasks._base import TaskEvaluation


class RegressionEvaluation(TaskEvaluation):
    """A prediction is near to the truth or far from it; the loss is the absolute error."""

    name = "regression"
    rows_type = Regression
    plain_metric = "mae"
    level = "predictions"
    tenths: ClassVar[Mapping[str, str]] = {
        "lowest": "lowest prediction",
        "highest": "highest prediction",
        "mean_score": "mean prediction",
        "observed_rate": "mean {target}",
        "mean_loss": "mean absolute error",
    }
    reliability = "Predicted and actual", "mean prediction", "mean {target}"

    @classmethod
    def default_metrics(cls, scored: bool) -> tuple[str, ...]:
        """Return the sizes of the errors, and the share of the variance that is explained."""
        return ("rmse", "mae", "r2")

    def loss_name(self, predictions: pd.DataFrame) -> str:
        """Return the mean absolute error."""
        return "mae"

    def losses(self, rows: Any) -> np.ndarray:
        """Return absolute errors."""
        return np.asarray(rows.absolute_errors[rows.places])

    def caveats(self, predictions: pd.DataFrame, metrics: Sequence[Metric]) -> list[str]:
        """Return a warning when few rows carry the sum of the squared errors."""
        rows = self.rows(predictions)
        return heavy_tails(rows.squared_errors, rows.weight, metrics)

    def level_and_outcome(self, predictions: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """Return predictions and targets."""
        return predictions["prediction"].to_numpy(float), predictions["target"].to_numpy(float)
