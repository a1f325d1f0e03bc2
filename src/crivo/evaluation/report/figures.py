"""The figures of the report as SVG text: the same bytes each time, in the page's own colours."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from crivo.evaluation.importances import leading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

# Stands for the page's text colour, which is another in the dark; replaced in the SVG text.
INK = "#010203"
BLUE, ORANGE, GREY = "#2f7ed8", "#d9741a", "#8a8f98"
BARS = 15


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
    with _axes() as (axes, svg):
        axes.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1)
        axes.plot(curve["false_positive_rate"], curve["true_positive_rate"], color=BLUE)
        axes.set(xlabel="false positive rate", ylabel="true positive rate", aspect="equal")
        text = "ROC curve: the true positive rate over the false positive rate."
        return Figure("ROC curve", svg(), text)


def precision_recall(curve: pd.DataFrame) -> Figure:
    with _axes() as (axes, svg):
        base = float(curve["precision"].iloc[-1])
        axes.axhline(base, color=GREY, linestyle=":", linewidth=1)
        axes.plot(curve["recall"], curve["precision"], color=BLUE)
        axes.set(xlabel="recall", ylabel="precision", ylim=(0, 1.02))
        text = f"Precision over recall; without a model the precision is {base:.2f}."
        return Figure("Precision and recall", svg(), text)


def calibration(bins: pd.DataFrame) -> Figure:
    with _axes() as (axes, svg):
        top = float(max(bins["mean_score"].max(), bins["observed_rate"].max())) * 1.05
        axes.plot([0, top], [0, top], color=GREY, linestyle=":", linewidth=1)
        axes.plot(bins["mean_score"], bins["observed_rate"], color=BLUE, marker="o", markersize=4)
        axes.set(xlabel="mean score of the bin", ylabel="observed rate")
        off = (bins["mean_score"] - bins["observed_rate"]).abs().max()
        text = f"Observed rate over mean score in {len(bins)} bins; the farthest is {off:.3f} off."
        return Figure("Calibration", svg(), text)


def confusion(counts: pd.DataFrame) -> Figure:
    table = counts.pivot(index="actual", columns="predicted", values="rows").fillna(0)
    labels = sorted({*table.index, *table.columns}, key=str)
    table = table.reindex(index=labels, columns=labels, fill_value=0)
    shares = table.div(table.sum(axis=1).clip(lower=1), axis=0).to_numpy()
    with _axes() as (axes, svg):
        edges = [i - 0.5 for i in range(len(labels) + 1)]
        axes.pcolormesh(edges, edges, shares, cmap="Blues", vmin=0, vmax=1.3)
        axes.invert_yaxis()
        axes.set_aspect("equal")
        names = [_short(label) for label in labels]
        axes.set_xticks(range(len(names)), names, rotation=45 if len(names) > 4 else 0)
        axes.set_yticks(range(len(names)), names)
        axes.set(xlabel="predicted", ylabel="actual")
        if len(names) <= 12:
            for i, line in enumerate(table.to_numpy().astype(int)):
                for j, count in enumerate(line):
                    axes.text(j, i, f"{count:,}", ha="center", va="center", color="#101418")
        text = f"Rows of each of {len(names)} classes by the class predicted."
        return Figure("Confusion", svg(), text)


def value_curve(curve: pd.DataFrame) -> Figure:
    with _axes() as (axes, svg):
        axes.plot(curve["threshold"], curve["value_per_1000"], color=BLUE)
        best = curve.iloc[int(curve["value_per_1000"].argmax())]
        axes.plot(best["threshold"], best["value_per_1000"], "o", color=ORANGE, markersize=5)
        axes.set(xlabel="threshold", ylabel="value per 1,000 rows")
        text = (
            f"Value per 1,000 rows over the threshold; the highest is {best['value_per_1000']:.4g} "
            f"at {best['threshold']:.3g}."
        )
        return Figure("Value over thresholds", svg(), text)


def residuals(points: pd.DataFrame) -> Figure:
    with _axes() as (axes, svg):
        axes.axhline(0, color=GREY, linestyle=":", linewidth=1)
        axes.plot(
            points["prediction"], points["residual"], ".", color=BLUE, markersize=3, alpha=0.5
        )
        axes.set(xlabel="prediction", ylabel="target − prediction")
        text = f"Residuals over predictions for {len(points)} rows."
        return Figure("Residuals", svg(), text)


def learning(curve: pd.DataFrame) -> Figure:
    with _axes() as (axes, svg):
        axes.plot(curve["iteration"] + 1, curve["loss"], color=BLUE)
        axes.set(xlabel="iteration", ylabel="held-out loss")
        best = int(curve["loss"].argmin()) + 1
        text = f"Held-out loss by iteration; lowest after {best} of {len(curve)}."
        return Figure("Learning curve", svg(), text)


def importance(table: pd.DataFrame) -> Figure:
    top = table.head(BARS)[::-1]
    with _axes(height=max(2.2, 0.24 * len(top) + 0.7)) as (axes, svg):
        axes.barh([_short(name, 28) for name in top["feature"]], top["loss_increase"], color=BLUE)
        axes.axvline(0, color=GREY, linewidth=1)
        axes.set(xlabel="loss added when the feature is shuffled")
        return Figure("Permutation importance", svg(), leading(table))


@contextmanager
def _axes(height: float = 3.2) -> Iterator[tuple[Axes, Callable[[], str]]]:
    """Give axes to draw on, and a function that returns the drawing as SVG text."""
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    style: dict[Any, Any] = {
        "svg.hashsalt": "crivo",
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        **dict.fromkeys(
            ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK
        ),
    }
    with matplotlib.rc_context(style):
        canvas = Canvas(figsize=(4.2, height), layout="constrained")
        axes = canvas.add_subplot()

        def svg() -> str:
            target = io.StringIO()
            with warnings.catch_warnings():
                # Text stays text: the page's reader has the letters that this font lacks.
                warnings.filterwarnings("ignore", message="Glyph .* missing from font")
                canvas.savefig(target, format="svg", transparent=True, metadata={"Date": None})
            text = target.getvalue()
            return text[text.index("<svg") :].replace(INK, "currentColor")

        yield axes, svg


def _short(label: object, size: int = 16) -> str:
    # A dollar sign would start a formula, which can fail.
    text = str(label).replace("$", r"\$")
    return text if len(text) <= size else text[: size - 1] + "…"
