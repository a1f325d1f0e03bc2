"""What the evaluation does otherwise for one task than for another.

Each file of this folder is about one task of `crivo.core.tasks`, and the folder is the registry.
The metrics of a task are functions in `crivo.evaluation.metrics`.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context
from crivo.core.tasks import Task
from crivo.evaluation.tasks._base import KNOWN, TaskEvaluation


@cache
def _load() -> None:
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")


def task_evaluation(task: Task) -> type[TaskEvaluation]:
    """Return how a task is evaluated; CrivoError when nobody has said that yet."""
    _load()
    if task not in KNOWN:
        raise CrivoError(
            f"The task {task} has no evaluation; write src/crivo/evaluation/tasks/{task}.py, with "
            "a class derived from TaskEvaluation."
        )
    return KNOWN[task]


def evaluation_of(context: Context) -> TaskEvaluation:
    """Return how predictions of a context's task are evaluated.

    >>> evaluation_of(Context("regression")).default_metrics(scored=False)
    ('rmse', 'mae', 'r2')
    """
    return task_evaluation(context.task)(context)


__all__ = ["TaskEvaluation", "evaluation_of", "task_evaluation"]
