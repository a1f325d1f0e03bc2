"""The figures of the report: what each one draws; what is said of it stands in the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, isnan, nan
from typing import TYPE_CHECKING, Any

import pandas as pd

from crivo.evaluation.report.chart import (
    GREY,
    ORANGE,
    Axis,
    Chart,
    Mark,
    area,
    boxes,
    dots,
    level,
    line,
    ring,
)
from crivo.evaluation.report.numbers import brief
from crivo.evaluation.tasks import task_evaluation

if TYPE_CHECKING:
    from crivo.evaluation.evaluate import Result

# Rounds a scale's end.
STEP = 0.05
# What a mark looks like, and what it means.
Key = tuple[str, str]
MODEL, BASELINE, BAND = ("line", "the model"), ("dotted", "the baseline"), ("band", "95 % interval")
USED, BEST = ("dot", "the threshold in use"), ("ring", "the highest value")


@dataclass(frozen=True)
class Plot:
    """A drawing, and what the pointer shows: names, and a row of texts for each of its points."""

    chart: Chart
    names: Sequence[str] = ()
    points: Sequence[Sequence[str]] = ()


@dataclass(frozen=True)
class Figure:
    """Drawings below each other, what the marks mean, and numbers for the words about them."""

    name: str
    plots: Sequence[Plot]
    keys: Sequence[Key] = ()
    facts: dict[str, Any] = field(default_factory=dict)


def draw(report: Result) -> list[Figure]:
    """Return the figures that the task has."""
    drawings = [roc, precision_recall, calibration, value_curve, reliability, residuals, learning]
    tables = {one: report.plot(one.__name__) for one in drawings}
    tables[reliability] = report.table("errors/by_decile")
    if task_evaluation(report.about["task"]).reliability is None:
        tables[reliability] = None  # the calibration says it
    return [one(report, table) for one, table in tables.items() if table is not None]


def _plot(
    x: Axis, y: Axis, marks: Sequence[Mark], points: pd.DataFrame, names: Sequence[str], **how: Any
) -> Plot:
    """Return a drawing whose points have the values of a table's rows, under other names."""
    rows = points.itertuples(index=False, name=None)
    return Plot(Chart(x, y, marks, **how), names, [[*map(brief, row)] for row in rows])


def _series(table: pd.DataFrame, x: str, y: str) -> tuple[list[Mark], list[Key]]:
    """Return a curve with its band, and what they mean."""
    marks, ends = [line(table[x], table[y], kind="series")], (f"{y}_low", f"{y}_high")
    if not set(ends) <= set(table):
        return marks, [MODEL]
    marks.insert(0, area(table[x], *(table[end] for end in ends)))
    return marks, [MODEL, *([BAND] if table[ends[0]].notna().any() else [])]


def _ranking(
    name: str,
    curve: pd.DataFrame,
    columns: tuple[str, str],
    chance: tuple[Any, Any],
    used: tuple[float, float],
    limits: tuple[float, float] | None = None,
    **how: Any,
) -> Figure:
    """Return a curve over the thresholds with the baseline's, and the threshold in use if known.

    `chance`: what a ranking at random gives, where there is no baseline's curve.
    """
    x, y = columns
    marks, keys = _series(curve, x, y)
    known = "baseline" in curve and curve["baseline"].notna().any()
    xs, ys = (curve[x], curve["baseline"]) if known else chance
    marks, keys = [line(xs, ys, GREY, "dotted"), *marks], [*keys, BASELINE]
    if is_used := not isnan(sum(used)):
        marks.append(dots([used[0]], [used[1]], ORANGE, radius=3.2))
        keys.append(USED)
    names = [one.replace("_", " ") for one in (x, y, "threshold")]
    axes = Axis(names[0]), Axis(names[1], limits)
    plot = _plot(*axes, marks, curve[[x, y, "threshold"]], names, **how)
    return Figure(name, [plot], keys, {"used": is_used})


def roc(report: Result, curve: pd.DataFrame) -> Figure:
    columns, shown = ("false_positive_rate", "true_positive_rate"), report.plain
    used = (shown.false_alarms, shown.recall) if shown and shown.flagged else (nan, nan)
    diagonal = (curve[columns[0]], curve[columns[0]])
    return _ranking("roc", curve, columns, diagonal, used, square=True)


def precision_recall(report: Result, curve: pd.DataFrame) -> Figure:
    base, shown = float(curve["precision"].iloc[-1]), report.plain
    used = (nan, nan) if shown is None else (shown.recall, shown.precision)
    columns, flat = ("recall", "precision"), ([0, 1], [base, base])
    figure = _ranking("precision_recall", curve, columns, flat, used, (0, 1.02))
    figure.facts["base"] = base
    return figure


def calibration(report: Result, bins: pd.DataFrame) -> Figure:
    x, y = "mean_score", "observed_rate"
    most = float(max(bins[name].max() for name in (x, y, f"{y}_high") if name in bins))
    top = min(1.0, ceil(most / STEP + 1e-9) * STEP)
    positive, negative = report.subject.two_classes
    limits = (-0.02 * top, 1.02 * top)
    marks, keys = _series(bins, x, y)
    marks = [line([0, top], [0, top], GREY, "dotted"), *marks, dots(bins[x], bins[y])]
    names = ["mean score", f"share {positive}", report.subject.rows]
    axes = Axis(names[0], limits), Axis(names[1], limits)
    plots = [_plot(*axes, marks, bins[[x, y, "rows"]], names)]
    keys.append(("dotted", "perfect calibration"))
    if (counts := report.plot("scores")) is not None:
        plots.append(_histogram(report, counts[counts["high"] <= top + 1e-9], limits))
        keys += [("box2", positive), ("box", negative)]
    off = (bins[x] - bins[y]).abs().max()
    return Figure("calibration", plots, keys, {"off": off, "bins": len(bins)})


def _histogram(report: Result, shown: pd.DataFrame, limits: tuple[float, float]) -> Plot:
    """Return how many rows of either class have which score."""
    total = shown["negative"] + shown["positive"]
    low, high, positive = shown["low"], shown["high"], shown["positive"]
    marks = [
        boxes(zip(low, 0 * total, high, positive, strict=True), ORANGE),
        boxes(zip(low, positive, high, total, strict=True), GREY),
        line((low + high) / 2, total, "none", "series"),
    ]
    y = Axis(report.subject.rows, least=0.0)
    chart = Chart(Axis("score", limits), y, marks, size=(302.0, 120.0))
    points = [
        [f"{one.low:.2f} to {one.high:.2f}", f"{one.positive:,.0f}", f"{one.negative:,.0f}"]
        for one in shown.itertuples()
    ]
    return Plot(chart, ["score", *report.subject.two_classes], points)


def value_curve(report: Result, curve: pd.DataFrame) -> Figure:
    name, subject, threshold = (
        "value_per_1000",
        report.subject,
        report.operating_point.thresholds[0],
    )
    marks, keys = _series(curve, "threshold", name)
    marks = [level(0.0), *marks]
    facts: dict[str, Any] = {"best": curve.iloc[int(curve[name].argmax())].to_dict(), "used": None}
    if threshold is not None and (curve["threshold"] >= threshold.value).any():
        facts["used"] = curve[curve["threshold"] >= threshold.value].iloc[-1][name]
        marks.append(dots([threshold.value], [facts["used"]], ORANGE, radius=3.2))
        keys.append(USED)
    marks.append(ring(facts["best"]["threshold"], facts["best"][name]))
    unit = f" ({subject.currency})" if subject.currency else ""
    axes = Axis("threshold"), Axis(f"value per 1,000 {subject.rows}{unit}")
    points = curve[["threshold", name, "acted_per_1000", "precision"]]
    names = ["threshold", "value", "flagged of 1,000", "precision"]
    return Figure("value_curve", [_plot(*axes, marks, points, names)], [*keys, BEST], facts)


def reliability(report: Result, tenths: pd.DataFrame) -> Figure:
    """Return how high rows were put and what happened, where no calibration says it."""
    words = task_evaluation(report.about["task"]).reliability or ("", "", "")
    title, *names = (one.format(target=report.subject.target) for one in words)
    x, y = "mean_score", "observed_rate"
    ends = tenths[[x, y]].to_numpy(float)
    whole = [min(ends.min(), 0.95 * ends.max()), ends.max()]  # alike ones have an axis, too
    marks = [
        line(whole, whole, GREY, "dotted"),
        line(tenths[x], tenths[y], kind="series"),
        dots(tenths[x], tenths[y]),
    ]
    points = tenths[[x, y, "rows"]]
    plot = _plot(Axis(names[0]), Axis(names[1]), marks, points, [*names, "rows"])
    return Figure("reliability", [plot], [MODEL, ("dotted", "right on average")], {"title": title})


def residuals(report: Result, points: pd.DataFrame) -> Figure:
    unit = f" ({report.subject.words.unit})" if report.subject.words.unit else ""
    marks = [level(0.0), dots(points["prediction"], points["residual"], radius=0.9)]
    chart = Chart(Axis(f"prediction{unit}"), Axis(f"{report.subject.target} − prediction"), marks)
    return Figure("residuals", [Plot(chart)], facts={"count": len(points)})


def learning(report: Result, curve: pd.DataFrame) -> Figure:
    points = curve[["iteration", "loss"]].assign(iteration=curve["iteration"] + 1)
    marks = [line(points["iteration"], points["loss"], kind="series")]
    plot = _plot(Axis("iteration"), Axis("held-out loss"), marks, points, ["iteration", "loss"])
    facts = {"best": int(curve["loss"].argmin()) + 1, "count": len(curve)}
    return Figure("learning", [plot], facts=facts)
