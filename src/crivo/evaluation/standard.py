"""The metrics that suit a task, and an evaluator of them that needs no project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from crivo.core.blocks import Evaluator
from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context, Evaluation
from crivo.core.schema import Task
from crivo.evaluation.assess import assess
from crivo.evaluation.metrics import Metric, find_metrics
from crivo.evaluation.tasks import task_evaluation


def choose_metrics(
    predictions: pd.DataFrame,
    task: Task,
    primary: str | None = None,
    names: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
) -> list[Metric]:
    """Return the metrics to show, the primary one first; left out, those that suit the task.

    `settings` are those of metrics that take some. CrivoError: a name is that of no metric, or
    the primary metric has no interval.
    """
    scored = any(str(name).startswith("score") for name in predictions)
    usual = task_evaluation(task).default_metrics(scored)
    chosen = find_metrics((primary or usual[0], *(names or usual)), task, settings)
    if not chosen[0].interval:
        raise CrivoError(
            f"{chosen[0].name} has no interval, so it can't be the primary metric; "
            "set evaluators.standard.primary to another."
        )
    return chosen


class DefaultEvaluator(Evaluator):
    """Evaluates by the metrics that suit the task, where no project chooses an evaluator."""

    def evaluate(self, predictions: pd.DataFrame, context: Context) -> Evaluation:
        """Return the evaluation of a predictions table."""
        return assess(predictions, context, choose_metrics(predictions, context.task))
