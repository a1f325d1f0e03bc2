"""The files beside a report's page, and what each holds."""

from __future__ import annotations

from collections.abc import Iterable

ABOUT = {
    "metrics.json": "the numbers that crivo compare and dvc exp show list",
    "intervals.csv": "each metric, the baseline's and the difference, with their intervals",
    "predictions.parquet": "one row per evaluated row: target, prediction, scores",
    "slices.csv": "all slices and weak segments by all metrics",
    "value.csv": "what acting is worth",
    "threshold.json": "the threshold in use",
    "evaluation.json": "what was evaluated and how",
    "jackknife.csv": "each metric without each cluster, which is all that a comparison needs",
    "report.md": "a short version of this report, for a pull request",
    "errors/worst.csv": "the rows with the highest loss, with all their columns",
    "errors/by_slice.csv": "the same for each slice",
    "errors/confidently_wrong.csv": "wrongly predicted rows of which the model was certain",
    "errors/near_threshold.csv": "rows whose score is close to the threshold",
    "errors/by_decile.csv": "how good the model is in tenths of the rows",
}


def beside(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return the files with what they hold; the data of the figures come last."""
    found = set(names)
    known = [(name, text) for name, text in ABOUT.items() if name in found]
    others = sorted(found - ABOUT.keys() - {"report.html"})
    return known + [
        (name, "the data of a figure" if name[:6] == "plots/" else "") for name in others
    ]
