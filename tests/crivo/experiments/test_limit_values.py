"""Limits: which numbers can be limited, what a slice falls short by, and the verdict."""

from __future__ import annotations

from math import isnan, nan

import pandas as pd
import pytest

from crivo.comparison.limits import CheckedLimit, check_limit, limitable, metric_of
from crivo.core.params import Limit
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


def test_a_metric_is_found_by_the_ends_of_its_interval() -> None:
    for name in ("log_loss", "log_loss_low", "log_loss_high"):
        assert metric_of(name, METRICS) is METRICS["log_loss"]
    assert metric_of("loss", METRICS) is None
    assert metric_of("low", METRICS) is None
    assert metric_of("share_low", {"share_low": METRICS["brier"]}) is METRICS["brier"]


def test_the_gap_is_how_much_the_worst_slice_falls_short() -> None:
    table = slices(gap(-0.05, -0.09, -0.01), gap(-0.04, -0.06, -0.02), gap(0.2, 0.1, 0.3))
    assert gaps(table) == (0.05, 0.02, 0.09)


def test_of_a_loss_the_highest_slice_is_the_worst() -> None:
    table = slices(gap(0.05, 0.01, 0.09), gap(-0.2, -0.3, -0.1), judged_by="log_loss")
    assert gaps(table) == (0.05, 0.01, 0.09)


@pytest.mark.parametrize("judged_by", ["roc_auc", "log_loss"])
def test_where_no_slice_falls_short_the_gap_is_zero(judged_by: str) -> None:
    side = 1 if judged_by == "roc_auc" else -1
    assert gaps(slices(gap(side * 0.02, side * 0.01, side * 0.01), judged_by=judged_by)) == (
        0,
        0,
        0,
    )


def test_only_compared_slices_of_columns_have_a_gap() -> None:
    others = [
        gap(-0.9, -0.9, -0.9, kind="segment"),
        gap(-0.8, -0.8, -0.8, status="too small: 53 of 100 rows"),
        gap(nan),
    ]
    assert all(map(isnan, gaps(slices(*others))))
    assert gaps(slices(*others, gap(-0.1, -0.2, -0.05))) == (0.1, 0.05, 0.2)


@pytest.mark.parametrize(
    ("limit", "words", "state"),
    [
        ({"at_least": 0.5}, "at least 0.5", "holds"),
        ({"at_least": 0.51}, "at least 0.51", "violated"),
        ({"at_most": 0.5}, "at most 0.5", "holds"),
        ({"at_most": 0.49}, "at most 0.49", "violated"),
        ({"at_least": 0.5, "at_most": 0.5}, "at least 0.5 and at most 0.5", "holds"),
        ({"at_least": 0.4, "at_most": 0.45}, "at least 0.4 and at most 0.45", "violated"),
        ({"at_least": 0.6, "at_most": 0.7}, "at least 0.6 and at most 0.7", "violated"),
    ],
)
def test_a_limit_that_is_just_met_holds(limit: dict[str, float], words: str, state: str) -> None:
    assert check_limit("a", Limit(**limit), 0.5) == CheckedLimit("a", words, 0.5, state)


@pytest.mark.parametrize("value", [None, nan])
def test_what_has_no_value_is_not_measured(value: float | None) -> None:
    found = check_limit("a", Limit(at_most=1), value)
    assert found == CheckedLimit("a", "at most 1", None, "not measured")
    assert str(found) == "not measured a at most 1: –"


def test_a_verdict_is_a_line_that_a_person_reads() -> None:
    line = str(check_limit("roc_auc", Limit(at_least=0.75), 0.712345))
    assert line == "violated     roc_auc at least 0.75: 0.7123"
