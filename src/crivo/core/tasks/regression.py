"""A number."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from crivo.core.tasks import TaskType

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


class Regression(TaskType):
    """Gives a number; there are no classes and no probabilities of any."""

    name = "regression"
    has_classes = False

    @property
    def score_columns(self) -> tuple[str, ...]:
        """None."""
        return ()

    def to_columns(self, scores: np.ndarray) -> dict[str, np.ndarray]:
        """Return no column."""
        return {}

    def from_columns(self, table: pd.DataFrame) -> NoReturn:
        """Raise TypeError: numbers have no probabilities."""
        raise TypeError(f"a {self.name} task has no scores")

    def decide(self, scores: np.ndarray, threshold: float | None = None) -> NoReturn:
        """Raise TypeError: numbers have no probabilities."""
        raise TypeError(f"a {self.name} task has no scores")

    def numbers(self, target: pd.Series) -> pd.Series:
        """Return the targets, which are numbers."""
        return target
