"""What was chosen by its result: found in the history, shown in compare, allowed for in limits."""

import json

import pytest
from scipy.stats import t

from crivo.comparison.compare import compare
from crivo.comparison.limits import CheckedLimit, check_experiment_limits
from crivo.comparison.selection import Selected, selected, workspace_selection
from crivo.core.params import Limit
from crivo.records.history import read_history
from tests.crivo.experiments.repository import Project, evaluated
from tests.crivo.experiments.tried import GOOD, OTHER, SLOW, TEST


def found(project: Project, name: str) -> Selected | None:
    history = read_history(project.folder)
    return selected(history.find(name), history)


def test_test_rows_never_choose_nor_does_anybody_choose_from_one(project: Project) -> None:
    project.commit(evaluated(0.7))
    assert found(project, "main") is None
    files = evaluated(0.7, settings=TEST, split="test")
    project.commit(files)
    better = evaluated(0.8, 0.003, settings=TEST, split="test")
    project.trial("slow-test", better)
    assert found(project, "slow-test") is None


def test_the_best_is_shown_with_its_estimate_after_selection(tried: Project) -> None:
    tried.trial("other", OTHER)
    result = compare(folder=tried.folder)
    (row,) = result.after_selection
    assert row.name == "slow"
    assert (row.among, row.known, row.metric) == (3, 3, "roc_auc")
    tried.trial("even", evaluated(0.72, 0.002))
    assert {one.name for one in compare(folder=tried.folder).after_selection} == {"slow", "even"}
    assert compare(["other", "main"], folder=tried.folder).after_selection == ()


def put(project: Project, files: dict[str, str], **metrics: float) -> None:
    """Write an evaluation into the workspace, with the files that limits are read from."""
    slices = "slice,kind,status,brier,brier_low,brier_high,judged_by,difference"
    slices += ",difference_low,difference_high\nall,all,all,0.1,0.09,.2,,,,\n"
    slices += "a,column,judged,,,,brier,.2,.1,.3\n"
    more = {"metrics/evaluation/metrics.json": json.dumps(metrics)}
    more["metrics/evaluation/slices.csv"] = slices
    for path, text in {**files, **more}.items():
        (project.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (project.folder / path).write_text(text)


def check(project: Project, name: str, **limit: float) -> CheckedLimit:
    chosen = workspace_selection(project.folder)
    (one,) = check_experiment_limits({name: Limit(**limit)}, project.folder, selected=chosen)
    return one


NUMBERS = {"roc_auc": 0.72, "roc_auc_low": 0.70, "roc_auc_high": 0.74, "value_per_1000": 10.0,
           "value_per_1000_low": 6.0, "value_per_1000_high": 14.0, "verdict": "better",
           "calibration_slope": 0.8, "calibration_slope_low": 0.7,
           "calibration_slope_high": 1.1}  # fmt: skip


def test_of_numbers_that_only_its_own_files_hold_the_interval_is_widened(tried: Project) -> None:
    put(tried, GOOD, **NUMBERS)
    ratio = t.ppf((1 + 0.95**0.5) / 2, 8) / t.ppf(0.975, 8)
    low = check(tried, "value_per_1000_low", at_least=0)
    assert (low.value, low.among) == (pytest.approx(10 - 4 * ratio), 2)
    # A slope is best at 1; the distance from there is no end of its interval, 0.9 ± 0.2.
    low = check(tried, "calibration_slope_low", at_least=0)
    assert (low.value, low.among) == (pytest.approx(0.9 - 0.2 * ratio), 2)
    unchanged = {"value_per_1000": 10, "calibration_slope": 0.2, "slice_gap_high": 0.3}
    for name, value in unchanged.items():
        one = check(tried, name, at_most=99)
        assert (one.value, one.among) == (pytest.approx(value), 1)
    assert (check(tried, "brier_high", at_most=1).value or 0) > 0.2


def test_what_is_not_recorded_yet_was_chosen_by_its_result(tried: Project) -> None:
    put(tried, evaluated(0.75, 0.003, settings=SLOW), **NUMBERS)
    assert check(tried, "roc_auc_low", at_least=0.7).among == 3
