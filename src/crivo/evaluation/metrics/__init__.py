"""The metrics: each is one function in a file of this folder, and the folder is the registry.

A new metric is a new file here, say `lift.py`:

    from crivo.evaluation.metrics import metric
    from crivo.evaluation.rows import Binary

    @metric(task="binary", direction="higher", bounds=(0, inf))
    def lift(rows: Binary) -> float:
        '''How many times more positives the riskiest tenth holds than all rows.'''
        ...

`evaluators.standard.metrics: [lift]` in `params.yaml` then shows it with its interval, the
baseline and the verdict. The function honours `rows.weight`: a row that weighs 0 is left out.
It raises `NotDefined` where it has no value. Keyword arguments are settings.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import inf, isfinite
from typing import Any, Literal, TypeVar, get_args

from crivo.core.errors import CrivoError
from crivo.core.problems import did_you_mean
from crivo.core.tasks import TASKS, Task
from crivo.evaluation.weighting import NotDefined

Direction = Literal["higher", "lower", "nearest"]

Function = TypeVar("Function", bound=Callable[..., float])


@dataclass(frozen=True)
class Metric:
    """A metric: its function and what a reader must know to understand its value.

    `direction` says which value is better; `nearest` means the one nearest to `best`.
    `bounds` hold the least and the greatest value. A metric without `interval` is shown and
    has no verdict. One that isn't `smooth`, a quantile, needs large clusters for its interval;
    one of `squared` errors needs errors without heavy tails. `without` gives the value without
    some rows where that of the rest alone would be too rough for the jackknife.
    """

    name: str
    task: Task
    direction: Direction
    bounds: tuple[float, float]
    compute: Callable[..., float]
    best: float | None = None
    interval: bool = True
    smooth: bool = True
    squared: bool = False
    without: Callable[..., float] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, rows: Any) -> float:
        """Return the metric's value on these rows; NotDefined says why there is none."""
        return self._checked(self.compute, rows)

    def left(self, rows: Any, rest: Any) -> float:
        """Return the metric's value when just `rest` is left of `rows`, for the jackknife."""
        if self.without is None:
            return self(rest)
        return self._checked(self.without, rows, rest)

    def _checked(self, compute: Callable[..., float], *rows: Any) -> float:
        try:
            value = float(compute(*rows, **self.settings))
        except ZeroDivisionError:
            raise NotDefined("it would divide by 0") from None
        except OverflowError:
            raise NotDefined("its numbers are too large") from None
        if not isfinite(value):
            raise NotDefined(f"its value is {value}")
        return value

    @property
    def description(self) -> str:
        """The first sentence of the function's docstring."""
        return (inspect.getdoc(self.compute) or "").split("\n\n")[0].replace("\n", " ")

    def with_settings(self, settings: Mapping[str, Any]) -> Metric:
        """Return the metric with those of the settings that it takes."""
        known = inspect.signature(self.compute).parameters
        taken = {name: value for name, value in settings.items() if name in known}
        return replace(self, settings=dict(self.settings) | taken)


_METRICS: dict[tuple[Task, str], Metric] = {}


def metric(
    *,
    task: Task,
    direction: Direction,
    bounds: tuple[float, float] = (-inf, inf),
    best: float | None = None,
    interval: bool = True,
    smooth: bool = True,
    squared: bool = False,
    without: Callable[..., float] | None = None,
) -> Callable[[Function], Function]:
    """Make a function a metric of a task; the function's name is the metric's name."""
    if task not in TASKS or direction not in get_args(Direction):
        raise CrivoError(
            f"@metric(task={task!r}, direction={direction!r}): expected a task of "
            f"{', '.join(TASKS)} and a direction of {', '.join(get_args(Direction))}."
        )
    if (direction == "nearest") != (best is not None):
        raise CrivoError("@metric: `best` goes with direction='nearest', and only with it.")

    def register(function: Function) -> Function:
        name = function.__name__
        known = _METRICS.get((task, name))
        if known is not None and known.compute.__module__ != function.__module__:
            raise CrivoError(
                f"The {task} metric {name} is defined twice, in {known.compute.__module__} "
                f"and in {function.__module__}; give one another name."
            )
        kind = (direction, bounds, function, best, interval, smooth, squared, without)
        _METRICS[task, name] = Metric(name, task, *kind)
        return function

    return register


@cache
def _load() -> None:
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"{__name__}.{module.name}")


def metrics_of(task: Task) -> dict[str, Metric]:
    """Return the metrics of a task by name.

    >>> "rmse" in metrics_of("regression")
    True
    """
    _load()
    return {name: entry for (of, name), entry in _METRICS.items() if of == task}


def find_metrics(
    names: Sequence[str], task: Task, settings: Mapping[str, Any] | None = None
) -> list[Metric]:
    """Return the named metrics of a task, with their settings; a name twice gives one."""
    if unknown := unknown_metric(names, task):
        raise CrivoError(f"The evaluation {unknown}.")
    known = metrics_of(task)
    return [known[name].with_settings(settings or {}) for name in dict.fromkeys(names)]


def unknown_metric(names: Iterable[str], task: Task | None = None) -> str:
    """Return what is wrong with the first name that isn't a metric of the task, or of no task."""
    tasks = TASKS if task is None else (task,)
    known = sorted({name for of in tasks for name in metrics_of(of)})
    for name in names:
        if name not in known:
            return (
                f"names {name!r}, which isn't a metric{f' of a {task} task' if task else ''}"
                f"{did_you_mean(name, known)} (there are: {', '.join(known)})"
            )
    return ""
