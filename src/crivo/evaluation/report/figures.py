"""The figures of the report as SVG text: the same bytes each time, in the page's own colours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import pandas as pd

from crivo.evaluation.importances import leading
from crivo.evaluation.report.chart import GREY, ORANGE, Axis, Chart

BARS = 15
COUNTED_CLASSES = 12


class Figure(NamedTuple):
    """A drawing, what it is called and what it shows in words."""

    title: str
    svg: str
    text: str


def draw(tables: Mapping[str, pd.DataFrame]) -> list[Figure]:
    """Return a figure for each plot's table that has rows."""
    drawings: dict[str, Callable[[pd.DataFrame], Figure]] = {
        "roc": roc,
        "precision_recall": precision_recall,
        "calibration": calibration,
        "confusion": confusion,
        "value_curve": value_curve,
        "residuals": residuals,
        "learning": learning,
        "importance": importance,
    }
    return [
        drawing(tables[name])
        for name, drawing in drawings.items()
        if name in tables and len(tables[name])
    ]


def roc(curve: pd.DataFrame) -> Figure:
    chart = Chart(Axis("false positive rate"), Axis("true positive rate"), square=True)
    chart.line([0, 1], [0, 1], GREY, dotted=True)
    chart.line(curve["false_positive_rate"], curve["true_positive_rate"])
    text = "ROC curve: the true positive rate over the false positive rate."
    return Figure("ROC curve", chart.svg(), text)


def precision_recall(curve: pd.DataFrame) -> Figure:
    chart = Chart(Axis("recall"), Axis("precision", limits=(0, 1.02)))
    base = float(curve["precision"].iloc[-1])
    chart.level(y=base)
    chart.line(curve["recall"], curve["precision"])
    text = f"Precision over recall; without a model the precision is {base:.2f}."
    return Figure("Precision and recall", chart.svg(), text)


def calibration(bins: pd.DataFrame) -> Figure:
    chart = Chart(Axis("mean score of the bin"), Axis("observed rate"))
    top = float(max(bins["mean_score"].max(), bins["observed_rate"].max())) * 1.05
    chart.line([0, top], [0, top], GREY, dotted=True)
    chart.line(bins["mean_score"], bins["observed_rate"])
    chart.dots(bins["mean_score"], bins["observed_rate"])
    off = (bins["mean_score"] - bins["observed_rate"]).abs().max()
    text = f"Observed rate over mean score in {len(bins)} bins; the farthest is {off:.3f} off."
    return Figure("Calibration", chart.svg(), text)


def confusion(counts: pd.DataFrame) -> Figure:
    table = counts.pivot(index="actual", columns="predicted", values="rows").fillna(0)
    labels = sorted({*table.index, *table.columns}, key=str)
    table = table.reindex(index=labels, columns=labels, fill_value=0)
    shares = table.div(table.sum(axis=1).clip(lower=1), axis=0).to_numpy()
    names = [_short(label) for label in labels]
    # The first class stands at the top.
    downwards = Axis("actual", limits=(len(names) - 0.5, -0.5), places=names)
    across = Axis("predicted", places=names, slanted=len(names) > 4)
    chart = Chart(across, downwards, square=True)
    for i, line in enumerate(table.to_numpy().astype(int)):
        for j, count in enumerate(line):
            chart.cell(j, i, shares[i, j], f"{count:,}" if len(names) <= COUNTED_CLASSES else "")
    text = f"Rows of each of {len(names)} classes by the class predicted."
    return Figure("Confusion", chart.svg(), text)


def value_curve(curve: pd.DataFrame) -> Figure:
    chart = Chart(Axis("threshold"), Axis("value per 1,000 rows"))
    chart.line(curve["threshold"], curve["value_per_1000"])
    best = curve.iloc[int(curve["value_per_1000"].argmax())]
    chart.dots([best["threshold"]], [best["value_per_1000"]], ORANGE, radius=2.5)
    text = (
        f"Value per 1,000 rows over the threshold; the highest is {best['value_per_1000']:.4g} "
        f"at {best['threshold']:.3g}."
    )
    return Figure("Value over thresholds", chart.svg(), text)


def residuals(points: pd.DataFrame) -> Figure:
    chart = Chart(Axis("prediction"), Axis("target − prediction"))
    chart.level(y=0)
    chart.dots(points["prediction"], points["residual"], radius=0.9)
    text = f"Residuals over predictions for {len(points)} rows."
    return Figure("Residuals", chart.svg(), text)


def learning(curve: pd.DataFrame) -> Figure:
    chart = Chart(Axis("iteration"), Axis("held-out loss"))
    chart.line(curve["iteration"] + 1, curve["loss"])
    best = int(curve["loss"].argmin()) + 1
    text = f"Held-out loss by iteration; lowest after {best} of {len(curve)}."
    return Figure("Learning curve", chart.svg(), text)


def importance(table: pd.DataFrame) -> Figure:
    top = table.head(BARS)[::-1]
    features = Axis(places=[_short(name, 28) for name in top["feature"]])
    height = max(158.0, 17 * len(top) + 50.0)
    chart = Chart(Axis("loss added when the feature is shuffled"), features, height)
    chart.bars(top["loss_increase"])
    chart.level(x=0, dotted=False)
    return Figure("Permutation importance", chart.svg(), leading(table))


def _short(label: object, size: int = 16) -> str:
    text = str(label)
    return text if len(text) <= size else text[: size - 1] + "…"
