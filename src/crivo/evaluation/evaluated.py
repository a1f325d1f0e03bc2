"""A predictions table with what several explanations need of it, each part made once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.evaluation import Context
from crivo.evaluation.clusters import jackknife_groups
from crivo.evaluation.tasks import TaskEvaluation, evaluation_of


@dataclass(frozen=True, eq=False)
class Evaluated:
    """A predictions table, how it is evaluated, and what is made of it when it is asked for."""

    predictions: pd.DataFrame
    context: Context

    @cached_property
    def task(self) -> TaskEvaluation:
        """How predictions of the task are evaluated."""
        return evaluation_of(self.context)

    @cached_property
    def rows(self) -> Any:
        """The rows as metrics see them."""
        return self.task.rows(self.predictions)

    @cached_property
    def groups(self) -> pd.Categorical:
        """Each row's group that the jackknife leaves out."""
        return jackknife_groups(self.predictions)

    @cached_property
    def losses(self) -> np.ndarray:
        """Each row's loss."""
        return self.task.losses(self.rows)
