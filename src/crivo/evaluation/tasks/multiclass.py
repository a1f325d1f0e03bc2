"""The evaluation of a multiclass task: its default metrics, and its tenths by probability."""

from __future__ import annotations

import numpy as np

from crivo.evaluation.rows import Multiclass
from crivo.evaluation.tasks import ClassesEvaluation


class MulticlassEvaluation(ClassesEvaluation):
    """The most probable class is predicted; its probability is the model's confidence."""

    name = "multiclass"
    rows_type = Multiclass
    plain_metric = "accuracy"

    @classmethod
    def default_metrics(cls, scored: bool) -> tuple[str, ...]:
        """Return log loss and metrics of the labels, or these alone."""
        if scored:
            return ("log_loss", "accuracy", "balanced_accuracy", "macro_f1")
        return ("balanced_accuracy", "accuracy", "macro_f1")

    def level_and_outcome(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the probability of the predicted class, and 1 for the right rows."""
        if not self.scored:
            return None
        scores = self.task.from_columns(self.predictions)
        return scores.max(axis=1), (~self.wrong).astype(float)
