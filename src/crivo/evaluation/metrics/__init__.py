"""The metrics: each is one function, in a file of this folder or of `src/blocks/metrics`.

The folders are the registry. A new metric is a new file, say `lift.py`:

    from crivo.evaluation.metrics import metric
    from crivo.evaluation.rows import Binary

    @metric(task="binary", direction="higher", bounds=(0, None), version=1)
    def lift(rows: Binary) -> float:
        '''The share of positives in the riskiest tenth, divided by their share in all rows.'''
        ...

`evaluators.standard.metrics: [lift]` in `params.yaml` then shows it with its interval, the
baseline and the verdict. The function respects `rows.weight`: a row of weight 0 is left out.
It raises `NotDefined` if it has no value. Keyword arguments are settings. Raise `version` whenever
the metric's numbers change: results of different versions aren't compared directly.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import linecache
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import inf, isfinite
from typing import Any, TypeVar, get_args

import numpy as np

from crivo.core.errors import CrivoError
from crivo.core.problems import did_you_mean
from crivo.core.registry import own_modules
from crivo.core.tasks import TASKS, Task
from crivo.statistics.jackknife import NotDefined, Statistic
from crivo.statistics.scale import Direction, Scale

# Rounding may move a value this far from an end of its range.
ROUNDING = 1e-12

Function = TypeVar("Function", bound=Callable[..., float | Statistic])


def scales_of(about: Mapping[str, Any]) -> dict[str, Scale]:
    """Return the metrics that an `evaluation.json` describes, by name."""
    return {name: Scale.of(name, facts) for name, facts in about["metrics"].items()}


@dataclass(frozen=True, kw_only=True)
class Metric(Scale):
    """A metric: what its values mean, and how they are computed.

    A metric that isn't `smooth`, such as a quantile, needs large clusters for its interval; a
    metric of `squared` errors needs errors without heavy tails.
    """

    task: Task
    compute: Callable[..., float | Statistic]
    smooth: bool = True
    squared: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)

    def computed(self, rows: Any) -> float | Statistic:
        """Return what the metric's function gives for these rows, with the metric's settings."""
        return self.compute(rows, **self.settings)

    def __call__(self, rows: Any) -> float:
        """Return the metric's value on these rows; NotDefined gives the reason if there is none."""
        try:
            value = float(self.computed(rows))
        except ArithmeticError as error:
            raise NotDefined(f"its function fails ({error})") from None
        if not isfinite(value):
            raise NotDefined(f"its value is {value}")
        return float(self.at_end(value))

    def at_end(self, values: np.ndarray | float) -> np.ndarray:
        """Return values; those that only rounding keeps from an end of the range are that end."""
        for end in self.bounds:
            values = np.where(np.abs(values - end) < ROUNDING, end, values)
        return np.asarray(values)

    def with_settings(self, settings: Mapping[str, Any]) -> Metric:
        """Return the metric with the settings that it accepts."""
        known = inspect.signature(self.compute).parameters
        taken = {name: value for name, value in settings.items() if name in known}
        return replace(self, settings=dict(self.settings) | taken)


_METRICS: dict[tuple[Task, str], Metric] = {}


def metric(
    *,
    task: Task,
    direction: Direction,
    bounds: tuple[float | None, float | None] = (None, None),
    best: float | None = None,
    interval: bool = True,
    smooth: bool = True,
    squared: bool = False,
    version: int | None = None,
) -> Callable[[Function], Function]:
    """Make a function a metric of a task; the metric has the function's name.

    The function takes the rows and returns a number. For a ratio of two sums over the rows, it can
    return `rows.ratio(…)`. The values with each cluster left out are then computed from the sums.

    `direction` says which values are better: `higher`, `lower`, or `nearest` to `best`. `bounds`
    are the smallest and the largest possible value, or None. `interval` is false for a metric that
    has no interval. Intervals of quantiles (`smooth` is false) and of squared errors (`squared` is
    true) have warnings of their own. Increase `version` when the values change; without a version,
    any change to the file counts as a new definition.
    """
    if task not in TASKS or direction not in get_args(Direction):
        raise CrivoError(
            f"@metric(task={task!r}, direction={direction!r}): expected a task of "
            f"{', '.join(TASKS)} and a direction of {', '.join(get_args(Direction))}."
        )
    if (direction == "nearest") != (best is not None):
        raise CrivoError("@metric: `best` goes with direction='nearest', and only with it.")

    low, high = bounds
    ends = -inf if low is None else low, inf if high is None else high

    def register(function: Function) -> Function:
        name = function.__name__
        known = _METRICS.get((task, name))
        if known is not None and known.compute.__module__ != function.__module__:
            raise CrivoError(
                f"The {task} metric {name} is defined twice, in {known.compute.__module__} "
                f"and in {function.__module__}; give one another name."
            )
        first = (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")
        _METRICS[task, name] = Metric(
            name, direction, ends, best, interval,
            definition=_hash_of(function) if version is None else str(version),
            description=first, task=task, compute=function, smooth=smooth, squared=squared,
        )  # fmt: skip
        return function

    return register


def _hash_of(function: Callable[..., Any]) -> str:
    """Return the hash of the file that a function stands in."""
    lines = linecache.getlines(inspect.getfile(function))
    return hashlib.blake2b("".join(lines).encode(), digest_size=6).hexdigest()


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
    own_modules("metrics")
    return {name: entry for (of, name), entry in _METRICS.items() if of == task}


def find_metrics(
    names: Sequence[str], task: Task, settings: Mapping[str, Any] | None = None
) -> list[Metric]:
    """Return the named metrics of a task, with their settings; a name twice gives one.

    `settings` are those of all metrics; its `settings` has those of single metrics by name.
    """
    if unknown := unknown_metric(names, task):
        raise CrivoError(f"The evaluation {unknown}.")
    known, shared = metrics_of(task), dict(settings or {})
    own = shared.get("settings") or {}
    chosen = (known[name] for name in dict.fromkeys(names))
    return [one.with_settings(shared | own.get(one.name, {})) for one in chosen]


def unknown_metric(names: Iterable[str], task: Task | None = None) -> str:
    """Return a message about the first name that isn't a metric of the task.

    Without a task, a name may be a metric of any task. If all names are metrics, the message is
    empty.
    """
    tasks = TASKS if task is None else (task,)
    known = sorted({name for of in tasks for name in metrics_of(of)})
    for name in names:
        if name not in known:
            return (
                f"names {name!r}, which isn't a metric{f' of a {task} task' if task else ''}"
                f"{did_you_mean(name, known)} (there are: {', '.join(known)})"
            )
    return ""
