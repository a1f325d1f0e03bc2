"""The `limits:` of params.yaml, evaluated for `crivo check`: each number with its verdict.

Numbers are metrics, ends of their intervals, the slice gap, model size and latency. They allow for
the selection if the model was chosen among several.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from crivo.comparison.layout import columns
from crivo.comparison.selection import Selected, limitable_after
from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.params import Limit
from crivo.core.problems import did_you_mean
from crivo.core.results import result
from crivo.evaluation.metrics import scales_of
from crivo.evaluation.slices import JUDGED
from crivo.records.reading import with_metrics
from crivo.statistics.scale import Scale

# Measured when asked for: a clock has no place in the files of a stage.
LATENCY = "predict_ms"

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
    among: int
    """How many models the evaluated model was chosen from, including itself; `value` allows for
    this choice."""


def limit_lines(checked: Iterable[CheckedLimit]) -> list[str]:
    """Return a line for each limit: its verdict, name, words and value below one another."""
    rows = []
    for one in checked:
        value = "–" if one.value is None else _short(one.value)
        chosen = f", after selection among {one.among} models" if one.among > 1 else ""
        rows.append((one.state, one.name, one.limit, f"{value}{chosen}"))
    return columns(rows)


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
    folder = root / artifacts.EVALUATION
    about = with_metrics(artifacts.read_json(folder / "evaluation.json"))
    metrics = scales_of(about)
    headline = artifacts.read_json(folder / "metrics.json")
    values = limitable(metrics, headline, artifacts.read_csv(folder / "slices.csv"), about)
    after = limitable_after(values, selected, metrics) if selected else {}
    values |= {LATENCY: None} | after
    if LATENCY in limits and latency is not None:
        values[LATENCY] = latency(root)
    found = []
    for name, limit in limits.items():
        if name not in values:
            raise CrivoError(
                f"limits.{name}: no such number is measured{did_you_mean(name, sorted(values))} "
                f"(there are: {', '.join(sorted(values))})."
            )
        best = metrics[name].best if name in metrics else None
        if best is not None and limit.at_least is not None:
            raise CrivoError(
                f"limits.{name}: the limit is on the distance from {best:,.12g}; use at_most."
            )
        among = selected.among if selected and name in after else 1
        found.append(check_limit(name, limit, values[name], among))
    return found


def limitable(
    metrics: Mapping[str, Scale],
    headline: Mapping[str, Any],
    slices: pd.DataFrame,
    about: Mapping[str, Any],
) -> dict[str, float | None]:
    """Return all numbers of an evaluation that can be limited, by name.

    `headline` is what metrics.json holds, `slices` and `about` are slices.csv and
    evaluation.json. A metric that should be near a value counts by its distance from it; one
    without an interval can't be limited.
    `slice_gap` is how much the worst declared slice falls short of the rest, `slice_gap_low`
    how much surely, and `slice_gap_high` how much it may be.
    """
    whole = slices.iloc[0]
    ended = {f"{name}{end}": one for name, one in metrics.items() for end in ("", "_low", "_high")}
    values: dict[str, float | None] = {
        str(name): value for name, value in whole.items() if name in ended
    }
    values |= headline
    values |= {"model_mb": about.get("model_mb"), **_gaps(slices, metrics)}
    for name, metric in metrics.items():
        value = values.get(name)
        if metric.best is not None and value is not None:
            values[name] = abs(value - metric.best)
    return {
        name: value
        for name, value in values.items()
        if not isinstance(value, str) and not (name in ended and not ended[name].interval)
    }


def _gaps(slices: pd.DataFrame, metrics: Mapping[str, Scale]) -> dict[str, float]:
    """Return how much the worst slice falls short, at least and at most; missing without any."""
    names = ["slice_gap", "slice_gap_low", "slice_gap_high"]
    compared = (slices["kind"] == "column") & (slices["status"] == JUDGED)
    judged = slices[compared & slices["difference"].notna()]
    if judged.empty:
        return dict.fromkeys(names, math.nan)
    short = judged[["difference", "difference_low", "difference_high"]].to_numpy(float)
    if metrics[judged["judged_by"].iloc[0]].direction == "higher":
        short = -short[:, [0, 2, 1]]
    return dict(zip(names, short.max(axis=0, initial=0.0).tolist(), strict=True))


def check_limit(name: str, limit: Limit, value: float | None, among: int) -> CheckedLimit:
    """Return a limit with its value and verdict; one without a value isn't kept."""
    given = {"at least": limit.at_least, "at most": limit.at_most}
    words = " and ".join(f"{word} {_short(end)}" for word, end in given.items() if end is not None)
    if value is None or math.isnan(value):
        return CheckedLimit(name, words, None, "not measured", among)
    low = limit.at_least is None or value >= limit.at_least
    high = limit.at_most is None or value <= limit.at_most
    return CheckedLimit(name, words, value, "holds" if low and high else "violated", among)


def _short(value: float) -> str:
    """Return a number as a limit is read: whole from a thousand on, else in four digits."""
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return text.replace("-", "−")
