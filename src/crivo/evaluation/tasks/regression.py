"""The evaluation of a regression task: default metrics, losses, and warnings about heavy tails."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crivo.evaluation.metrics import Metric
from crivo.evaluation.rows import Regression
from crivo.evaluation.tasks import Evaluated

# So much of the sum of the squared errors may lie in the largest hundredth of them. It is 0.08
# for normal errors, 0.16 for Laplace's; where it is more, hardly any sample has the rare large
# errors that decide the true value.
LARGEST, MAX_LARGEST_FRACTION = 0.01, 0.25
# Of fewer rows the largest says nothing.
MIN_ROWS = 50


class RegressionEvaluation(Evaluated):
    """Predictions are more or less close to the target; the loss is the absolute error."""

    name = "regression"
    rows_type = Regression
    plain_metric = "mae"

    @classmethod
    def default_metrics(cls, scored: bool) -> tuple[str, ...]:
        """Return the sizes of the errors, and the share of the variance that is explained."""
        return ("rmse", "mae", "r2")

    @property
    def loss_name(self) -> str:
        """The mean absolute error."""
        return "mae"

    def row_losses(self) -> np.ndarray:
        """Return absolute errors."""
        return np.asarray(self.rows.absolute_errors[self.rows.places])

    def caveats(self, metrics: Sequence[Metric]) -> list[str]:
        """Return a warning if a few rows account for most of the squared errors."""
        return heavy_tails(self.rows.squared_errors, self.rows.weight, metrics)

    def level_and_outcome(self) -> tuple[np.ndarray, np.ndarray]:
        """Return predictions and targets."""
        both = self.predictions["prediction"], self.predictions["target"]
        return both[0].to_numpy(float), both[1].to_numpy(float)


def heavy_tails(
    squared_errors: np.ndarray, weight: np.ndarray, metrics: Sequence[Metric]
) -> list[str]:
    """Warn if a few rows account for most of the squared errors; both are one number per row."""
    fraction = largest_fraction(squared_errors * weight)
    if len(weight) < MIN_ROWS or fraction <= MAX_LARGEST_FRACTION:
        return []
    names = ", ".join(metric.name for metric in metrics if metric.squared)
    return [
        f"{names}: the largest {100 * LARGEST:.0f} % of the squared errors make up "
        f"{100 * fraction:.0f} % of their sum (above {100 * MAX_LARGEST_FRACTION:.0f} %), so "
        "the interval is too narrow: future errors may be larger. mae is affected less."
    ] * bool(names)


def largest_fraction(values: np.ndarray) -> float:
    """Return which part of the sum of some numbers the largest hundredth of them makes up.

    >>> largest_fraction(np.array([1.0] * 99 + [33.0]))
    0.25
    """
    count = max(1, round(LARGEST * len(values)))
    total = float(values.sum())
    if not len(values) or not total > 0:
        return 0.0
    return float(np.partition(values, len(values) - count)[-count:].sum()) / total
