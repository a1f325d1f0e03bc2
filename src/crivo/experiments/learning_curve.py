"""A learning curve over training rows, each point an experiment, and what its slope says.

All points are evaluated on the same rows, so the slope has an interval by the same jackknife as
any difference. The parts of the training rows are nested: a smaller one lies within a larger one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.evaluation.intervals import Estimate, Interval, comparable, interval
from crivo.experiments.comparability import recipe_key
from crivo.experiments.families import primary_of
from crivo.experiments.history import read_history
from crivo.experiments.naming import valid_name
from crivo.experiments.parts import fraction_of, is_part
from crivo.experiments.records import Record, require
from crivo.experiments.runs import Run, known_runs, run_all

FRACTIONS = (0.125, 0.25, 0.5)
# A curve flattens, so that the slope at its end is that of its last points.
LAST = 3


@dataclass(frozen=True)
class Point:
    """A fraction of the training rows, and the metric of the experiment that was fitted on it."""

    fraction: float
    experiment: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class LearningCurve:
    """A metric by the fraction of the training rows.

    `gain`: how much better it gets with each doubling of the rows over the last three `points`,
    greater being better, with a 95 % interval that knows the evaluated rows' spread and not that
    of other training rows or seeds. `margin`: a gain that doesn't matter.
    """

    metric: str
    points: tuple[Point, ...]
    gain: float
    limits: Interval
    margin: float = 0.0

    @property
    def conclusion(self) -> str:
        """Return whether more rows would help: yes, no, hardly, or unknown."""
        if self.limits.high < self.margin:
            return "no" if self.limits.high < 0 else "hardly"
        return "yes" if self.limits.low > 0 else "unknown"


def learning_curve(
    revision: str,
    *,
    fractions: Sequence[float] = FRACTIONS,
    margin: float = 0.0,
    workers: int | None = None,
    folder: Path = Path(),
) -> LearningCurve:
    """Fit an experiment again on parts of its training rows, and return the curve.

    Runs that are known aren't made again. CrivoError: a fraction isn't between 0 and 1, there are
    fewer than two, or the runs differ from the experiment in more than their training rows.
    """
    history = read_history(folder)
    record = require(history.find(revision))
    sizes = _checked(fractions)
    if is_part(record) or record.split == "test":
        raise CrivoError(
            f"{record.name} wasn't trained on all training rows and evaluated on validation rows; "
            "name an experiment that was."
        )
    runs = [
        Run(
            fraction_name(record.name, size),
            (f"++train.fraction={size:g}",),
            f"{size:g} of the training rows",
        )
        for size in sizes
    ]
    known = known_runs(history, record, runs)
    _require_same_recipe(known.values(), record)
    missing = [run for run in runs if run.name not in known]
    run_all(history, record, missing, workers=workers)
    known = known_runs(read_history(folder), record, runs)
    points = [require(known[run.name]) for run in runs]
    _require_same_recipe(points, record)
    if record.model and all(one.model == record.model for one in points):
        raise CrivoError(
            f"The model of {record.name} is the same for any part of the training rows: its "
            "src/train.py doesn't read train.fraction (`crivo upgrade` adds this), or it learns  "
            "nothing from rows."
        )
    return curve_of([*points, record], margin)


def _require_same_recipe(points: Iterable[Record], record: Record) -> None:
    """Raise CrivoError when points differ from an experiment in more than their training rows."""
    for one in points:
        if _recipe(one) != _recipe(record):
            raise CrivoError(
                f"{one.name} was made by other code, data or settings than {record.name}; remove "
                f"it (`crivo prune {one.name}`), bring the results of {record.name} up to date if "
                "they aren't, and ask again."
            )


def _recipe(record: Record) -> tuple[object, ...]:
    """Return what an experiment was made of, but for the part of the training rows."""
    rows, definition, settings, inputs = recipe_key(record)
    whole = tuple(pair for pair in settings if pair[0] != "train.fraction")
    return rows, definition, whole, inputs, record.settings.get("seed")


def fraction_name(name: str, fraction: float) -> str:
    """Return the name of an experiment on a part of the training rows.

    >>> fraction_name("boosting", 0.25)
    'boosting-fraction=0.25'
    """
    return valid_name(f"{name}-fraction={fraction:g}")


def _checked(fractions: Sequence[float]) -> list[float]:
    if len({*fractions}) < 2 or not all(0 < size < 1 for size in fractions):
        given = ", ".join(f"{size:g}" for size in fractions)
        raise CrivoError(
            f"--fractions is {given or 'empty'}; expected two or more numbers between 0 and 1, as "
            "in `--fractions 0.25 --fractions 0.5`."
        )
    return sorted({*fractions})


def curve_of(records: Sequence[Record], margin: float = 0.0) -> LearningCurve:
    """Return the curve of records by their fractions; the last one has all training rows."""
    metric = primary_of(records[-1])
    last = records[-LAST:]
    places = np.array([log2(fraction_of(one)) for one in last])
    places -= places.mean()
    weights = places / (places**2).sum()
    parts = [comparable(metric, one.estimate(metric.name)) for one in last]
    # Greater is better; of a metric that should be near a value, the distance from it counts.
    weights *= 1 if metric.direction == "higher" and metric.best is None else -1
    value = float(weights @ [one.value for one in parts])
    deleted = pd.concat([one.deleted for one in parts], axis="columns") @ weights
    estimate = Estimate(value, deleted, records[-1].effective_clusters)
    points = tuple(_point(one, metric.name) for one in records)
    return LearningCurve(metric.name, points, estimate.value, interval(estimate), margin)


def _point(record: Record, metric: str) -> Point:
    own = record.interval(metric)
    return Point(fraction_of(record), record.name, own["value"], own["low"], own["high"])
