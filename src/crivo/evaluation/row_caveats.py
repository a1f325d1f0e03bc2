"""Warnings that the rows themselves give cause for: what they hold too little of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from crivo.evaluation.metrics import Metric

# A class with fewer rows says little about how its scores are spread.
MIN_CLASS_ROWS = 30
# So much of the sum of the squared errors may lie in the largest hundredth of them. It is 0.08
# for normal errors, 0.16 for Laplace's; where it is more, hardly any sample has the rare large
# errors that decide the true value.
LARGEST, MAX_LARGEST_FRACTION = 0.01, 0.25

# Of fewer rows the largest says nothing.
MIN_ROWS = 50

MAX_NAMES = 5


def rare_classes(counts: Mapping[str, int]) -> list[str]:
    """Warn of classes with some rows, but too few; `counts`: the rows of each class."""
    few = [f"{name} ({n} rows)" for name, n in counts.items() if 0 < n < MIN_CLASS_ROWS]
    if not few:
        return []
    more = f" and {len(few) - MAX_NAMES} more" if len(few) > MAX_NAMES else ""
    return [
        f"Classes with fewer than {MIN_CLASS_ROWS} rows: {', '.join(few[:MAX_NAMES])}{more}. "
        "Intervals of metrics that depend on single classes, such as ROC AUC, recall and F1, "
        "are too short."
    ]


def heavy_tails(
    squared_errors: np.ndarray, weight: np.ndarray, metrics: Sequence[Metric]
) -> list[str]:
    """Warn when few rows carry the sum of the squared errors; both are one number per row."""
    if len(weight) < MIN_ROWS:
        return []
    return list(_heavy_tails(largest_fraction(squared_errors * weight), metrics))


def _heavy_tails(fraction: float, metrics: Sequence[Metric]) -> Iterator[str]:
    if fraction <= MAX_LARGEST_FRACTION:
        return
    for metric in metrics:
        if metric.squared:
            yield (
                f"{metric.name}: the largest {100 * LARGEST:.0f} % of the squared errors make "
                f"{100 * fraction:.0f} % of their sum (above {100 * MAX_LARGEST_FRACTION:.0f} "
                "%), so its interval is too short: larger errors than these rows have may come. "
                "mae suffers less."
            )


def largest_fraction(values: np.ndarray) -> float:
    """Return which part of their sum the largest hundredth of some numbers makes.

    >>> largest_fraction(np.array([1.0] * 99 + [33.0]))
    0.25
    """
    count = max(1, round(LARGEST * len(values)))
    total = float(values.sum())
    if not len(values) or not total > 0:
        return 0.0
    return float(np.partition(values, len(values) - count)[-count:].sum()) / total
