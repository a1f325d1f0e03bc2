"""Limits: what must hold of a result before it goes anywhere, each with its value and verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import pandas as pd

from crivo.core.params import Limit
from crivo.core.results import result
from crivo.evaluation.slices import JUDGED
from crivo.statistics.scale import Scale

State = Literal["holds", "violated", "not measured"]


@result
class CheckedLimit:
    """A limit in params.yaml, and whether the result meets it."""

    name: str
    """The name of the limited number."""
    limit: str
    """The limit in words."""
    value: float | None
    """The number's value; null if it wasn't measured."""
    state: State
    """Whether it holds."""
    among: int = 1
    """How many models the model was chosen among, which the value allows for."""

    def __str__(self) -> str:
        value = "–" if self.value is None else f"{self.value:.4g}"
        chosen = f", after selection among {self.among} models" if self.among > 1 else ""
        return f"{self.state:12} {self.name} {self.limit}: {value}{chosen}"


def check_limits(
    limits: Mapping[str, Limit], values: Mapping[str, float | None]
) -> list[CheckedLimit]:
    """Return each limit with its value and verdict; one without a value isn't kept."""
    return [_check_limit(name, limit, values.get(name)) for name, limit in limits.items()]


def limitable(
    metrics: Mapping[str, Scale],
    headline: Mapping[str, Any],
    slices: pd.DataFrame,
    about: Mapping[str, Any],
) -> dict[str, float | None]:
    """Return all numbers of an evaluation that can be limited, by name.

    `headline` is what metrics.json holds, `slices` and `about` are slices.csv and
    evaluation.json. A metric that should be near a value counts by its distance from it.
    `slice_gap` is how much the worst declared slice falls short of the rest, `slice_gap_low`
    how much surely, and `slice_gap_high` how much it may be.
    """
    whole = slices.iloc[0]
    values: dict[str, float | None] = {
        str(name): value for name, value in whole.items() if metric_of(str(name), metrics)
    }
    values |= headline
    values |= {"model_mb": about.get("model_mb"), **_gaps(slices, metrics)}
    for name, metric in metrics.items():
        value = values.get(name)
        if metric.best is not None and value is not None:
            values[name] = abs(value - metric.best)
    return {name: value for name, value in values.items() if not isinstance(value, str)}


def metric_of(name: str, metrics: Mapping[str, Scale]) -> Scale | None:
    """Return the metric that a name, or a name with an end of its interval, belongs to."""
    return metrics.get(name) or metrics.get(name.removesuffix("_low").removesuffix("_high"))


def _gaps(slices: pd.DataFrame, metrics: Mapping[str, Scale]) -> dict[str, float]:
    """Return how much the worst slice falls short, at least and at most; missing without any."""
    names = "slice_gap", "slice_gap_low", "slice_gap_high"
    measured_slices = slices[(slices["kind"] == "column") & (slices["status"] == JUDGED)]
    measured_slices = measured_slices[measured_slices["difference"].notna()]
    if measured_slices.empty:
        return dict.fromkeys(names, math.nan)
    columns = ["difference", "difference_low", "difference_high"]
    short = measured_slices[columns]
    if metrics[measured_slices["judged_by"].iloc[0]].direction == "higher":
        short = -measured_slices[[columns[0], columns[2], columns[1]]]
    worst = short.to_numpy(float).max(axis=0)
    return {name: max(0.0, float(value)) for name, value in zip(names, worst, strict=True)}


def _check_limit(name: str, limit: Limit, value: float | None) -> CheckedLimit:
    words = " and ".join(_words(limit))
    if value is None or math.isnan(value):
        return CheckedLimit(name, words, None, "not measured")
    low = limit.at_least is None or value >= limit.at_least
    high = limit.at_most is None or value <= limit.at_most
    return CheckedLimit(name, words, value, "holds" if low and high else "violated")


def _words(limit: Limit) -> Iterator[str]:
    if limit.at_least is not None:
        yield f"at least {limit.at_least:g}"
    if limit.at_most is not None:
        yield f"at most {limit.at_most:g}"
