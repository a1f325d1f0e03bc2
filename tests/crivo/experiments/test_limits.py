"""Limits: each with its value and verdict, read from the small files of an evaluation."""

import json
from math import isnan, nan
from pathlib import Path

import pandas as pd
import pytest

from crivo.comparison.limits import (
    CheckedLimit,
    check_experiment_limits,
    check_limit,
    limit_lines,
    limitable,
)
from crivo.core.errors import CrivoError
from crivo.core.params import Limit
from crivo.evaluation.metrics import metrics_of

METRICS = {"roc_auc": 0.74, "roc_auc_low": 0.69, "value_per_1000": 12.0, "verdict": "better"}
SLICES = """slice,kind,column,status,roc_auc,calibration_in_the_large,judged_by,difference,\
difference_low,difference_high
all rows,all,,whole,0.74,-0.03,,,,
shop = a,column,shop,judged,0.70,0,roc_auc,-0.05,-0.09,-0.01
shop = b,column,shop,judged,0.78,0,roc_auc,0.05,0.01,0.09
shop = c,column,shop,too small: 53 of 100 rows,,,,,,
x > 3,segment,,judged,0.5,0,log_loss,0.9,0.8,1.0
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return written(tmp_path)


def written(root: Path, **metrics: object) -> Path:
    folder = root / "metrics" / "evaluation"
    folder.mkdir(parents=True)
    about = {"task": "binary", "model_mb": 3.5}
    (folder / "evaluation.json").write_text(json.dumps(about))
    (folder / "metrics.json").write_text(json.dumps(METRICS | metrics))
    (folder / "slices.csv").write_text(SLICES)
    return root


def checked(root: Path, name: str, **limit: float) -> CheckedLimit:
    found = check_experiment_limits({name: Limit(**limit)}, root)
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("name", "limit", "value", "state"),
    [
        ("roc_auc", {"at_least": 0.7}, 0.74, "holds"),
        ("roc_auc", {"at_least": 0.75}, 0.74, "violated"),
        ("roc_auc", {"at_least": 0.74, "at_most": 0.74}, 0.74, "holds"),
        ("roc_auc", {"at_least": 0.7, "at_most": 0.73}, 0.74, "violated"),
        ("roc_auc_low", {"at_least": 0.7}, 0.69, "violated"),
        ("value_per_1000", {"at_least": 0}, 12, "holds"),
        ("model_mb", {"at_most": 3}, 3.5, "violated"),
        # The worst declared slice falls 0.05 short of the rest, and 0.01 surely.
        ("slice_gap", {"at_most": 0.04}, 0.05, "violated"),
        ("slice_gap_low", {"at_most": 0.04}, 0.01, "holds"),
        # Calibration counts by its distance from 0.
        ("calibration_in_the_large", {"at_most": 0.02}, 0.03, "violated"),
    ],
)
def test_a_limit_is_checked_against_the_number_it_names(
    root: Path, name: str, limit: dict[str, float], value: float, state: str
) -> None:
    found = checked(root, name, **limit)
    assert found.value == pytest.approx(value)
    assert found.state == state


@pytest.mark.parametrize(
    ("name", "limit", "why"),
    [
        (
            "expected_calibration_error",
            {"at_most": 0.1},
            "has no interval and no verdict comes from it",
        ),
        ("calibration_in_the_large", {"at_least": -0.1}, "distance from 0; use at_most"),
    ],
)
def test_a_limit_that_means_nothing_is_refused(
    root: Path, name: str, limit: dict[str, float], why: str
) -> None:
    with pytest.raises(CrivoError, match=why):
        checked(root, name, **limit)


SCALES = metrics_of("binary")
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
    found = limitable(SCALES, {}, table, {})
    return found["slice_gap"], found["slice_gap_low"], found["slice_gap_high"]


def test_metrics_headline_and_size_can_be_limited() -> None:
    headline = {"value_per_1000": 12.0, "verdict": "better", "roc_auc": 0.71}
    found = limitable(SCALES, headline, slices(gap(-0.1, -0.2, 0.1)), {"model_mb": 3.5, "x": 1})
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
    assert limitable(SCALES, {name: value}, slices(), {})[name] == pytest.approx(distance)


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


def test_limits_are_printed_below_one_another() -> None:
    checked = [
        check_limit("roc_auc_low", Limit(at_least=0.6), 0.687151),
        check_limit("value_per_1000", Limit(at_least=-12000), 1803.5),
    ]
    assert limit_lines(checked) == [
        "holds  roc_auc_low     at least 0.6      0.6872",
        "holds  value_per_1000  at least −12,000  1,804",
    ]
