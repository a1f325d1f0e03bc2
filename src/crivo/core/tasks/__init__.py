"""A task is what a target asks for: one of two classes, one of several, or a number.

Each file of this folder defines one task, a class derived from `TaskType`, and the folder is
the registry. Settings, `schema.json` and records hold a task's name; `task_of` gives the object.
What the evaluation alone needs of a task is in `crivo.evaluation.tasks`: a new task is one file in
each.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from crivo.core.tasks._base import KNOWN, Class, TaskType

T = TypeVar("T")

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
    """Return what fits the kind of estimator that a task asks for.

    >>> by_estimator("multiclass", classifier="LogisticRegression", regressor="Ridge")
    'LogisticRegression'
    """
    return classifier if TASKS[task].has_classes else regressor


__all__ = ["TASKS", "Class", "HasTask", "Task", "TaskType", "by_estimator", "task_of"]
