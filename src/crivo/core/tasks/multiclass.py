"""The multiclass task: the target is one of several classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crivo.core.tasks import SCORE, TaskType

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

PREFIX = f"{SCORE}_"


class Multiclass(TaskType):
    """Tells several classes apart, none of which counts more than another."""

    name = "multiclass"

    @property
    def score_columns(self) -> tuple[str, ...]:
        """A column for each class."""
        return tuple(f"{PREFIX}{name}" for name in self.classes)

    def to_columns(self, scores: np.ndarray) -> dict[str, np.ndarray]:
        """Return the probability of each class."""
        return {name: scores[:, place] for place, name in enumerate(self.score_columns)}

    def from_columns(self, table: pd.DataFrame) -> np.ndarray:
        """Return the columns side by side."""
        return table[list(self.score_columns)].to_numpy(float)

    def decide(self, scores: np.ndarray, threshold: float | None = None) -> np.ndarray:
        """Return the most probable class; a threshold says nothing here."""
        import numpy as np

        labels: np.ndarray = np.asarray(self.classes)[scores.argmax(axis=1)]
        return labels

    def numbers(self, target: pd.Series) -> None:
        """Return nothing: the mean of classes has no meaning."""
