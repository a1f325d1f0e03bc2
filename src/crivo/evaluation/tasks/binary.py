"""The evaluation of a binary task: its default metrics and plots."""

from __future__ import annotations

import numpy as np
import pandas as pd

from crivo.evaluation.curves import calibration, count_reaching, precision_recall, roc, scores
from crivo.evaluation.rows import Binary
from crivo.evaluation.tasks import ClassesEvaluation


class BinaryEvaluation(ClassesEvaluation):
    """Scores rank the rows, and a threshold selects the rows that are acted on."""

    name = "binary"
    rows_type = Binary
    plain_metric = "precision"

    @classmethod
    def default_metrics(cls, scored: bool) -> tuple[str, ...]:
        """Return metrics of the ranking and of the probabilities, or of the labels alone."""
        if scored:
            return ("roc_auc", "average_precision", "log_loss", "brier", "precision_at_share")
        return ("f1", "precision", "recall", "accuracy")

    def level_and_outcome(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the scores, and 1 for the positive rows."""
        if not self.scored:
            return None
        score, positive = self.predictions["score"], self.predictions["target"]
        return score.to_numpy(float), (positive == self.context.positive).to_numpy(float)

    def curves(self) -> dict[str, pd.DataFrame]:
        """Return the confusion and, where both classes occur, the curves of the scores."""
        curves, rows, beside = super().curves(), self.rows, self.baseline
        if not self.scored or rows.target.all() or not rows.target.any():
            return curves
        counts, prior = count_reaching(rows, self.groups), None
        if beside is not None and beside.scored:
            prior = count_reaching(beside.rows, beside.groups)
        return curves | {
            "roc": roc(counts, prior),
            "precision_recall": precision_recall(counts, prior),
            "calibration": calibration(rows, self.groups),
            "scores": scores(rows),
        }

    def extra_metrics(self) -> tuple[str, ...]:
        """Return calibration: a slice in which all scores are too low may still be ranked well."""
        return ("calibration_in_the_large",) if self.scored else ()
