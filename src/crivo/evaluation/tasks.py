"""`Evaluated`: a predictions table and its results, with a class for each task.

The metrics of a task are functions in `crivo.evaluation.metrics`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from crivo.core.evaluation import Context
from crivo.core.layout import a_few
from crivo.core.tasks import Task, TaskType, task_of
from crivo.evaluation.clusters import jackknife_groups, made_by_hash
from crivo.evaluation.curves import (
    calibration,
    confusion,
    count_reaching,
    precision_recall,
    roc,
    scores,
)
from crivo.evaluation.jackknife import Jackknife, measure_without_each
from crivo.evaluation.metrics import Metric, metrics_of
from crivo.evaluation.rows import Binary, Multiclass, Regression

# A class with fewer rows says little about the distribution of its scores.
MIN_CLASS_ROWS = 30
MAX_NAMES = 5

# So much of the sum of the squared errors may lie in the largest hundredth of them. It is 0.08
# for normal errors, 0.16 for Laplace's; where it is more, hardly any sample has the rare large
# errors that decide the true value.
LARGEST, MAX_LARGEST_FRACTION = 0.01, 0.25
# Of fewer rows the largest says nothing.
MIN_ROWS = 50


@dataclass(frozen=True, eq=False)
class Evaluated(ABC):
    """A predictions table and its results, each of which is computed once, when it is needed.

    Each task has a class. `rows_type`: the input of its metrics, a class derived from
    `crivo.evaluation.rows.Rows` whose `of` prepares a predictions table; `plain_metric`: one that
    everybody understands, for the report's first sentence; `usual_metrics`: what is shown when no
    metrics are chosen, the primary one first; `usual_of_labels`: the same without scores.
    """

    predictions: pd.DataFrame
    context: Context

    rows_type: ClassVar[Any]
    plain_metric: ClassVar[str]
    usual_metrics: ClassVar[tuple[str, ...]]
    usual_of_labels: ClassVar[tuple[str, ...]]

    @staticmethod
    def of(predictions: pd.DataFrame, context: Context) -> Evaluated:
        """Return the evaluated table for the context's task."""
        return EVALUATIONS[context.task](predictions, context)

    @property
    @abstractmethod
    def loss(self) -> Metric:
        """The metric that is the mean of the losses, or 1 minus that mean (the accuracy)."""

    @cached_property
    @abstractmethod
    def losses(self) -> np.ndarray:
        """Each row's loss, in the order of the table."""

    @abstractmethod
    def level_and_outcome(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the predicted level of each row and its outcome, both as numbers.

        None where the predictions don't say how high.
        """

    @abstractmethod
    def caveats(self, metrics: Sequence[Metric]) -> list[str]:
        """Return warnings that the rows can't support the intervals of some metrics."""

    @cached_property
    def task(self) -> TaskType:
        """The task, with its classes."""
        return task_of(self.context)

    @cached_property
    def rows(self) -> Any:
        """The rows in the form that metrics need."""
        return self.rows_type.of(self.predictions, self.context)

    @cached_property
    def groups(self) -> pd.Categorical:
        """The group of each row that the jackknife leaves out."""
        return jackknife_groups(self.predictions)

    @cached_property
    def weight(self) -> np.ndarray:
        """Each row's weight."""
        return self.predictions["weight"].to_numpy(float)

    @property
    def scored(self) -> bool:
        """Whether the table has the probabilities of its task."""
        names = self.task.score_columns
        return bool(names) and set(names) <= set(self.predictions)

    @property
    def has_positive_scores(self) -> bool:
        """Whether there are scores of a positive class, to which a threshold can be applied."""
        return self.task.has_positive and self.scored

    @cached_property
    def baseline(self) -> Evaluated | None:
        """The baseline's table, if there is one."""
        known = self.context.baseline
        return None if known is None else Evaluated.of(known, self.context)

    def jackknife(
        self, metrics: Sequence[Metric], groups: pd.Categorical | None = None
    ) -> Jackknife:
        """Return metrics of the table, with and without each cluster.

        `groups` are the rows' groups when they are to be the same as in another table; a group
        without a row here changes nothing.
        """
        own, count = self.groups, len(self.predictions)
        # The independent units: each row's cluster, or the row itself if none are named.
        units = np.arange(count) if made_by_hash(self.predictions) else np.asarray(own.codes)
        return measure_without_each(self.rows, own if groups is None else groups, metrics, units)

    def curves(self) -> dict[str, pd.DataFrame]:
        """Return the tables of the task's plots."""
        return {}

    def extra_metrics(self) -> tuple[str, ...]:
        """Return metrics for slices in addition to those that are shown."""
        return ()


class ClassesEvaluation(Evaluated):
    """Labels are right or wrong; if there are probabilities, the loss is the log loss."""

    @property
    def loss(self) -> Metric:
        """Log loss, or accuracy, which is 1 minus the share of errors."""
        return metrics_of(self.context.task)["log_loss" if self.scored else "accuracy"]

    @cached_property
    def losses(self) -> np.ndarray:
        """Log losses, or 1 for a wrong label."""
        if not self.scored:
            return self.wrong.astype(float)
        return np.asarray(self.rows.log_losses[self.rows.places])

    @property
    def wrong(self) -> np.ndarray:
        """Which rows have a different label from the predicted one."""
        return (self.predictions["target"] != self.predictions["prediction"]).to_numpy()

    def caveats(self, metrics: Sequence[Metric]) -> list[str]:
        """Return a warning about classes with few rows."""
        counted = self.predictions.loc[self.weight > 0, "target"]
        counts = counted.value_counts(sort=False)
        return rare_classes({str(name): int(counts.get(name, 0)) for name in self.context.classes})

    def curves(self) -> dict[str, pd.DataFrame]:
        """Return the confusion."""
        return {"confusion": confusion(self.predictions)}


class BinaryEvaluation(ClassesEvaluation):
    """Scores rank the rows, and a threshold selects the rows that are acted on."""

    rows_type = Binary
    plain_metric = "precision"
    usual_metrics = ("roc_auc", "average_precision", "log_loss", "brier", "precision_at_share")
    usual_of_labels = ("f1", "precision", "recall", "accuracy")

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


class MulticlassEvaluation(ClassesEvaluation):
    """The most probable class is predicted; its probability is the model's confidence."""

    rows_type = Multiclass
    plain_metric = "accuracy"
    usual_metrics = ("log_loss", "accuracy", "balanced_accuracy", "macro_f1")
    usual_of_labels = ("balanced_accuracy", "accuracy", "macro_f1")

    def level_and_outcome(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the probability of the predicted class, and 1 for the right rows."""
        if not self.scored:
            return None
        scores = self.task.from_columns(self.predictions)
        return scores.max(axis=1), (~self.wrong).astype(float)


class RegressionEvaluation(Evaluated):
    """Predictions are more or less close to the target; the loss is the absolute error."""

    rows_type = Regression
    plain_metric = "mae"
    usual_metrics = usual_of_labels = ("rmse", "mae", "r2")

    @property
    def loss(self) -> Metric:
        """The mean absolute error."""
        return metrics_of(self.context.task)["mae"]

    @cached_property
    def losses(self) -> np.ndarray:
        """Absolute errors."""
        return np.asarray(self.rows.absolute_errors[self.rows.places])

    def level_and_outcome(self) -> tuple[np.ndarray, np.ndarray]:
        """Return predictions and targets."""
        both = self.predictions["prediction"], self.predictions["target"]
        return both[0].to_numpy(float), both[1].to_numpy(float)

    def caveats(self, metrics: Sequence[Metric]) -> list[str]:
        """Return a warning if a few rows account for most of the squared errors."""
        return heavy_tails(self.rows.squared_errors, self.rows.weight, metrics)


EVALUATIONS: dict[Task, type[Evaluated]] = {
    "binary": BinaryEvaluation,
    "multiclass": MulticlassEvaluation,
    "regression": RegressionEvaluation,
}


def usual_metrics(task: Task, scored: bool) -> tuple[str, ...]:
    """Return the metrics to show when none are chosen, the primary one first."""
    kind = EVALUATIONS[task]
    return kind.usual_metrics if scored else kind.usual_of_labels


def rare_classes(counts: Mapping[str, int]) -> list[str]:
    """Warn about classes with some rows, but too few; `counts`: the rows of each class."""
    few = [f"{name} ({n} rows)" for name, n in counts.items() if 0 < n < MIN_CLASS_ROWS]
    if not few:
        return []
    return [
        f"Classes with fewer than {MIN_CLASS_ROWS} rows: {a_few(few, MAX_NAMES)}. "
        "Intervals of metrics that depend on single classes, such as ROC AUC, recall and F1, "
        "are too narrow."
    ]


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
