"""Differences corrected for all the trials that were made on the same rows."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import pytest
from scipy.stats import t

from crivo.evaluation.metrics import metrics_of
from crivo.experiments.families import (
    Family,
    cautious_critical,
    differ,
    goodness,
)
from crivo.experiments.records import Record
from crivo.repository.commits import Origin
from crivo.repository.git import Blob
from tests.crivo.experiments.repository import ONE_WAY, OTHER_WAY, evaluation_files, spread

AUC = metrics_of("binary")["roc_auc"]
LOSS = metrics_of("binary")["log_loss"]
# Student's t with 8 degrees of freedom, from a table.
T975, T80 = 2.306004, 0.888890


def record(name: str, value: float, step: float = 0.0, pattern: Sequence[int] = ONE_WAY,
           metric: str = "roc_auc", **more: Any) -> Record:  # fmt: skip
    files = evaluation_files({metric: spread(value, step, pattern)}, **more)
    blobs = {path: Blob(name + path, text.encode()) for path, text in files.items()}
    return Record(Origin(name, name, None, "Ana", 0, ""), blobs)


MAIN = record("main", 0.70)
# se = 8/3 * .003 = .008, so t = 2.5 with 8 degrees of freedom.
GOOD = record("good", 0.72, 0.003)
OTHER = record("other", 0.70, 0.003, OTHER_WAY)


def family(*records: Record, pairwise: bool = False) -> Family:
    return Family(records, lambda _: MAIN, pairwise)


def test_one_trial_is_judged_by_student_s_t() -> None:
    critical = family(MAIN, GOOD).critical("r1", AUC)
    found = differ(GOOD, MAIN, AUC, critical)
    assert critical == pytest.approx(T975, rel=1e-6)
    assert found.value == pytest.approx(0.02)
    assert found.shown == pytest.approx((0.008, 0.02 - T975 * 0.008, 0.02 + T975 * 0.008), rel=1e-6)
    assert found.minimum_detectable == pytest.approx((T975 + T80) * 0.008, rel=1e-5)
    assert found.verdict == "better"


def test_the_same_result_is_undecided_when_another_trial_was_made() -> None:
    """Two uncorrelated trials need 2.74 standard errors, and this one has 2.5."""
    critical = family(MAIN, GOOD, OTHER).critical("r1", AUC)
    # The quantile of t with 8 degrees of freedom at Šidák's level for two, (1 + √0.95) / 2.
    assert critical == pytest.approx(2.743, abs=0.02)
    assert differ(GOOD, MAIN, AUC, critical).verdict == "undecided"


def test_a_lower_loss_is_better() -> None:
    main, good = (record(name, value, step, metric="log_loss") for name, value, step in
                  (("main", 0.50, 0.0), ("good", 0.48, 0.003)))  # fmt: skip
    assert differ(good, main, LOSS, T975).verdict == "better"
    assert differ(main, good, LOSS, T975).verdict == "worse"


def test_a_difference_inside_the_margin_is_equivalent() -> None:
    """0.02 ± 0.0184 lies within ±0.04 and not within ±0.03."""
    assert differ(GOOD, MAIN, AUC, T975, margin=0.04).verdict == "equivalent"
    assert differ(GOOD, MAIN, AUC, T975, margin=0.03).verdict == "better"


def test_equal_predictions_are_identical_whatever_rounding_left() -> None:
    one = record("one", 0.70, predictions="same")
    other = record("other", 0.7000000001, predictions="same")
    found = differ(other, one, AUC, T975)
    assert (found.value, found.verdict) == (0.0, "identical")


def test_trials_with_equal_predictions_count_once_and_those_of_the_reference_never() -> None:
    again = record("again", 0.72, 0.003)
    copy = record("copy", 0.70)
    found = family(MAIN, copy, GOOD, again).trials("r1")
    assert [one.name for one in found] == ["good"]


def test_trials_on_other_rows_don_t_count() -> None:
    elsewhere = record("elsewhere", 0.72, 0.003, rows="r2")
    assert family(MAIN, GOOD, elsewhere).trials("r1") == [GOOD]


def test_a_trial_that_can_t_be_read_doesn_t_count() -> None:
    assert family(MAIN, GOOD, Record(Origin("old", "old", None, "", 0, ""), {})).trials("r1") == [
        GOOD
    ]


def test_the_order_of_the_trials_changes_nothing() -> None:
    one, other = family(MAIN, GOOD, OTHER), family(OTHER, GOOD, MAIN)
    assert one.critical("r1", AUC) == other.critical("r1", AUC)


def test_when_the_reference_is_the_best_of_them_every_pair_counts() -> None:
    single = family(MAIN, GOOD, OTHER).critical("r1", AUC)
    assert family(MAIN, GOOD, OTHER, pairwise=True).critical("r1", AUC) > single


def test_the_cautious_value_is_sidak_s() -> None:
    """Of 10 independent trials each may fail with 1 - .95 ** .1 = .00512."""
    expected = t.ppf(1 - 0.0051162 / 2, 8)
    assert cautious_critical(10, clusters=9) == pytest.approx(expected, rel=1e-4)
    assert cautious_critical(1, clusters=9) == pytest.approx(T975, rel=1e-6)


def test_a_value_near_its_best_is_good() -> None:
    slope = metrics_of("binary")["calibration_slope"]
    assert goodness(slope, 1.1) > goodness(slope, 0.8)
    assert goodness(LOSS, 0.1) > goodness(LOSS, 0.2)
    assert goodness(AUC, 0.2) > goodness(AUC, 0.1)


def test_the_standard_error_is_the_jackknife_s() -> None:
    assert differ(GOOD, MAIN, AUC, T975).shown.se == pytest.approx(sqrt(8 / 9 * 8 * 0.003**2))


def test_verdicts_count_effective_clusters_also_where_only_one_of_two_says_them() -> None:
    """Nine clusters that say as much as five: 4 degrees of freedom; an old record says nothing."""
    main = record("main", 0.70, effective_clusters=5.0)
    for good in (GOOD, record("good", 0.72, 0.003, effective_clusters=5.0)):
        found = Family([main, good], lambda _: main)
        critical = found.critical("r1", AUC)
        assert critical == pytest.approx(t.ppf(0.975, 4))
        shown = differ(good, main, AUC, critical)
        assert shown.minimum_detectable == pytest.approx(
            (t.ppf(0.975, 4) + t.ppf(0.8, 4)) * 0.008, rel=1e-5
        )
        assert shown.verdict == "undecided"  # 2.5 standard errors, and 2.78 are needed
