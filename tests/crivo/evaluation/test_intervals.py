"""Standard errors, intervals, differences, critical values and verdicts."""

from __future__ import annotations

from math import inf, isnan, nan, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from crivo.core.errors import CrivoError
from crivo.evaluation.intervals import (
    Estimate,
    Interval,
    autocorrelation,
    critical_value,
    difference,
    interval,
    looks_serial,
    smallest_detectable,
    standard_error,
    t_quantile,
    verdict,
)
from crivo.evaluation.metrics import metrics_of

AUC = metrics_of("binary")["roc_auc"]
LOSS = metrics_of("binary")["log_loss"]
IN_THE_LARGE = metrics_of("binary")["calibration_in_the_large"]
SLOPE = metrics_of("binary")["calibration_slope"]


def series(*values):
    return pd.Series(values, [f"day {i}" for i in range(len(values))], dtype=float)


def test_standard_error_worked_out_by_hand():
    # mean 2, squared distances 1, 0, 1; times (3 - 1) / 3
    assert standard_error(series(1, 2, 3)) == pytest.approx(sqrt(4 / 3))


@given(st.lists(st.floats(-100, 100), min_size=3, max_size=30))
def test_standard_error_of_a_mean_is_the_textbook_one(numbers):
    numbers = np.array(numbers)
    deleted = (numbers.sum() - numbers) / (len(numbers) - 1)
    assert standard_error(series(*deleted)) == pytest.approx(stats.sem(numbers), abs=1e-9)


@pytest.mark.parametrize("deleted", [[], [0.5], [0.5, nan, 0.6]])
def test_without_two_values_or_with_a_gap_there_is_no_interval(deleted):
    estimate = Estimate(0.5, series(*deleted))
    assert all(isnan(number) for number in interval(estimate, (0, 1)))


def test_interval_is_that_of_the_t_test():
    numbers = np.array([0.3, 0.5, 0.1, 0.4, 0.9])
    estimate = Estimate(numbers.mean(), series(*((numbers.sum() - numbers) / 4)))
    expected = stats.ttest_1samp(numbers, 0).confidence_interval(0.95)
    found = interval(estimate)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_interval_is_cut_off_at_the_range():
    estimate = Estimate(0.5, series(0.2, 0.5, 0.8))
    assert interval(estimate, (0.1, 0.9))[1:] == (0.1, 0.9)
    assert interval(estimate, (0, inf)).high > 1


def test_critical_value_widens_the_interval():
    estimate = Estimate(0.5, series(0.4, 0.5, 0.6))
    found = interval(estimate, critical=10)
    assert found.high - found.low == pytest.approx(20 * found.se)


def test_t_quantile_has_one_degree_of_freedom_less_than_clusters():
    assert t_quantile(0.975, 12) == pytest.approx(stats.t.ppf(0.975, 11))
    assert t_quantile(0.975, 2) == pytest.approx(12.706, abs=0.001)
    assert isnan(t_quantile(0.975, 1))


def test_jackknife_of_a_difference_is_the_difference_of_jackknives():
    found = difference(AUC, Estimate(0.8, series(0.7, 0.9)), Estimate(0.7, series(0.7, 0.6)))
    assert found.value == pytest.approx(0.1)
    assert found.deleted.tolist() == pytest.approx([0.0, 0.3])


@pytest.mark.parametrize(("one", "other", "expected"), [(0.2, -0.1, 0.1), (-0.2, 0.3, -0.1)])
def test_difference_of_a_metric_with_a_best_value_is_that_of_the_distances(one, other, expected):
    found = difference(
        IN_THE_LARGE,
        Estimate(one, series(one, one + 0.01)),
        Estimate(other, series(other, other + 0.03)),
    )
    assert found.value == pytest.approx(expected)
    moved = 0.01 * np.sign(one) - 0.03 * np.sign(other)
    assert found.deleted.tolist() == pytest.approx([expected, expected + moved])


def test_distances_are_those_from_the_best_value():
    found = difference(SLOPE, Estimate(1.2, series(1.1, 1.3)), Estimate(0.9, series(0.8, 1.0)))
    assert found.value == pytest.approx(0.2 - 0.1)
    assert found.deleted.tolist() == pytest.approx([0.1 - 0.2, 0.3 - 0.0])


def test_the_best_value_itself_counts_as_above():
    best = Estimate(0.0, series(-0.01, 0.02))
    found = difference(IN_THE_LARGE, best, Estimate(0.1, series(0.1, 0.1)))
    assert found.deleted.tolist() == pytest.approx([-0.11, -0.08])


def test_a_deleted_value_on_the_other_side_of_the_best_value_is_no_nearer():
    near = Estimate(0.01, series(-0.03, 0.01, 0.05))
    none = Estimate(0.0, series(0, 0, 0))
    assert standard_error(difference(IN_THE_LARGE, near, none).deleted) == pytest.approx(
        standard_error(near.deleted)
    )


def test_other_clusters_are_not_compared():
    other = pd.Series([0.1, 0.2], ["day 0", "day 7"])
    with pytest.raises(CrivoError, match="roc_auc of two tables can't be compared"):
        difference(AUC, Estimate(0.1, series(0.1, 0.2)), Estimate(0.1, other))


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
    shown = Interval(0.01, low, high)
    assert verdict(shown, AUC) == of_auc
    assert verdict(shown, LOSS) == of_loss


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
    assert verdict(Interval(0.01, low, high), AUC, margin=0.01) == expected


def test_nearer_to_the_best_value_is_better():
    assert verdict(Interval(0.01, -0.03, -0.01), IN_THE_LARGE) == "better"
    assert verdict(Interval(0.01, 0.01, 0.03), IN_THE_LARGE) == "worse"


def draws(clusters, columns, seed=0):
    return pd.DataFrame(np.random.default_rng(seed).standard_normal((clusters, columns)))


def test_critical_value_of_one_candidate_is_that_of_t():
    assert critical_value(draws(12, 1)) == pytest.approx(stats.t.ppf(0.975, 11))


def test_equal_candidates_count_as_one():
    one = draws(12, 1)[0]
    found = critical_value(pd.DataFrame({"a": one, "b": one, "c": -one}))
    assert found == pytest.approx(stats.t.ppf(0.975, 11), rel=0.03)


def test_more_candidates_are_never_easier_than_one():
    twice = pd.concat([draws(12, 1), draws(12, 1)], axis=1)
    assert min(critical_value(twice, seed=seed) for seed in range(8)) >= stats.t.ppf(0.975, 11)


@pytest.mark.parametrize(("clusters", "columns"), [(12, 2), (12, 5), (6, 5), (6, 8), (6, 30)])
def test_one_test_in_twenty_of_equals_exceeds_the_critical_value(clusters, columns):
    differences = draws(clusters, columns)
    differences[columns - 1] += 2 * differences[columns - 2]
    random = np.random.default_rng(1)
    correlation = differences.corr().to_numpy()
    shape = (20_000, clusters)
    samples = random.multivariate_normal(np.zeros(columns), correlation, shape, method="eigh")
    greatest = np.abs(stats.ttest_1samp(samples, 0, axis=1).statistic).max(axis=1)
    # Both sides are drawn: their errors are 0.0015 and 0.0022.
    assert (greatest > critical_value(differences)).mean() == pytest.approx(0.05, abs=0.006)


def test_critical_value_of_many_independent_candidates():
    """Each T has an error of its own, so independent ones need Šidák's level exactly."""
    independent = pd.DataFrame(np.linalg.qr(draws(12, 11) - draws(12, 11).mean())[0])
    found = critical_value(independent)
    assert found == pytest.approx(stats.t.ppf((1 + 0.95 ** (1 / 11)) / 2, 11), rel=0.015)


def test_another_seed_gives_nearly_the_same_critical_value():
    found = [critical_value(draws(6, 5), seed=seed) for seed in range(6)]
    assert np.std(found) < 0.03


def test_many_candidates_and_clusters_need_no_more_than_their_level():
    """Fewer draws are made there."""
    many = draws(150, 100)
    limit = stats.t.ppf((1 + 0.95 ** (1 / 100)) / 2, 149)
    assert stats.t.ppf(0.975, 149) + 1 < critical_value(many) < 1.03 * limit


@pytest.mark.parametrize("columns", [5, 40])
def test_the_order_of_the_candidates_is_no_matter(columns):
    differences = draws(12, columns)
    assert critical_value(differences[differences.columns[::-1]]) == critical_value(differences)


@pytest.mark.parametrize("columns", [5, 40])
def test_rounding_moves_the_critical_value_by_no_more_than_rounding(columns):
    differences = draws(12, columns)
    differences[1] = differences[0]
    differences.iloc[11] = 0.5  # ties, wherever the candidates are put in order
    moved = differences + 1e-13 * draws(12, columns, seed=1)
    assert critical_value(moved) == pytest.approx(critical_value(differences), rel=1e-6)


def test_how_much_better_a_candidate_is_does_not_change_its_critical_value():
    moved = draws(12, 3).add([0, 10, -5], axis="columns")
    assert critical_value(moved) == pytest.approx(critical_value(draws(12, 3)))


def test_more_candidates_than_clusters_are_no_trouble():
    assert critical_value(draws(8, 40)) > stats.t.ppf(0.975, 7)


def test_candidates_without_a_difference_or_with_a_gap_do_not_count():
    differences = draws(12, 2)
    more = differences.assign(same=0.0, gap=[nan] + [1.0] * 11)
    assert critical_value(more) == critical_value(differences)
    none = pd.DataFrame({"same": np.zeros(12)})
    assert critical_value(none) == pytest.approx(stats.t.ppf(0.975, 11))


def test_critical_value_is_the_same_every_time():
    assert critical_value(draws(12, 5)) == critical_value(draws(12, 5), seed=0)
    assert critical_value(draws(12, 5), seed=1) != critical_value(draws(12, 5))


def test_smallest_detectable_difference_has_a_power_of_80_percent():
    numbers = np.random.default_rng(0).standard_normal(60)
    found = Estimate(0.0, series(*((numbers.sum() - numbers) / 59)))
    effect = smallest_detectable(found) / standard_error(found.deleted)
    power = stats.nct.sf(stats.t.ppf(0.975, 59), 59, effect)
    assert power == pytest.approx(0.8, abs=0.01)
    assert smallest_detectable(found, critical=3) > smallest_detectable(found)


def test_between_0_and_1_an_interval_is_that_of_the_log_odds():
    estimate = Estimate(0.99, series(0.985, 0.99, 0.992, 0.993))
    odds = [np.log(value / (1 - value)) for value in (0.985, 0.99, 0.992, 0.993)]
    reach = stats.t.ppf(0.975, 3) * sqrt(3 / 4 * 4 * np.var(odds))
    shown = interval(estimate, (0, 1))
    ends = 1 / (1 + np.exp(-(np.log(99) + np.array([-reach, reach]))))
    assert shown[1:] == pytest.approx(ends)
    assert shown.se == pytest.approx(standard_error(estimate.deleted))
    assert 0.99 - shown.low > shown.high - 0.99


def test_log_odds_that_are_infinite_take_the_slope_at_the_value():
    estimate = Estimate(0.9, series(0.8, 0.9, 1.0))
    reach = stats.t.ppf(0.975, 2) * standard_error(estimate.deleted) / (0.9 * 0.1)
    shown = interval(estimate, (0, 1))
    assert shown.high == pytest.approx(1 / (1 + np.exp(-np.log(9) - reach)))


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_value_at_the_end_of_the_range_has_an_interval_that_ends_there(value):
    shown = interval(Estimate(value, series(value, value, 0.5)), (0, 1))
    assert value in shown[1:]
    assert 0 <= shown.low < shown.high <= 1


def test_in_the_middle_the_log_odds_change_little():
    estimate = Estimate(0.6, series(0.59, 0.6, 0.61))
    linear = interval(estimate)
    assert interval(estimate, (0, 1))[1:] == pytest.approx(linear[1:], abs=0.003)


def test_unequal_clusters_have_the_degrees_of_freedom_of_their_effective_number():
    unequal = Estimate(0.5, series(0.4, 0.5, 0.6, 0.5), effective=2.5)
    se = standard_error(unequal.deleted)
    assert interval(unequal).high == pytest.approx(0.5 + stats.t.ppf(0.975, 1.5) * se)
    assert smallest_detectable(unequal) == pytest.approx(
        (stats.t.ppf(0.975, 1.5) + stats.t.ppf(0.8, 1.5)) * se
    )


@pytest.mark.parametrize(("effective", "clusters"), [(None, 4), (4.0, 4), (9.0, 4), (1.2, 2)])
def test_effective_clusters_are_two_at_least_and_no_more_than_there_are(effective, clusters):
    assert Estimate(0.5, series(0.4, 0.5, 0.6, 0.5), effective).clusters == clusters


def test_a_difference_has_the_fewer_effective_clusters_and_those_that_are_known():
    one, other = (Estimate(0.7, series(0.7, 0.6), number) for number in (1.7, 1.9))
    old = Estimate(0.7, series(0.7, 0.6))
    assert difference(AUC, one, other).effective == 1.7
    assert difference(AUC, old, other).effective == 1.9
    assert difference(AUC, old, old).effective is None


@pytest.mark.parametrize("effective", [9.3, 4.6, 1.5])
def test_candidates_on_unequal_clusters_need_more(effective):
    """Between the value of one candidate and that of independent ones (Šidák)."""
    freedom = max(effective - 1, 1)
    sidak = stats.t.ppf((1 + 0.95 ** (1 / 6)) / 2, freedom)
    found = critical_value(draws(12, 6), effective=effective)
    assert stats.t.ppf(0.975, freedom) < found < sidak * 1.1
    assert found > critical_value(draws(12, 6))


def test_autocorrelation_worked_out_by_hand():
    # distances -1, 1, -1, 1: three products of -1 over four squares
    assert autocorrelation(series(1, 3, 1, 3)) == pytest.approx(-3 / 4)
    assert isnan(autocorrelation(series(0.5, 0.5 + 1e-16, 0.5)))
    assert isnan(autocorrelation(series(0.5, nan, 0.7)))


def test_rounding_is_no_autocorrelation_whatever_the_unit():
    assert isnan(autocorrelation(series(1e6, 1e6 + 2e-10, 1e6)))
    assert autocorrelation(series(1e-9, 3e-9, 1e-9, 3e-9)) == pytest.approx(-3 / 4)
    with np.errstate(invalid="raise"):
        assert isnan(autocorrelation(series(0, 0, 0)))


def test_alike_neighbours_are_noticed():
    assert looks_serial(series(*np.sin(np.arange(60) / 8)))
    assert not looks_serial(series(*np.random.default_rng(0).standard_normal(60)))
    assert not looks_serial(series(*[0.5] * 60))


def test_the_limit_of_autocorrelation_falls_with_the_clusters():
    # a step in the middle: of 8 values it gives 1.25 / 2 = .625, below 2 / sqrt(8) = .707;
    # of 10 values 1.75 / 2.5 = .7, above 2 / sqrt(10) = .632
    assert not looks_serial(series(*[1] * 4, *[0] * 4))
    assert looks_serial(series(*[1] * 5, *[0] * 5))
    # products 1 1 -1 1 1 over six squares: just the limit of 16 values, 2 / sqrt(16)
    assert not looks_serial(series(*[0] * 5, 1, 1, 1, -1, -1, -1, *[0] * 5))


@pytest.mark.parametrize(("spread", "low"), [(0.001, 0.02), (0.005, 0.0)])
def test_nearer_the_best_value_is_a_claim_only_when_both_sides_are_sure(spread, low):
    """0.03 and 0.01 above the best, or below it: then the sum and the difference change places.

    The errors are sqrt(11/12 · 12 · spread²), of the sum and of the difference alike.
    """
    one = Estimate(0.03, series(*[0.03 + spread * sign for sign in [1, -1] * 6]))
    other = Estimate(0.01, series(*[0.01 + spread * sign for sign in [1, 1, -1, -1] * 3]))
    found = interval(difference(IN_THE_LARGE, one, other))
    reach = stats.t.ppf(0.975, 11) * sqrt(11 * 2) * spread
    assert reach < low or low == 0
    if low:  # the sum 0.04 is surely above the difference 0.02
        assert found[1:] == pytest.approx((0.02 - reach, 0.02 + reach))
    else:  # the sum, 0.04 ± 0.05, may be negative: then the difference counts the other way
        assert reach > 0.04
        assert found.low < 0 < found.high


def test_distances_surely_on_one_side_are_compared_as_before():
    far = Estimate(0.5, series(0.5, 0.501, 0.499, 0.5))
    near = Estimate(0.4, series(0.4, 0.4, 0.4, 0.4))
    shown = interval(difference(IN_THE_LARGE, far, near))
    linear = interval(Estimate(0.1, series(0.1, 0.101, 0.099, 0.1)))
    assert shown == pytest.approx(linear)


def test_equal_distances_of_unsure_sides_are_rarely_called_different():
    """Two models of bias +0.02 and -0.02, each with an error of 0.02: the old way claims often."""
    random = np.random.default_rng(0)
    wrong = 0
    for _ in range(400):
        rows = random.normal([0.02, -0.02], 0.08, (16, 2))
        one, other = (
            Estimate(column.mean(), pd.Series((column.sum() - column) / 15)) for column in rows.T
        )
        shown = interval(difference(IN_THE_LARGE, one, other))
        wrong += shown.low > 0 or shown.high < 0
    assert wrong <= 0.06 * 400
