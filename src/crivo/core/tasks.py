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
    may be.
    """

    classes: tuple[Class, ...] = ()
    positive: Class | None = None

    has_classes: ClassVar[bool] = True
    has_positive: ClassVar[bool] = False
    max_classes: ClassVar[float] = float("inf")

    def check(self) -> None:
        """Raise ValueError, which says why, when the classes aren't those of such a task."""
        if self.has_positive and (len(self.classes) != 2 or self.positive not in self.classes):
            raise ValueError("a binary task has two classes, one of them `positive`")

    @property
    def score_columns(self) -> tuple[str, ...]:
        """The columns of a predictions table that hold probabilities.

        The one of the positive class, or one for each class.
        """
        return (SCORE,) if self.has_positive else tuple(f"{SCORE}_{name}" for name in self.classes)

    def to_columns(self, scores: np.ndarray) -> dict[str, np.ndarray]:
        """Return the score columns, from the probabilities of all classes in their order."""
        if self.has_positive:
            return {SCORE: scores[:, self._place]}
        return dict(zip(self.score_columns, scores.T, strict=True))

    def from_columns(self, table: pd.DataFrame) -> np.ndarray:
        """Return the probabilities of all classes in their order, from the score columns."""
        import numpy as np

        scores = table[list(self.score_columns)].to_numpy(float)
        if not self.has_positive:
            return scores
        return np.hstack((1 - scores, scores) if self._place else (scores, 1 - scores))

    def decide(self, scores: np.ndarray, threshold: float | None = None) -> np.ndarray:
        """Return the class that each row's probabilities speak for.

        That is the most probable one, or the positive one where its probability reaches the
        threshold, by default one half.
        """
        import numpy as np

        if self.has_positive:
            reached = scores[:, self._place] >= (EVEN if threshold is None else threshold)
            places = np.where(reached, self._place, 1 - self._place)
        else:
            places = scores.argmax(axis=1)
        labels: np.ndarray = np.asarray(self.classes)[places]
        return labels

    def numbers(self, target: pd.Series) -> pd.Series | None:
        """Return targets as numbers whose mean says something, or whether each row is positive.

        None when there are several classes.
        """
        if self.has_positive:
            return target == self.positive
        return None if self.has_classes else target

    @property
    def _place(self) -> int:
        """Where the positive class stands."""
        return self.classes.index(self.positive)


class Binary(TaskType):
    """Tells the positive class from the other; the one score is the positive class's."""

    has_positive = True
    max_classes = 2


class Regression(TaskType):
    """Gives a number; there are no classes and no probabilities of any."""

    has_classes = False


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
