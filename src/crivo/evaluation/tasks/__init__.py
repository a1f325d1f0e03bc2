"""`Evaluated`: a predictions table and its results, with a subclass for each task.

Each file of this folder is about one task of `crivo.core.tasks`, and the folder is the registry.
The metrics of a task are functions in `crivo.evaluation.metrics`.
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context
from crivo.core.layout import a_few
from crivo.core.tasks import Task, TaskType, task_of
from crivo.evaluation.clusters import jackknife_groups, made_by_hash
from crivo.evaluation.curves import confusion
from crivo.evaluation.jackknife import Jackknife, measure_without_each
from crivo.evaluation.metrics import Metric, metrics_of

KNOWN: dict[Task, type[Evaluated]] = {}

# A class with fewer rows says little about the distribution of its scores.
MIN_CLASS_ROWS = 30
MAX_NAMES = 5


@dataclass(frozen=True, eq=False)
class Evaluated(ABC):
    """A predictions table and its results, each of which is computed once, when it is needed.

    Each task has a class. `name`: the name of the task; `rows_type`: the input of its metrics, a
    class derived from `crivo.evaluation.rows.Rows` whose `of` prepares a predictions table;
    `plain_metric`: one that everybody understands, for the report's first sentence.
    """

    predictions: pd.DataFrame
    context: Context

    name: ClassVar[Task]
    rows_type: ClassVar[Any]
    plain_metric: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        """Register a class that names its task."""
        if "name" in vars(cls):
            KNOWN[cls.name] = cls

    @staticmethod
    def of(predictions: pd.DataFrame, context: Context) -> Evaluated:
        """Return the evaluated table for the context's task."""
        return task_evaluation(context.task)(predictions, context)

    @classmethod
    @abstractmethod
    def default_metrics(cls, scored: bool) -> tuple[str, ...]:
        """Return the metrics to show when none are chosen, the primary one first."""

    @property
    @abstractmethod
    def loss_name(self) -> str:
        """The metric that is the mean loss of the rows, or 1 minus that mean."""

    @abstractmethod
    def row_losses(self) -> np.ndarray:
        """Return the loss of each row, in the order of the table."""

    @abstractmethod
    def level_and_outcome(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the predicted level of each row and its outcome, both as numbers.

        None where the predictions don't say how high.
        """

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
    def units(self) -> np.ndarray:
        """The independent units: each row's cluster, or the row itself if none are named."""
        count = len(self.predictions)
        return np.arange(count) if made_by_hash(self.predictions) else np.asarray(self.groups.codes)

    @cached_property
    def weight(self) -> np.ndarray:
        """Each row's weight."""
        return self.predictions["weight"].to_numpy(float)

    @cached_property
    def losses(self) -> np.ndarray:
        """Each row's loss: log loss, 1 for a wrong label, or the absolute error."""
        return self.row_losses()

    @property
    def loss(self) -> Metric:
        """The metric that is the mean of the losses, or 1 minus that mean (the accuracy)."""
        return metrics_of(self.context.task)[self.loss_name]

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
        groups = self.groups if groups is None else groups
        return measure_without_each(self.rows, groups, metrics, self.units)

    def curves(self) -> dict[str, pd.DataFrame]:
        """Return the tables of the task's plots."""
        return {}

    def extra_metrics(self) -> tuple[str, ...]:
        """Return metrics for slices in addition to those that are shown."""
        return ()

    def caveats(self, metrics: Sequence[Metric]) -> list[str]:
        """Return warnings that the rows can't support the intervals of some metrics."""
        return []


class ClassesEvaluation(Evaluated):
    """Labels are right or wrong; if there are probabilities, the loss is the log loss."""

    @property
    def loss_name(self) -> str:
        """Log loss, or accuracy, which is 1 minus the share of errors."""
        return "log_loss" if self.scored else "accuracy"

    @property
    def wrong(self) -> np.ndarray:
        """Which rows have a different label from the predicted one."""
        return (self.predictions["target"] != self.predictions["prediction"]).to_numpy()

    def row_losses(self) -> np.ndarray:
        """Return log losses, or 1 for a wrong label."""
        if not self.scored:
            return self.wrong.astype(float)
        return np.asarray(self.rows.log_losses[self.rows.places])

    def caveats(self, metrics: Sequence[Metric]) -> list[str]:
        """Return a warning about classes with few rows."""
        counted = self.predictions.loc[self.weight > 0, "target"]
        counts = counted.value_counts(sort=False)
        return rare_classes({str(name): int(counts.get(name, 0)) for name in self.context.classes})

    def curves(self) -> dict[str, pd.DataFrame]:
        """Return the confusion."""
        return {"confusion": confusion(self.predictions)}


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


@cache
def _load() -> None:
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")


def task_evaluation(task: Task) -> type[Evaluated]:
    """Return how a task is evaluated; CrivoError if it has no evaluation."""
    _load()
    if task not in KNOWN:
        raise CrivoError(
            f"The task {task} has no evaluation; write src/crivo/evaluation/tasks/{task}.py, with "
            "a class derived from Evaluated."
        )
    return KNOWN[task]
