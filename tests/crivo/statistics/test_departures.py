"""What an interval allows for beside independent normal clusters, by tables and by hand."""

from math import sqrt

import numpy as np
import pytest
from scipy.stats import chi2, norm, skew, t

from crivo.statistics import departures
from crivo.statistics.departures import NONE, Departures, of_clusters, of_neighbours, of_skewness
from crivo.statistics.intervals import Estimate, interval

# The root of Student's: a standard error of the skewness of twelve normal values, 0.637 (SES).
SES = sqrt(6 * 12 * 11 / (10 * 13 * 15))


def without(values: np.ndarray) -> np.ndarray:
    """Return the mean without each value."""
    return (values.sum(axis=-1, keepdims=True) - values) / (values.shape[-1] - 1)


def test_without_a_departure_an_interval_is_that_of_t() -> None:
    assert departures.reaches(2.5, 12, NONE) == (2.5, 2.5)
    assert of_skewness(-0.2) == Departures(0.2, 0.0)
    both = {"a": Departures(0.1, 0.0, 0.3), "b": of_skewness(0.2)}
    assert departures.all_of(both) == Departures(0.1, 0.2, 0.3)


@pytest.mark.parametrize(("count", "upper"), [(1, 5.572), (4, 10.242), (10, 18.391), (50, 65.919)])
def test_to_the_side_of_a_tail_it_reaches_as_far_as_of_a_count(count: int, upper: float) -> None:
    """The upper 97.5 % limits of Poisson counts are Garwood's (1936)."""
    assert upper == pytest.approx(chi2.ppf(0.975, 2 * count + 2) / 2, abs=1e-3)
    below, above = departures.reaches(t.ppf(0.975, 10_000), 10_001, of_skewness(1 / sqrt(count)))
    assert below == pytest.approx(1.96, abs=1e-3)
    assert above == pytest.approx((upper - count) / sqrt(count), abs=1e-3)


def test_neighbours_that_are_alike_are_fewer_clusters_with_a_larger_error() -> None:
    """R = 0.5: the variance of a mean is 3 times as large, and estimated 9 / 11 of what it is."""
    assert departures.serial_factor(0.5, 12) == pytest.approx(sqrt(3 * 11 / 9))
    assert departures.serial_factor(0.5, 3) == pytest.approx(sqrt(3 * 2 / 1))
    # 12 * (1 - 0.25) / (1 + 0.25) = 7.2 clusters
    for clusters, freedom in ((12, 6.2), (3, 2)):
        critical = t.ppf(0.975, clusters - 1)
        below, above = departures.reaches(critical, clusters, Departures(serial=0.5))
        assert below == above == pytest.approx(t.ppf(0.975, freedom))
    deleted = without(np.array([1.0, 2, 3, 4, 3, 2, 1, 2, 3, 4, 3, 2]))
    plain = Estimate(2.5, deleted)
    wider = plain._replace(departures=Departures(serial=0.5))
    assert interval(wider).se == pytest.approx(sqrt(33 / 9) * interval(plain).se)
    reach = t.ppf(0.975, 6.2) * interval(wider).se
    assert interval(wider)[1:] == pytest.approx((2.5 - reach, 2.5 + reach))


@pytest.mark.parametrize(("count", "most"), [(8, 4), (12, 4), (36, 2)])
def test_a_skewness_that_may_be_chance_counts_as_it_is_and_another_several_times(
    count: int, most: int
) -> None:
    """1 + 36 / clusters times, and four times at most."""
    little = norm.ppf((np.arange(count) + 0.5) / count)
    for values, times in ((little + little**2 / 9, 1), (np.exp(little), most)):
        expected = times * skew(values) / sqrt(count)
        assert of_clusters(without(values)[None], count) == pytest.approx((0, expected, 0))
        assert of_clusters(without(-values)[None], count) == pytest.approx((expected, 0, 0))


def test_a_skewness_of_few_clusters_is_unknown_and_may_be_more() -> None:
    random = np.random.default_rng(0)
    little, much = random.standard_normal(12), np.exp(random.standard_normal(12))
    assert abs(skew(little)) < 1.64 * SES < skew(much)
    assert of_clusters(without(much[:7])[None], 7) == NONE  # too few to show a shape
    # With an error more; twelve clusters leave 1 + 4 / 12 of it open.
    seen = skew(little) + 4 / 3 * sqrt(6 * 10 / (13 * 15))
    assert of_clusters(without(little)[None], 12, more=1).above == pytest.approx(seen / sqrt(12))


def test_what_the_trials_before_show_together_counts_too() -> None:
    """Each of 30 samples of log-normal clusters may be chance; all of them aren't."""
    values = np.exp(0.5 * np.random.default_rng(1).standard_normal((30, 12)))
    skews = skew(values, axis=1)
    last = int(np.argmin(np.abs(skews - 0.5)))
    ordered = np.vstack([np.delete(values, last, axis=0), values[last]])
    alone = of_clusters(without(values[[last]]), 12)
    together = of_clusters(without(ordered), 12)
    assert alone.above == pytest.approx(skews[last] / sqrt(12))
    assert together.above == pytest.approx(4 * skews.mean() / sqrt(12))


def test_an_autocorrelation_counts_when_it_is_more_than_its_error() -> None:
    """Of nine values, 16 + 16 + 0 over 36 squares twice: 0.75; less than 1 with its bias."""
    slow = np.array([2.0, 2, 2, 2, 0, -2, -2, -2, -2])
    assert of_neighbours(without(slow)[None]).serial == 0.9
    assert of_neighbours(without(slow[1:])[None]).serial > 0
    assert of_neighbours(without(slow[2:])[None]) == NONE  # too few
    mild = np.array([1.0, 1, -1, 1, 1, -1, -1, -1, 0])
    # products 1 - 1 - 1 + 1 - 1 + 1 + 1 + 0 over 8 squares: 1 / 8, and 1 / 9 more is within 1 / 3
    assert of_neighbours(without(mild)[None]) == NONE
    # With one error more: 1 / 8 + 1 / 3, and (1 + 4r) / 9 for its bias.
    seen = 1 / 8 + 1 / 3
    expected = seen + (1 + 4 * seen) / 9
    assert of_neighbours(without(mild)[None], more=1).serial == pytest.approx(expected)
    # Of 40 trials like it the error is less: sqrt(1/4 + 3/4 / 40) / 3 = 0.173.
    many = of_neighbours(without(np.tile(mild, (40, 1)))).serial
    assert many == pytest.approx(1 / 8 + (1 + 4 / 8) / 9)


def test_of_a_decided_number_the_end_that_decides_is_moved() -> None:
    both = Departures(below=0.3, above=0.4, serial=0.2)
    assert both.facing_zero(0.1, 0.5) == Departures(below=0.3, serial=0.2)
    assert both.facing_zero(-0.5, -0.1) == Departures(above=0.4, serial=0.2)
    assert both.facing_zero(0.0, 0.1) == both.facing_zero(-0.1, 0.0) == both
