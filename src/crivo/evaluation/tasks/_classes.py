"""Common parts of the tasks with classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from crivo.core.layout import a_few
from crivo.evaluation.curves import confusion
from crivo.evaluation.metrics import Metric
from crivo.evaluation.tasks import Evaluated

# A class with fewer rows says little about how its scores are spread.
MIN_CLASS_ROWS = 30
MAX_NAMES = 5


class ClassesEvaluation(Evaluated):
    """Labels are right or wrong; where there are probabilities, the loss is the log loss."""

    @property
    def loss_name(self) -> str:
        """Log loss, or accuracy, which is one less the share of errors."""
        return "log_loss" if self.scored else "accuracy"

    @property
    def wrong(self) -> np.ndarray:
        """Which rows have another label than the predicted one."""
        return (self.predictions["target"] != self.predictions["prediction"]).to_numpy()

    def row_losses(self) -> np.ndarray:
        """Return log losses, or 1 for a wrong label."""
        if not self.scored:
            return self.wrong.astype(float)
        return np.asarray(self.rows.log_losses[self.rows.places])

    def caveats(self, metrics: Sequence[Metric]) -> list[str]:
        """Return a warning of classes with few rows."""
        counted = self.predictions.loc[self.weight > 0, "target"]
        counts = counted.value_counts(sort=False)
        return rare_classes({str(name): int(counts.get(name, 0)) for name in self.context.classes})

    def curves(self) -> dict[str, pd.DataFrame]:
        """Return the confusion."""
        return {"confusion": confusion(self.predictions)}


def first(key: np.ndarray, among: np.ndarray, count: int) -> np.ndarray:
    """Return the places of the smallest keys among some rows."""
    places = np.flatnonzero(among)
    return places[np.argsort(key[places], kind="stable")[:count]]


def rare_classes(counts: Mapping[str, int]) -> list[str]:
    """Warn of classes with some rows, but too few; `counts`: the rows of each class."""
    few = [f"{name} ({n} rows)" for name, n in counts.items() if 0 < n < MIN_CLASS_ROWS]
    if not few:
        return []
    return [
        f"Classes with fewer than {MIN_CLASS_ROWS} rows: {a_few(few, MAX_NAMES)}. "
        "Intervals of metrics that depend on single classes, such as ROC AUC, recall and F1, "
        "are too short."
    ]
