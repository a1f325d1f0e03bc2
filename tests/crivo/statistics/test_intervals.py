"""Standard errors, intervals, differences and verdicts."""

from math import inf, isnan, nan, sqrt

import numpy as np
import pytest
from scipy import stats
from scipy.stats import skew

from crivo.core.errors import CrivoError
from crivo.statistics import intervals
from crivo.statistics.jackknife import standard_error
from crivo.statistics.scale import Scale

AUC = Scale("roc_auc", "higher", (0, 1))
LOSS = Scale("log_loss", "lower", (0, inf))
IN_THE_LARGE = Scale("calibration_in_the_large", "nearest", (-1, 1), 0.0)


def series(*values):
    return np.array(values, dtype=float)


@pytest.mark.parametrize("deleted", [[], [0.5], [0.5, nan, 0.6]])
def test_without_two_values_or_with_a_gap_there_is_no_interval(deleted):
    estimate = intervals.Estimate(0.5, series(*deleted))
    assert all(isnan(number) for number in intervals.interval(estimate, (0, 1)))


def test_interval_is_that_of_the_t_test():
    numbers = np.array([0.3, 0.5, 0.1, 0.4, 0.9])
    estimate = intervals.Estimate(numbers.mean(), series(*((numbers.sum() - numbers) / 4)))
    expected = stats.ttest_1samp(numbers, 0).confidence_interval(0.95)
    found = intervals.interval(estimate)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("names", [("day 0", "day 7"), ("day 1", "day 0"), ()])
def test_other_clusters_are_not_compared(names):
    one = intervals.Estimate(0.1, series(0.1, 0.2), names=("day 0", "day 1"))
    with pytest.raises(CrivoError, match="roc_auc of two tables can't be compared"):
        intervals.difference(AUC, one, one._replace(names=names))


@pytest.mark.parametrize(
    ("low", "high", "of_auc", "of_loss"),
    [
        (0.01, 0.02, "better", "worse"),
        (-0.02, -0.01, "worse", "better"),
        (-0.01, 0.02, "undecided", "undecided"),
        (0.0, 0.02, "undecided", "undecided"),
        (-0.02, 0.0, "undecided", "undecided"),
        (0.0, 0.0, "identical", "identical"),
        (nan, nan, "undecided", "undecided"),
    ],
)
def test_verdict_is_whether_the_shown_interval_excludes_0(low, high, of_auc, of_loss):
    shown = intervals.Interval(0.01, low, high)
    assert intervals.verdict(shown, AUC) == of_auc
    assert intervals.verdict(shown, LOSS) == of_loss


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-0.01, 0.01, "equivalent"),
        (0.001, 0.009, "equivalent"),
        (0.001, 0.011, "better"),
        (-0.011, 0.001, "undecided"),
        (0.0, 0.0, "identical"),
    ],
)
def test_equivalent_lies_within_the_margin(low, high, expected):
    assert intervals.verdict(intervals.Interval(0.01, low, high), AUC, margin=0.01) == expected


def test_nearer_to_the_best_value_is_better():
    assert intervals.verdict(intervals.Interval(0.01, -0.03, -0.01), IN_THE_LARGE) == "better"
    assert intervals.verdict(intervals.Interval(0.01, 0.01, 0.03), IN_THE_LARGE) == "worse"


def test_smallest_detectable_difference_has_a_power_of_80_percent():
    numbers = np.random.default_rng(0).standard_normal(60)
    found = intervals.Estimate(0.0, series(*((numbers.sum() - numbers) / 59)))
    effect = intervals.smallest_detectable(1.0, found.clusters)
    power = stats.nct.sf(stats.t.ppf(0.975, 59), 59, effect)
    assert power == pytest.approx(0.8, abs=0.01)
    assert intervals.smallest_detectable(1.0, found.clusters, critical=3) > effect


def test_an_interval_that_reaches_far_beyond_all_odds_is_the_whole_range():
    assert intervals.interval(intervals.Estimate(0.001, series(0.5, 0.0)), (0, 1))[1:] == (0.0, 1.0)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_value_at_the_end_of_the_range_has_an_interval_that_ends_there(value):
    shown = intervals.interval(intervals.Estimate(value, series(value, value, 0.5)), (0, 1))
    assert value in shown[1:]
    assert 0 <= shown.low < shown.high <= 1


def test_a_difference_from_a_share_of_1_is_no_surer_than_that_share():
    perfect = intervals.Estimate(1.0, np.ones(9), exact=intervals.all_alike(1.0, 69))
    constant, shown = intervals.Estimate(0.5, np.full(9, 0.5)), intervals.interval(perfect, (0, 1))
    ends = intervals.interval(intervals.difference(AUC, perfect, constant))[1:]
    assert ends == pytest.approx((shown.low - 0.5, 0.5))
    critical = 2 * stats.t.ppf(0.975, 8)  # reaches twice as far
    wider = intervals.interval(intervals.difference(AUC, perfect, constant), critical=critical)
    assert wider.low == pytest.approx(0.5 - 2 * (1 - shown.low))
    beside = intervals.interval(intervals.difference(AUC, perfect, perfect))[1:]
    assert beside == pytest.approx((shown.low - 1, 1 - shown.low))


def test_unequal_clusters_have_the_degrees_of_freedom_of_their_effective_number():
    unequal = intervals.Estimate(0.5, series(0.4, 0.5, 0.6, 0.5), effective=2.5)
    se = standard_error(unequal.deleted)
    assert intervals.interval(unequal).high == pytest.approx(0.5 + stats.t.ppf(0.975, 1.5) * se)
    assert intervals.smallest_detectable(se, unequal.clusters) == pytest.approx(
        (stats.t.ppf(0.975, 1.5) + stats.t.ppf(0.8, 1.5)) * se
    )


@pytest.mark.parametrize(("effective", "clusters"), [(None, 4), (4.0, 4), (9.0, 4), (1.2, 2)])
def test_effective_clusters_are_two_at_least_and_no_more_than_there_are(effective, clusters):
    assert intervals.Estimate(0.5, series(0.4, 0.5, 0.6, 0.5), effective).clusters == clusters


def test_a_difference_has_the_fewer_effective_clusters_and_those_that_are_known():
    one, other = (intervals.Estimate(0.7, series(0.7, 0.6), number) for number in (1.7, 1.9))
    old = intervals.Estimate(0.7, series(0.7, 0.6))
    assert intervals.difference(AUC, one, other).effective == 1.7
    assert intervals.difference(AUC, old, other).effective == 1.9
    assert intervals.difference(AUC, old, old).effective is None


# --- metrics whose best value lies inside their range


@pytest.mark.parametrize(("one", "other", "expected"), [(0.2, -0.1, 0.1), (-0.2, 0.3, -0.1)])
def test_difference_of_a_metric_with_a_best_value_is_that_of_the_distances(one, other, expected):
    found = intervals.difference(
        IN_THE_LARGE,
        intervals.Estimate(one, series(one, one + 0.01)),
        intervals.Estimate(other, series(other, other + 0.03)),
    )
    assert found.value == pytest.approx(expected)
    moved = 0.01 * np.sign(one) - 0.03 * np.sign(other)
    assert found.deleted.tolist() == pytest.approx([expected, expected + moved])


def test_a_deleted_value_on_the_other_side_of_the_best_value_is_no_nearer():
    near = intervals.Estimate(0.01, series(-0.03, 0.01, 0.05))
    none = intervals.Estimate(0.0, series(0, 0, 0))
    assert standard_error(intervals.difference(IN_THE_LARGE, near, none).deleted) == pytest.approx(
        standard_error(near.deleted)
    )


@pytest.mark.parametrize(("spread", "low"), [(0.001, 0.02), (0.005, 0.0)])
def test_nearer_the_best_value_is_a_claim_only_when_both_sides_are_sure(spread, low):
    """0.03 and 0.01 above the best, or below it: then the sum and the difference change places.

    The errors are sqrt(11/12 · 12 · spread²), of the sum and of the difference alike.
    """
    one = intervals.Estimate(0.03, series(*[0.03 + spread * sign for sign in [1, -1] * 6]))
    other = intervals.Estimate(0.01, series(*[0.01 + spread * sign for sign in [1, 1, -1, -1] * 3]))
    found = intervals.interval(intervals.difference(IN_THE_LARGE, one, other))
    reach = stats.t.ppf(0.975, 11) * sqrt(11 * 2) * spread
    assert reach < low or low == 0
    if low:  # the sum 0.04 is surely above the difference 0.02
        assert found[1:] == pytest.approx((0.02 - reach, 0.02 + reach))
    else:  # the sum, 0.04 ± 0.05, may be negative: then the difference counts the other way
        assert reach > 0.04
        assert found.low < 0 < found.high


# --- the skewness of a mean, and what it foretells of verdicts about equal models


def test_it_is_the_sample_s_by_the_root_of_the_number() -> None:
    values = np.random.default_rng(0).exponential(size=300)
    assert intervals.skewness_of_mean(values, 900) == pytest.approx(skew(values) / 30)
    assert intervals.skewness_of_mean(np.full(9, 2.5), 9) == 0
