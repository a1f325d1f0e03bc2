"""The tasks: the target is one of two classes, one of several classes, or a number.

Each task is a class. Settings, `schema.json` and records hold its name; `task_of` gives the object.
What the evaluation alone needs of a task is in `crivo.evaluation.rows`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from crivo.core.blocks import Context
    from crivo.core.schema import Schema

T = TypeVar("T")
Class = bool | int | float | str

SCORE = "score"
EVEN = 0.5


@dataclass(frozen=True)
class TaskType:
    """A task, with the classes of a target in the order of its scores.

    `has_classes`: the target is one of some classes, else a number; `has_positive`: one class is of
    interest, so that a threshold decides which rows are acted on; `max_classes`: how many there
    may be. `calibration`: what a plot of mean predictions and outcomes is called, and its axes.
    """

    classes: tuple[Class, ...] = ()
    positive: Class | None = None

    has_classes: ClassVar[bool] = True
    has_positive: ClassVar[bool] = False
    max_classes: ClassVar[float] = float("inf")
    calibration = ("Calibration", "mean probability of the predicted class", "share right")

    def check(self) -> None:
        """Raise ValueError, which says why, when the classes aren't those of such a task."""

    @property
    def score_columns(self) -> tuple[str, ...]:
        """The columns of a predictions table that hold probabilities.

        The one of the positive class, or one for each class.
        """
        return tuple(f"{SCORE}_{name}" for name in self.classes)

    def to_columns(self, scores: np.ndarray) -> dict[str, np.ndarray]:
        """Return the score columns, from the probabilities of all classes in their order."""
        return dict(zip(self.score_columns, scores.T, strict=True))

    def from_columns(self, table: pd.DataFrame) -> np.ndarray:
        """Return the probabilities of all classes in their order, from the score columns."""
        return table[list(self.score_columns)].to_numpy(float)

    def decide(self, scores: np.ndarray, threshold: float | None = None) -> np.ndarray:
        """Return the class that each row's probabilities speak for.

        That is the most probable one, or the positive one where its probability reaches the
        threshold, by default one half.
        """
        import numpy as np

        labels: np.ndarray = np.asarray(self.classes)[scores.argmax(axis=1)]
        return labels

    def numbers(self, target: pd.Series) -> pd.Series | None:
        """Return targets as numbers whose mean says something, or whether each row is positive.

        None when there are several classes.
        """
        return None


class Binary(TaskType):
    """Tells the positive class from the other; the one score is the positive class's."""

    has_positive = True
    max_classes = 2
    calibration = "Calibration", "mean score", "share positive"
    score_columns = (SCORE,)

    def check(self) -> None:
        if len(self.classes) != 2 or self.positive not in self.classes:
            raise ValueError("a binary task has two classes, one of them `positive`")

    def to_columns(self, scores: np.ndarray) -> dict[str, np.ndarray]:
        return {SCORE: scores[:, self._place]}

    def from_columns(self, table: pd.DataFrame) -> np.ndarray:
        import numpy as np

        scores = super().from_columns(table)
        return np.hstack((1 - scores, scores) if self._place else (scores, 1 - scores))

    def decide(self, scores: np.ndarray, threshold: float | None = None) -> np.ndarray:
        import numpy as np

        reached = scores[:, self._place] >= (EVEN if threshold is None else threshold)
        places = np.where(reached, self._place, 1 - self._place)
        labels: np.ndarray = np.asarray(self.classes)[places]
        return labels

    def numbers(self, target: pd.Series) -> pd.Series:
        return target == self.positive

    @property
    def _place(self) -> int:
        """The position of the positive class."""
        return self.classes.index(self.positive)


class Regression(TaskType):
    """Gives a number; there are no classes and no probabilities of any."""

    has_classes = False
    calibration = "Predicted and actual", "mean prediction", "mean target"

    def numbers(self, target: pd.Series) -> pd.Series:
        return target


class Multiclass(TaskType):
    """Tells several classes apart, none of which counts more than another."""


# The tasks by name.
TASKS: dict[str, type[TaskType]] = {
    "binary": Binary,
    "multiclass": Multiclass,
    "regression": Regression,
}

if TYPE_CHECKING:
    # The name of a task.
    Task = str
else:
    Task = Literal[tuple(TASKS)]


def task_of(given: Schema | Context) -> TaskType:
    """Return the task that a schema or a context names, with its classes.

    >>> from crivo.core.blocks import Context
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
