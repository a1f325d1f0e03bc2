"""The tasks: the target is one of two classes, one of several classes, or a number.

Each file of this folder defines one task, a class derived from `TaskType`, and the folder is
the registry. Settings, `schema.json` and records hold a task's name; `task_of` gives the object.
What the evaluation alone needs of a task is in `crivo.evaluation.tasks`: a new task is one file in
each.
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

T = TypeVar("T")
Class = bool | int | float | str

KNOWN: dict[str, type[TaskType]] = {}

SCORE = "score"


@dataclass(frozen=True)
class TaskType(ABC):
    """A task, with the classes of a target in the order of its scores.

    `name`: what settings call it; `has_classes`: the target is one of some classes, else a
    number; `has_positive`: one class is of interest, so that a threshold decides which rows are
    acted on; `max_classes`: how many there may be.
    """

    classes: tuple[Class, ...] = ()
    positive: Class | None = None

    name: ClassVar[str]
    has_classes: ClassVar[bool] = True
    has_positive: ClassVar[bool] = False
    max_classes: ClassVar[float] = float("inf")

    def __init_subclass__(cls) -> None:
        """Register a class that has a name of its own."""
        if "name" in vars(cls):
            KNOWN[cls.name] = cls

    def check(self) -> None:
        """Raise ValueError, which says why, when the classes aren't those of such a task."""
        return

    @property
    def score_columns(self) -> tuple[str, ...]:
        """The columns of a predictions table that hold probabilities, if there are any."""
        return ()

    def to_columns(self, scores: np.ndarray) -> dict[str, np.ndarray]:
        """Return the score columns, from the probabilities of all classes in their order."""
        return {}

    def from_columns(self, table: pd.DataFrame) -> np.ndarray:
        """Return the probabilities of all classes in their order, from the score columns."""
        raise TypeError(f"a {self.name} task has no scores")

    def decide(self, scores: np.ndarray, threshold: float | None = None) -> np.ndarray:
        """Return the class that each row's probabilities speak for.

        `threshold`: from which probability on the positive class is predicted, if there is one.
        """
        raise TypeError(f"a {self.name} task has no scores")

    @abstractmethod
    def numbers(self, target: pd.Series) -> pd.Series | None:
        """Return targets as numbers whose mean says something; None when there are none."""


for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

# The tasks by name.
TASKS: dict[str, type[TaskType]] = dict(sorted(KNOWN.items()))

if TYPE_CHECKING:
    # The name of a task.
    Task = str
else:
    Task = Literal[tuple(TASKS)]


class HasTask(Protocol):
    """What names a task and the target's classes: a schema, or the context of an evaluation."""

    @property
    def task(self) -> Task: ...
    @property
    def classes(self) -> tuple[Class, ...]: ...
    @property
    def positive(self) -> Class | None: ...


def task_of(given: HasTask) -> TaskType:
    """Return the task that a schema or a context names, with its classes.

    >>> from crivo.core.evaluation import Context
    >>> task_of(Context("multiclass", ("a", "b", "c"))).score_columns
    ('score_a', 'score_b', 'score_c')
    """
    return TASKS[given.task](given.classes, given.positive)


def by_estimator(task: Task, *, classifier: T, regressor: T) -> T:
    """Return `classifier` or `regressor`, whichever the task needs.

    >>> by_estimator("multiclass", classifier="LogisticRegression", regressor="Ridge")
    'LogisticRegression'
    """
    return classifier if TASKS[task].has_classes else regressor


def by_target(task: Task, *, two: T, several: T, number: T) -> T:
    """Return what fits the target of a task: one of two classes, one of several, or a number.

    >>> by_target("binary", two="log loss", several="log loss of all", number="RMSE")
    'log loss'
    """
    kind = TASKS[task]
    if not kind.has_classes:
        return number
    return two if kind.max_classes == 2 else several
