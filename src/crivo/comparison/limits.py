"""Checks limits from the small files that `evaluate` wrote, and refuses one that means nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from crivo.comparison.selection import Selected, limitable_after
from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.params import Limit
from crivo.core.problems import did_you_mean
from crivo.evaluation.limits import CheckedLimit, check_limits, limitable, metric_of
from crivo.evaluation.metrics import scales_of
from crivo.records.reading import with_metrics
from crivo.statistics.scale import Scale

# Measured when asked for: a clock has no place in the files of a stage.
LATENCY = "predict_ms"


def check_experiment_limits(
    limits: Mapping[str, Limit],
    root: Path = Path(),
    *,
    latency: Callable[[Path], float] | None = None,
    selected: Selected | None = None,
) -> list[CheckedLimit]:
    """Return each limit with its value and verdict; one that has no value isn't kept.

    Values are those of metrics/evaluation below `root`; `latency` measures `predict_ms` if there
    is a limit for it. `selected`: that model with those it was chosen among, which its numbers
    then allow for. CrivoError: a limit names what isn't measured or can't be limited.
    """
    if not limits:
        return []
    folder = root / artifacts.EVALUATION
    about = with_metrics(artifacts.read_json(folder / "evaluation.json"))
    metrics = scales_of(about)
    headline = artifacts.read_json(folder / "metrics.json")
    values = limitable(metrics, headline, artifacts.read_csv(folder / "slices.csv"), about)
    own = dict(values)
    if selected is not None:
        values = limitable_after(values, selected, metrics)
    if LATENCY in limits and latency is not None:
        values[LATENCY] = latency(root)
    for name, limit in limits.items():
        _check(name, limit, values, metrics)
    among = {name for name in limits if values.get(name) != own.get(name, values.get(name))}
    return [
        replace(one, among=selected.among) if selected and one.name in among else one
        for one in check_limits(limits, values)
    ]


def _check(
    name: str,
    limit: Limit,
    values: Mapping[str, float | None],
    metrics: Mapping[str, Scale],
) -> None:
    metric = metric_of(name, metrics)
    if metric is not None and not metric.interval:
        raise CrivoError(
            f"limits.{name}: {metric.name} has no interval and no verdict comes from it; limit "
            "calibration_in_the_large or calibration_slope instead."
        )
    if name not in values and name != LATENCY:
        known = sorted({*values, LATENCY})
        raise CrivoError(
            f"limits.{name}: no such number is measured{did_you_mean(name, known)} "
            f"(there are: {', '.join(known)})."
        )
    best = None if metric is None or metric.name != name else metric.best
    if best is not None and limit.at_least is not None:
        raise CrivoError(f"limits.{name}: the limit is on the distance from {best:g}; use at_most.")
