"""The regression task: the target is a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crivo.core.tasks import TaskType

if TYPE_CHECKING:
    import pandas as pd


class Regression(TaskType):
    """Gives a number; there are no classes and no probabilities of any."""

    name = "regression"
    has_classes = False

    def numbers(self, target: pd.Series) -> pd.Series:
        """Return the targets, which are numbers."""
        return target
