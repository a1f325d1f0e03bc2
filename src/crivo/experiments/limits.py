"""Limits: what must hold of a result before it goes anywhere, each with its value and verdict.

Limits are judged from the small files that `evaluate` wrote; no stage reads them, so another
limit makes no result stale.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pandas as pd

from crivo.core import artifacts
from crivo.core.blocks import did_you_mean
from crivo.core.errors import CrivoError
from crivo.core.params import Limit
from crivo.evaluation.metrics import Metric, metrics_of
from crivo.evaluation.slices import JUDGED

State = Literal["holds", "violated", "not measured"]

# Measured when asked for: a clock has no place in the files of a stage.
LATENCY = "predict_ms"


@dataclass(frozen=True)
class Judged:
    """A limit, the value that was measured, and whether it holds."""

    name: str
    limit: str
    value: float | None
    state: State

    def __str__(self) -> str:
        value = "–" if self.value is None else f"{self.value:.4g}"
        return f"{self.state:12} {self.name} {self.limit}: {value}"


def judge_limits(
    limits: Mapping[str, Limit],
    root: Path = Path(),
    *,
    latency: Callable[[Path], float] | None = None,
) -> list[Judged]:
    """Return each limit with its value and verdict; one that has no value isn't kept.

    Values are those of metrics/evaluation below `root`; `latency` measures `predict_ms` if there
    is a limit for it. CrivoError: a limit names what isn't measured or can't be limited.
    """
    if not limits:
        return []
    folder = root / artifacts.EVALUATION
    metrics = metrics_of(artifacts.read_json(folder / "evaluation.json")["task"])
    values = measured(folder, metrics)
    if LATENCY in limits and latency is not None:
        values[LATENCY] = latency(root)
    for name, limit in limits.items():
        _check(name, limit, values, metrics)
    return [_judge(name, limit, values.get(name)) for name, limit in limits.items()]


def measured(folder: Path, metrics: Mapping[str, Metric]) -> dict[str, float | None]:
    """Return all numbers of an evaluation that can be limited, by name.

    A metric that should be near a value counts by its distance from it. `slice_gap` is how
    much the worst declared slice falls short of the rest, `slice_gap_low` how much surely.
    """
    slices = artifacts.read_csv(folder / "slices.csv")
    whole = slices.iloc[0]
    values: dict[str, float | None] = {
        str(name): value for name, value in whole.items() if _metric_of(str(name), metrics)
    }
    values |= artifacts.read_json(folder / "metrics.json")
    values |= {"model_mb": artifacts.read_json(folder / "evaluation.json").get("model_mb")}
    values |= dict(zip(("slice_gap", "slice_gap_low"), _gaps(slices, metrics), strict=True))
    for name, metric in metrics.items():
        value = values.get(name)
        if metric.best is not None and value is not None:
            values[name] = abs(value - metric.best)
    return {name: value for name, value in values.items() if not isinstance(value, str)}


def _gaps(slices: pd.DataFrame, metrics: Mapping[str, Metric]) -> tuple[float, float]:
    """Return how much the worst slice falls short, and how much at least; missing without any."""
    judged = slices[(slices["kind"] == "column") & (slices["status"] == JUDGED)]
    judged = judged[judged["difference"].notna()]
    if judged.empty:
        return math.nan, math.nan
    if metrics[judged["judged_by"].iloc[0]].direction == "higher":
        short, surely = -judged["difference"], -judged["difference_high"]
    else:
        short, surely = judged["difference"], judged["difference_low"]
    return max(0.0, float(short.max())), max(0.0, float(surely.max()))


def _metric_of(name: str, metrics: Mapping[str, Metric]) -> Metric | None:
    """Return the metric that a name, or a name with an end of its interval, belongs to."""
    return metrics.get(name) or metrics.get(name.removesuffix("_low").removesuffix("_high"))


def _check(
    name: str,
    limit: Limit,
    values: Mapping[str, float | None],
    metrics: Mapping[str, Metric],
) -> None:
    metric = _metric_of(name, metrics)
    if metric is not None and not metric.interval:
        raise CrivoError(
            f"limits.{name}: {metric.name} has no interval and nothing is judged by it; limit "
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
        raise CrivoError(f"limits.{name}: it counts by its distance from {best:g}; say at_most.")


def _judge(name: str, limit: Limit, value: float | None) -> Judged:
    words = " and ".join(_words(limit))
    if value is None or math.isnan(value):
        return Judged(name, words, None, "not measured")
    low = limit.at_least is None or value >= limit.at_least
    high = limit.at_most is None or value <= limit.at_most
    return Judged(name, words, value, "holds" if low and high else "violated")


def _words(limit: Limit) -> Iterator[str]:
    if limit.at_least is not None:
        yield f"at least {limit.at_least:g}"
    if limit.at_most is not None:
        yield f"at most {limit.at_most:g}"
