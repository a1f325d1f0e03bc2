"""Limits: each with its value and verdict, read from the small files of an evaluation."""

import json
from pathlib import Path

import pytest

from crivo.comparison.limits import CheckedLimit, check_experiment_limits
from crivo.core.errors import CrivoError
from crivo.core.params import Limit

METRICS = {"roc_auc": 0.74, "roc_auc_low": 0.69, "value_per_1000": 12.0, "verdict": "better"}
METRICS |= {"calibration_slope": 0.8, "calibration_slope_low": 0.7}
SLICES = """slice,kind,column,status,roc_auc,calibration_in_the_large,judged_by,difference,\
difference_low,difference_high
all rows,all,,whole,0.71,-0.03,,,,
shop = a,column,shop,judged,0.70,0,roc_auc,-0.05,-0.09,-0.01
shop = b,column,shop,judged,0.78,0,roc_auc,0.05,0.01,0.09
shop = c,column,shop,too small: at least 100 rows are needed,,,,,,
shop = d,column,shop,judged,0.71,0,roc_auc,-0.04,-0.06,-0.02
x > 3,segment,,judged,0.5,0,log_loss,0.9,0.8,1.0
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "metrics" / "evaluation"
    folder.mkdir(parents=True)
    about = {"task": "binary", "model_mb": 3.5}
    (folder / "evaluation.json").write_text(json.dumps(about))
    (folder / "metrics.json").write_text(json.dumps(METRICS))
    (folder / "slices.csv").write_text(SLICES)
    return tmp_path


def checked(root: Path, name: str, **limit: float) -> CheckedLimit:
    (found,) = check_experiment_limits({name: Limit(**limit)}, root)
    return found


@pytest.mark.parametrize(
    ("name", "limit", "value", "state"),
    [
        ("roc_auc", {"at_least": 0.74}, 0.74, "holds"),
        ("roc_auc", {"at_most": 0.74}, 0.74, "holds"),
        ("roc_auc", {"at_least": 0, "at_most": 0.7}, 0.74, "violated"),
        ("roc_auc_low", {"at_least": 0.7}, 0.69, "violated"),
        ("value_per_1000", {"at_least": -999.6}, 12, "holds"),
        ("model_mb", {"at_most": 3}, 3.5, "violated"),
        ("predict_ms", {"at_most": 3}, None, "not measured"),
        # The worst declared slice falls 0.05 short of the rest, another one surely 0.02.
        ("slice_gap", {"at_most": 0.04}, 0.05, "violated"),
        ("slice_gap_low", {"at_most": 0.04}, 0.02, "holds"),
        ("slice_gap_high", {"at_most": 0.08}, 0.09, "violated"),
        # Calibration counts by its distance from 0, a slope from 1, but not an end of its interval.
        ("calibration_in_the_large", {"at_most": 0.02}, 0.03, "violated"),
        ("calibration_slope", {"at_most": 0.1}, 0.2, "violated"),
        ("calibration_slope_low", {"at_least": 0.7}, 0.7, "holds"),
    ],
)
def test_a_limit_is_checked_against_the_number_it_names(
    root: Path, name: str, limit: dict[str, float], value: float | None, state: str
) -> None:
    """A limit is told as it was given; latency is measured only for a limit on it."""
    clocks = None if value is None else pytest.fail
    (found,) = check_experiment_limits({name: Limit(**limit)}, root, latency=clocks)
    assert found.value == (value if value is None else pytest.approx(value))
    words = [f"{end} {value}" for end, value in limit.items()]
    assert found.limit == " and ".join(words).translate({95: " ", 45: "−"})
    assert (found.state, found.among) == (state, 1)


@pytest.mark.parametrize(("kept", "gap"), [("shop = d", 0.04), ("shop = b", 0.0), ("none", None)])
def test_a_gap_needs_a_compared_slice_of_a_column(root: Path, kept: str, gap: float | None) -> None:
    lines = [one for one in SLICES.splitlines() if ",shop,judged," not in one or kept in one]
    (root / "metrics/evaluation/slices.csv").write_text("\n".join(lines))
    found = checked(root, "slice_gap", at_most=1000)
    assert (found.value, found.limit) == (gap, "at most 1,000")


def test_a_limit_that_means_nothing_is_refused(root: Path) -> None:
    with pytest.raises(CrivoError, match="is measured; did .*there are: .*roc_auc_low"):
        checked(root, "expected_calibration_error", at_most=0.1)
    with pytest.raises(CrivoError, match="distance from 0; use at_most"):
        checked(root, "calibration_in_the_large", at_least=-0.1)
