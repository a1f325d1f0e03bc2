"""The binary task: the target is one of two classes, one of them positive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crivo.core.tasks import SCORE, Class, TaskType

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

EVEN = 0.5


class Binary(TaskType):
    """Tells the positive class from the other; a score is the probability of the positive one."""

    name = "binary"
    has_positive = True
    max_classes = 2

    def check(self) -> None:
        """Raise ValueError unless there are two classes and one of them is positive."""
        if len(self.classes) != 2 or self.positive not in self.classes:
            raise ValueError("a binary task has two classes, one of them `positive`")

    @property
    def score_columns(self) -> tuple[str, ...]:
        """The one column with the probability of the positive class."""
        return (SCORE,)

    def to_columns(self, scores: np.ndarray) -> dict[str, np.ndarray]:
        """Return the probability of the positive class."""
        return {SCORE: scores[:, self._place]}

    def from_columns(self, table: pd.DataFrame) -> np.ndarray:
        """Return the probabilities of both classes."""
        import numpy as np

        score = table[SCORE].to_numpy(float)
        return np.column_stack((1 - score, score) if self._place else (score, 1 - score))

    def decide(self, scores: np.ndarray, threshold: float | None = None) -> np.ndarray:
        """Return the positive class where its probability reaches the threshold, or one half."""
        import numpy as np

        classes = np.asarray(self.classes)
        reached = scores[:, self._place] >= (EVEN if threshold is None else threshold)
        labels: np.ndarray = np.where(reached, classes[self._place], classes[1 - self._place])
        return labels

    def numbers(self, target: pd.Series) -> pd.Series:
        """Return whether each row is positive: the mean is their share."""
        return target == self.positive

    @property
    def other(self) -> Class:
        """The class that isn't positive."""
        return self.classes[1 - self._place]

    @property
    def _place(self) -> int:
        return self.classes.index(self.positive)
