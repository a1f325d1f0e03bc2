"""Limits: which numbers can be limited, what a slice falls short by, and the verdict."""

from __future__ import annotations

from math import isnan, nan

import pandas as pd
import pytest

from crivo.comparison.limits import limitable
from crivo.evaluation.metrics import metrics_of

METRICS = metrics_of("binary")
WHOLE = {"slice": "all rows", "kind": "all", "status": "all", "roc_auc": 0.7, "roc_auc_low": 0.6}


def slices(*lines: dict[str, object], judged_by: str = "roc_auc") -> pd.DataFrame:
    """Return the whole table's line and those of slices, compared ones of a column if not said."""
    usual = {"kind": "column", "status": "judged", "judged_by": judged_by}
    columns = ["judged_by", "difference", "difference_low", "difference_high"]
    table = pd.DataFrame([WHOLE, *(usual | line for line in lines)])
    return table.reindex(columns=[*WHOLE, *columns])


def gap(difference: float, low: float = nan, high: float = nan, **other: object) -> dict:
    return {
        "difference": difference,
        "difference_low": low,
        "difference_high": high,
        "roc_auc": 0.1,
    } | other


def gaps(table: pd.DataFrame) -> tuple[float | None, ...]:
    found = limitable(METRICS, {}, table, {})
    return found["slice_gap"], found["slice_gap_low"], found["slice_gap_high"]


def test_metrics_headline_and_size_can_be_limited() -> None:
    headline = {"value_per_1000": 12.0, "verdict": "better", "roc_auc": 0.71}
    found = limitable(METRICS, headline, slices(gap(-0.1, -0.2, 0.1)), {"model_mb": 3.5, "x": 1})
    # What metrics.json says stands before the table of slices; words can't be limited.
    assert found == {
        "roc_auc": 0.71,
        "roc_auc_low": 0.6,
        "value_per_1000": 12,
        "model_mb": 3.5,
        "slice_gap": 0.1,
        "slice_gap_low": 0,
        "slice_gap_high": 0.2,
    }


@pytest.mark.parametrize(
    ("name", "value", "distance"),
    [
        ("calibration_in_the_large", -0.03, 0.03),
        ("calibration_slope", 0.8, 0.2),
        ("calibration_slope", 1.25, 0.25),
        ("calibration_slope", None, None),
        # Of an end of the interval nobody knows on which side the value is.
        ("calibration_slope_low", 0.8, 0.8),
    ],
)
def test_what_should_be_near_a_value_counts_by_its_distance(
    name: str, value: float | None, distance: float | None
) -> None:
    assert limitable(METRICS, {name: value}, slices(), {})[name] == pytest.approx(distance)


def test_the_gap_is_how_much_the_worst_slice_falls_short() -> None:
    table = slices(gap(-0.05, -0.09, -0.01), gap(-0.04, -0.06, -0.02), gap(0.2, 0.1, 0.3))
    assert gaps(table) == (0.05, 0.02, 0.09)


def test_only_compared_slices_of_columns_have_a_gap() -> None:
    others = [
        gap(-0.9, -0.9, -0.9, kind="segment"),
        gap(-0.8, -0.8, -0.8, status="too small: 53 of 100 rows"),
        gap(nan),
    ]
    assert all(map(isnan, gaps(slices(*others))))
    assert gaps(slices(*others, gap(-0.1, -0.2, -0.05))) == (0.1, 0.05, 0.2)
