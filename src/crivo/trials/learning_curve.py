"""`crivo repeat --fractions`: a learning curve over training rows, each point an experiment.

All points are evaluated on the same rows, so the slope has an interval by the cluster jackknife,
as any comparison. The parts of the training rows are nested.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from pathlib import Path
from typing import Literal

import numpy as np

from crivo.comparison.compare import margins_of
from crivo.comparison.families import primary_of
from crivo.comparison.layout import columns, paragraph
from crivo.comparison.result import Limits
from crivo.comparison.text import decimals, with_interval
from crivo.core.errors import CrivoError
from crivo.core.results import result
from crivo.records.comparability import fraction_of, require_whole_on_validation
from crivo.records.history import read_history
from crivo.records.record import Record, require
from crivo.records.settings import valid_name
from crivo.statistics.intervals import Estimate, Interval, comparable, interval
from crivo.trials.trial import Run, runs_of

# A curve flattens, so that the slope at its end is that of its last points.
LAST = 3
CONCLUSIONS = {
    "yes": "More training rows would probably help",
    "no": "More training rows would probably not help, because fewer give a better model",
    "hardly": "More training rows would hardly help",
    "unknown": "The data don't show whether more training rows would help",
}


@result
class Point(Limits):
    """A point of the learning curve."""

    fraction: float
    """The fraction of the training rows."""
    experiment: str
    """The experiment whose model was fitted on it."""


@result
class Curve:
    """How the primary metric depends on the number of training rows."""

    metric: str
    """The metric."""
    points: tuple[Point, ...]
    """The points of the curve, the smallest fraction first."""
    gain: Limits
    """The gain from doubling the training rows at the end of the curve."""
    conclusion: Literal["yes", "no", "hardly", "unknown"]
    """Whether more training rows would probably help."""


def learning_curve(
    revision: str,
    *,
    fractions: Sequence[float],
    workers: int | None = None,
    folder: Path = Path(),
) -> Curve:
    """Fit an experiment again on parts of its training rows, and return the curve.

    Runs that are known aren't made again. CrivoError: a fraction isn't between 0 and 1, there are
    fewer than two, or the model doesn't depend on them.
    """
    history = read_history(folder)
    record = require_whole_on_validation(history.find(revision))
    sizes = _checked(fractions)
    runs = [
        Run(
            "part",
            valid_name(f"{record.name}-fraction={size}"),
            (f"++train.fraction={size}",),
            f"{size} of the training rows",
        )
        for size in sizes
    ]
    points = [require(one) for one in runs_of(history, record, runs, workers=workers)]
    if record.model and all(one.model == record.model for one in points):
        raise CrivoError(
            f"The model of {record.name} is the same for any part of the training rows: its "
            "src/train.py doesn't read train.fraction (`crivo upgrade` adds this), or it learns "
            "nothing from rows."
        )
    return curve_of([*points, record], margins_of(record)[primary_of(record).name])


def _checked(fractions: Sequence[float]) -> list[float]:
    if len({*fractions}) < 2 or not all(0 < size < 1 for size in fractions):
        given = ", ".join(f"{size}" for size in fractions)
        raise CrivoError(
            f"--fractions is {given or 'empty'}; expected two or more numbers between 0 and 1, as "
            "in `--fractions 0.25 --fractions 0.5`."
        )
    return sorted({*fractions})


def curve_of(records: Sequence[Record], margin: float) -> Curve:
    """Return the curve of records by their fractions; the last one has all training rows.

    The gain is that of each doubling of the rows over the last three points, greater being better;
    its 95 % interval knows the evaluated rows' spread and not that of other training rows or seeds.
    `margin`: a gain that doesn't matter.
    """
    *_, whole = records
    metric = primary_of(whole)
    last = records[-LAST:]
    places = np.array([log2(fraction_of(one)) for one in last])
    places -= places.mean()
    weights = places / (places**2).sum()
    parts = [comparable(metric, one.estimate(metric.name)) for one in last]
    # Greater is better; of a metric that should be near a value, the distance from it counts.
    weights *= 1 if metric.direction == "higher" and metric.best is None else -1
    value = float(weights @ [one.value for one in parts])
    deleted = np.column_stack([one.deleted for one in parts]) @ weights
    estimate = Estimate(value, deleted, whole.effective_clusters)
    limits = interval(estimate)
    return Curve(
        metric.name,
        tuple(
            Point(own["value"], own["low"], own["high"], fraction_of(one), one.name)
            for one in records
            if (own := one.intervals[metric.name])
        ),
        Limits(value, limits.low, limits.high),
        _conclusion(limits, margin),
    )


def _conclusion(gain: Interval, margin: float) -> Literal["yes", "no", "hardly", "unknown"]:
    if gain.high < margin:
        return "no" if gain.high < 0 else "hardly"
    return "yes" if gain.low > 0 else "unknown"


def curve_text(curve: Curve) -> str:
    """Return the points of a learning curve, and whether more rows would help."""
    digits = min(decimals(one.low, one.high) for one in curve.points)
    rows = [("training rows", f"{curve.metric} and interval", "experiment")]
    for one in curve.points:
        value = with_interval(one.value, one.low, one.high, digits)
        rows.append((f"{100 * one.fraction:.4g} %", value, one.experiment))
    gain = with_interval(curve.gain.value, curve.gain.low, curve.gain.high, sign=True)
    conclusion = (
        f"{CONCLUSIONS[curve.conclusion]}: at the end of the curve, twice as many rows "
        f"improve {curve.metric} by {gain}. The interval doesn't allow for other training rows or "
        "seeds."
    )
    return "\n".join([*columns(rows, right=[0]), "", *paragraph(conclusion)])
