"""What the evaluation must know of a task."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

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
