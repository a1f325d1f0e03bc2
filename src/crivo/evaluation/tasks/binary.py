"""Two classes, one of interest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import pandas as pd

from crivo.evaluation.clusters import jackknife_groups
from crivo.evaluation.curves import calibration, count_reaching, precision_recall, roc, scores
from crivo.evaluation.rows import Binary
from crivo.evaluation.tasks import NOTHING
from crivo.evaluation.tasks._classes import ClassesEvaluation, first, wrong


class BinaryEvaluation(ClassesEvaluation):
    """Scores rank the rows, and a threshold on them says which are acted on."""

    name = "binary"
    rows_type = Binary
    plain_metric = "precision"
    tenths: ClassVar[Mapping[str, str]] = {
        "lowest": "lowest score",
        "highest": "highest score",
        "observed_rate": "share {positive}",
        "error_rate": "share wrong",
        "mean_loss": "mean log loss",
    }

    @classmethod
    def default_metrics(cls, scored: bool) -> tuple[str, ...]:
        """Return metrics of the ranking and of the probabilities, or of the labels alone."""
        if scored:
            return ("roc_auc", "average_precision", "log_loss", "brier", "precision_at_share")
        return ("f1", "precision", "recall", "accuracy")

    def level_and_outcome(self, predictions: pd.DataFrame) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the scores, and 1 for the positive rows."""
        if not self.scored(predictions):
            return None
        happened = (predictions["target"] == self.context.positive).to_numpy(float)
        return predictions["score"].to_numpy(float), happened

    def curves(self, predictions: pd.DataFrame) -> dict[str, pd.DataFrame]:
        """Return the confusion and, where both classes occur, the curves of the scores."""
        curves = super().curves(predictions)
        if not self.scored(predictions) or predictions.empty:
            return curves
        rows, groups = self.rows(predictions), jackknife_groups(predictions)
        if rows.target.all() or not rows.target.any():
            return curves
        counts, beside = count_reaching(rows, groups), self.context.baseline
        baseline = None
        if beside is not None and self.scored(beside):
            baseline = count_reaching(self.rows(beside), jackknife_groups(beside))
        return curves | {
            "roc": roc(counts, baseline),
            "precision_recall": precision_recall(counts, baseline),
            "calibration": calibration(rows, groups),
            "scores": scores(rows),
        }

    def extra_metrics(self, predictions: pd.DataFrame) -> tuple[str, ...]:
        """Return calibration: a slice where all scores are too low may be ranked well."""
        return ("calibration_in_the_large",) if self.scored(predictions) else ()

    def confidently_wrong(self, predictions: pd.DataFrame, count: int) -> np.ndarray:
        """Return false alarms of the highest score, then misses of the lowest, half of each."""
        if not self.scored(predictions):
            return NOTHING
        score, mistaken = predictions["score"].to_numpy(), wrong(predictions)
        acted = (predictions["prediction"] == self.context.positive).to_numpy()
        alarms = first(-score, mistaken & acted, count // 2)
        misses = first(score, mistaken & ~acted, count // 2)
        return np.append(alarms, misses)

    def near_threshold(
        self, predictions: pd.DataFrame, threshold: float | None, count: int
    ) -> np.ndarray:
        """Return the rows whose score is nearest to the threshold."""
        if threshold is None or not self.scored(predictions):
            return NOTHING
        distance = np.abs(predictions["score"].to_numpy() - threshold)
        return first(distance, np.ones(len(predictions), dtype=bool), count)
