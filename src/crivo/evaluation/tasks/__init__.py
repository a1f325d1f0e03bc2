"""What the evaluation does otherwise for one task than for another.

Each file of this folder is about one task of `crivo.core.tasks`, and the folder is the registry.
The metrics of a task are functions in `crivo.evaluation.metrics`.
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context
from crivo.core.tasks import Task, task_of
from crivo.evaluation.metrics import Metric

KNOWN: dict[Task, type[TaskEvaluation]] = {}

NOTHING = np.arange(0)


class TaskEvaluation(ABC):
    """How predictions of one task are evaluated.

    `name`: that of the task; `rows_type`: what its metrics see, a class derived from
    `crivo.evaluation.weighting.Rows` whose `of` prepares a predictions table; `plain_metric`: one
    that everybody understands, for the report's first sentence; `level`, `tenths`: what the
    report calls the numbers that put rows in order, and the columns of their tenths; `reliability`:
    the title and axes of the figure of these, where no calibration curve says it. Places are
    positions of rows in that table.
    """

    name: ClassVar[Task]
    rows_type: ClassVar[Any]
    plain_metric: ClassVar[str] = ""
    level: ClassVar[str] = "scores"
    tenths: ClassVar[Mapping[str, str]] = {}
    reliability: ClassVar[tuple[str, str, str] | None] = None

    def __init_subclass__(cls) -> None:
        """Register a class that says which task it is of."""
        if "name" in vars(cls):
            KNOWN[cls.name] = cls

    def __init__(self, context: Context) -> None:
        self.context = context
        self.task = task_of(context)

    @classmethod
    @abstractmethod
    def default_metrics(cls, scored: bool) -> tuple[str, ...]:
        """Return the metrics to show when none are chosen, the primary one first."""

    @abstractmethod
    def loss_name(self, predictions: pd.DataFrame) -> str:
        """Return the metric that is the mean loss of the rows, or one less that."""

    @abstractmethod
    def losses(self, rows: Any) -> np.ndarray:
        """Return each row's loss in the order of the table; `rows` as metrics see them."""

    @abstractmethod
    def level_and_outcome(self, predictions: pd.DataFrame) -> tuple[np.ndarray, np.ndarray] | None:
        """Return how high each row was put, and what then happened, both as numbers.

        None where the predictions don't say how high.
        """

    def rows(self, predictions: pd.DataFrame) -> Any:
        """Return the rows as metrics see them."""
        return self.rows_type.of(predictions, self.context)

    def scored(self, predictions: pd.DataFrame) -> bool:
        """Return whether the table has the probabilities of its task."""
        names = self.task.score_columns
        return bool(names) and set(names) <= set(predictions)

    def curves(self, predictions: pd.DataFrame) -> dict[str, pd.DataFrame]:
        """Return the tables of those plots that the task has."""
        return {}

    def extra_metrics(self, predictions: pd.DataFrame) -> tuple[str, ...]:
        """Return metrics that slices are measured by beside those shown."""
        return ()

    def caveats(self, predictions: pd.DataFrame, metrics: Sequence[Metric]) -> list[str]:
        """Return what the rows hold too little of for the intervals of some metrics."""
        return []

    def confidently_wrong(self, predictions: pd.DataFrame, count: int) -> np.ndarray:
        """Return the places of so many wrong rows, those the model was surest of first."""
        return NOTHING

    def near_threshold(
        self, predictions: pd.DataFrame, threshold: float | None, count: int
    ) -> np.ndarray:
        """Return the places of so many rows where a little more would have changed the answer."""
        return NOTHING


@cache
def _load() -> None:
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")


def task_evaluation(task: Task) -> type[TaskEvaluation]:
    """Return how a task is evaluated; CrivoError when nobody has said that yet."""
    _load()
    if task not in KNOWN:
        raise CrivoError(
            f"The task {task} has no evaluation; write src/crivo/evaluation/tasks/{task}.py, with "
            "a class derived from TaskEvaluation."
        )
    return KNOWN[task]


def evaluation_of(context: Context) -> TaskEvaluation:
    """Return how predictions of a context's task are evaluated.

    >>> evaluation_of(Context("regression")).default_metrics(scored=False)
    ('rmse', 'mae', 'r2')
    """
    return task_evaluation(context.task)(context)
