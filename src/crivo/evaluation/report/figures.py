"""The figures of the report as SVG text: the same bytes each time, in the page's own colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, isnan
from typing import NamedTuple

import pandas as pd

from crivo.evaluation.report.axis import Axis
from crivo.evaluation.report.chart import GREY, HEIGHT, ORANGE, Chart
from crivo.evaluation.report.contents import Report
from crivo.evaluation.report.numbers import number

# The height of a line of the confusion of many classes.
LINE = 11
# Rounds a scale's end.
STEP = 0.05
MODEL, BASELINE, BAND = ("line", "the model"), ("dotted", "the baseline"), ("band", "95 % interval")
USED, BEST = ("dot", "the threshold in use"), ("ring", "the highest value")


@dataclass(frozen=True)
class Plot:
    """A drawing, and what the pointer shows: names, and a row of texts for each of its points."""

    svg: str
    names: Sequence[str] = ()
    points: Sequence[Sequence[str]] = ()

    @property
    def values(self) -> str:
        """The texts of all points on one line."""
        return ";".join("|".join(point) for point in self.points)


class Figure(NamedTuple):
    """Drawings below each other, what they are called, what they show, and what the marks mean."""

    name: str
    title: str
    text: str
    plots: tuple[Plot, ...]
    keys: tuple[tuple[str, str], ...] = ()


def draw(report: Report) -> list[Figure]:
    """Return the figures that the task has."""
    drawings: list[Callable[[Report], Figure | None]] = [
        roc, precision_recall, calibration, value_curve, reliability, residuals, learning,
    ]  # fmt: skip
    return [figure for figure in (drawing(report) for drawing in drawings) if figure is not None]


def _points(table: pd.DataFrame, columns: Sequence[str]) -> list[list[str]]:
    rows = table[list(columns)].itertuples(index=False, name=None)
    return [["" if isnan(value) else f"{value:.3g}" for value in row] for row in rows]


def _keys(table: pd.DataFrame, low: str, *more: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    band = (BAND,) if low in table and table[low].notna().any() else ()
    return (MODEL, *band, *more)


def roc(report: Report) -> Figure | None:
    if (curve := report.plot("roc")) is None:
        return None
    names = ["false positive rate", "true positive rate", "threshold"]
    chart = Chart(Axis(names[0]), Axis(names[1]), square=True)
    columns = ["false_positive_rate", "true_positive_rate"]
    across, up = (curve[name] for name in columns)
    _baseline(chart, curve, across, (across, across))
    _band(chart, curve, across, columns[1])
    chart.line(across, up, series=True)
    shown, text = report.plain, "The further above the diagonal, the better the ranking."
    keys = _keys(curve, f"{columns[1]}_low", BASELINE)
    if shown is not None and not isnan(shown.recall + shown.false_alarms):
        chart.dots([shown.false_alarms], [shown.recall], ORANGE, radius=3.2)
        keys = (*keys, USED)
        positive, negative = _classes(report)
        text += (
            f" The threshold in use flags {100 * shown.recall:.0f} % of the {report.subject.rows} "
            f"that are {positive}, and {100 * shown.false_alarms:.0f} % of those {negative}."
        )
    points = _points(curve, [*columns, "threshold"])
    return Figure("roc", "ROC curve", text, (Plot(chart.svg(), names, points),), keys)


def precision_recall(report: Report) -> Figure | None:
    if (curve := report.plot("precision_recall")) is None:
        return None
    chart = Chart(Axis("recall"), Axis("precision", limits=(0, 1.02)))
    base = float(curve["precision"].iloc[-1])
    _baseline(chart, curve, curve["recall"], ([0, 1], [base, base]))
    _band(chart, curve, curve["recall"], "precision")
    chart.line(curve["recall"], curve["precision"], series=True)
    text = f"Flagging more rows raises recall and lowers precision; at random it is {base:.2f}."
    keys, shown = _keys(curve, "precision_low", BASELINE), report.plain
    if shown is not None and shown.flagged > 0 and not isnan(shown.recall + shown.value):
        chart.dots([shown.recall], [shown.value], ORANGE, radius=3.2)
        keys = (*keys, USED)
        text += (
            f" The threshold in use flags {100 * shown.flagged:.3g} % of the "
            f"{report.subject.rows}: recall {shown.recall:.2f}, precision {shown.value:.2f}."
        )
    columns = ["recall", "precision", "threshold"]
    plot = Plot(chart.svg(), columns, _points(curve, columns))
    return Figure("precision_recall", "Precision and recall", text, (plot,), keys)


def calibration(report: Report) -> Figure | None:
    if (bins := report.plot("calibration")) is None:
        return None
    columns = ["mean_score", "observed_rate"]
    most = float(max(bins[name].max() for name in [*columns, "observed_rate_high"] if name in bins))
    top = min(1.0, ceil(most / STEP + 1e-9) * STEP)
    positive = _classes(report)[0]
    limits = (-0.02 * top, 1.02 * top)
    chart = Chart(Axis("mean score", limits=limits), Axis(f"share {positive}", limits=limits))
    chart.line([0, top], [0, top], GREY, dotted=True)
    _band(chart, bins, bins["mean_score"], "observed_rate")
    chart.line(bins["mean_score"], bins["observed_rate"], series=True)
    chart.dots(bins["mean_score"], bins["observed_rate"])
    off = (bins["mean_score"] - bins["observed_rate"]).abs().max()
    text = (
        f"On the dotted line, scores equal observed shares. In {len(bins)} bins with equally many "
        f"{report.subject.rows}, the largest distance is {off:.3f}."
    )
    names = ["mean score", f"share {positive}", report.subject.rows]
    plots = [Plot(chart.svg(), names, _points(bins, [*columns, "rows"]))]
    keys = _keys(bins, "observed_rate_low", ("dotted", "perfect calibration"))
    if (counts := report.plot("scores")) is not None:
        plots.append(_histogram(report, counts, top, limits))
        text += " Below: a histogram of the scores."
        keys = (*keys, ("box2", positive), ("box", _classes(report)[1]))
    return Figure("calibration", "Calibration", text, tuple(plots), keys)


def _histogram(
    report: Report, counts: pd.DataFrame, top: float, limits: tuple[float, float]
) -> Plot:
    """Return how many rows of either class have which score, up to the end of the scale."""
    shown = counts[counts["high"] <= top + 1e-9]
    chart = Chart(Axis("score", limits=limits), Axis(report.subject.rows), height=120.0)
    total = shown["negative"] + shown["positive"]
    chart.y.values.append(0.0)
    edges = list(zip(shown["low"], shown["high"], strict=True))
    for base, upper, color in (
        (0 * total, shown["positive"], ORANGE),
        (shown["positive"], total, GREY),
    ):
        sides = zip(edges, base, upper, strict=True)
        chart.boxes([(low, under, high, over) for (low, high), under, over in sides], color)
    middle = (shown["low"] + shown["high"]) / 2
    points = [
        [f"{low:.2f} to {high:.2f}", f"{positive:,.0f}", f"{negative:,.0f}"]
        for low, high, negative, positive in shown.itertuples(index=False, name=None)
    ]
    chart.line(middle, total, color="none", series=True)
    return Plot(chart.svg(), ["score", *_classes(report)], points)


def value_curve(report: Report) -> Figure | None:
    if (curve := report.plot("value_curve")) is None:
        return None
    name, rows = "value_per_1000", report.subject.rows
    unit = f" ({report.subject.currency})" if report.subject.currency else ""
    chart = Chart(Axis("threshold"), Axis(f"value per 1,000 {rows}{unit}"))
    chart.level(y=0)
    _band(chart, curve, curve["threshold"], name)
    chart.line(curve["threshold"], curve[name], series=True)
    best = curve.iloc[int(curve[name].argmax())]
    keys = _keys(curve, f"{name}_low")
    text, threshold = "", report.threshold
    if threshold is not None and (curve["threshold"] >= threshold.value).any():
        used = curve[curve["threshold"] >= threshold.value].iloc[-1]
        chart.dots([threshold.value], [used[name]], ORANGE, radius=3.2)
        keys = (*keys, USED)
        text = (
            f"At the threshold in use, {threshold.value:.4g}, the value is {number(used[name])}. "
        )
    chart.ring(best["threshold"], best[name])
    text += (
        f"The highest on these rows is {number(best[name])} at {best['threshold']:.3g}; that is "
        "too optimistic, because the threshold is chosen on the same rows."
    )
    names = ["threshold", "value", "flagged of 1,000", "precision"]
    points = _points(curve, ["threshold", name, "acted_per_1000", "precision"])
    plot = Plot(chart.svg(), names, points)
    return Figure("value_curve", "Value over thresholds", text, (plot,), (*keys, BEST))


def reliability(report: Report) -> Figure | None:
    """Return how high rows were put and what happened, where no calibration says it."""
    tenths = report.table("errors/by_decile")
    if tenths is None or report.task == "binary":
        return None
    number_task = report.task == "regression"
    names = ["mean prediction", f"mean {report.subject.target}"]
    if not number_task:
        names = ["mean probability of the predicted class", "share right"]
    columns = ["mean_score", "observed_rate"]
    ends = tenths[columns].to_numpy(float)
    chart = Chart(Axis(names[0]), Axis(names[1]))
    chart.line([ends.min(), ends.max()], [ends.min(), ends.max()], GREY, dotted=True)
    chart.line(tenths[columns[0]], tenths[columns[1]], series=True)
    chart.dots(tenths[columns[0]], tenths[columns[1]])
    text = (
        "Each point is a tenth of the rows. On the dotted line, predictions are right on average."
    )
    plot = Plot(chart.svg(), [*names, "rows"], _points(tenths, [*columns, "rows"]))
    title = "Predicted and actual" if number_task else "Calibration"
    return Figure("reliability", title, text, (plot,), (MODEL, ("dotted", "right on average")))


def residuals(report: Report) -> Figure | None:
    if (points := report.plot("residuals")) is None:
        return None
    unit = f" ({report.subject.words.unit})" if report.subject.words.unit else ""
    chart = Chart(Axis(f"prediction{unit}"), Axis(f"{report.subject.target} − prediction"))
    chart.level(y=0)
    chart.dots(points["prediction"], points["residual"], radius=0.9)
    text = (
        f"Residuals against predictions for {len(points):,} {report.subject.rows}. A bend or a "
        "funnel shape shows something that the model could still learn."
    )
    return Figure("residuals", "Residuals", text, (Plot(chart.svg()),))


def learning(report: Report) -> Figure | None:
    if (curve := report.plot("learning")) is None:
        return None
    chart = Chart(Axis("iteration"), Axis("held-out loss"))
    chart.line(curve["iteration"] + 1, curve["loss"], series=True)
    best = int(curve["loss"].argmin()) + 1
    end = "More iterations may help." if best == len(curve) else "More iterations don't help."
    text = f"The loss on held-out rows is lowest after {best} of {len(curve)} iterations. {end}"
    shown = _points(curve.assign(iteration=curve["iteration"] + 1), ["iteration", "loss"])
    plot = Plot(chart.svg(), ["iteration", "loss"], shown)
    return Figure("learning", "Learning curve", text, (plot,))


def heat_map(counts: pd.DataFrame) -> str:
    """Return the confusion of many classes as a drawing: `counts` has a row per actual class."""
    shares = counts.div(counts.sum(axis=1).clip(lower=1), axis=0).to_numpy()
    names = [_short(label) for label in counts.index]
    # The first class stands at the top.
    downwards = Axis("actual", limits=(len(names) - 0.5, -0.5), places=names)
    size = max(HEIGHT, LINE * len(names) + 130)
    across = Axis("predicted", places=names, slanted=True)
    chart = Chart(across, downwards, size, square=True, width=size + 20)
    for i, line in enumerate(shares):
        for j, share in enumerate(line):
            if share > 0:
                chart.cell(j, i, float(share))
    return chart.svg()


def _band(chart: Chart, table: pd.DataFrame, across: pd.Series, name: str) -> None:
    if f"{name}_low" in table:
        chart.area(across, table[f"{name}_low"], table[f"{name}_high"])


def _baseline(
    chart: Chart,
    curve: pd.DataFrame,
    across: pd.Series,
    otherwise: tuple[Sequence[float] | pd.Series, Sequence[float] | pd.Series],
) -> None:
    """Draw the baseline's curve, or what a ranking at random gives."""
    known = "baseline" in curve and curve["baseline"].notna().any()
    xs, ys = (across, curve["baseline"]) if known else otherwise
    chart.line(xs, ys, GREY, dotted=True)


def _classes(report: Report) -> tuple[str, str]:
    """Return what the positive and the other class are called."""
    subject = report.subject
    other = next((name for name in subject.classes if name != subject.positive), None)
    if subject.positive is None:
        return "positive", "negative"
    return subject.short(subject.positive), "other" if other is None else subject.short(other)


def _short(label: object, size: int = 16) -> str:
    """Return a name shortened in its middle: names often differ at their ends."""
    text, end = str(label), size // 2 - 1
    return text if len(text) <= size else f"{text[: size - end - 1]}…{text[-end:]}"
