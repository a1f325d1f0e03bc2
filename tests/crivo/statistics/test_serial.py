"""Autocorrelation of neighbouring clusters, and the blocks that it asks for."""

from math import ceil, isnan, nan

import numpy as np
import pytest
from scipy import stats

from crivo.statistics.departures import autocorrelation, longer_blocks, looks_serial, times_as_wide
from crivo.statistics.intervals import Estimate, interval
from tests.crivo.statistics.test_intervals import series


def following(strength: float, days: int, seed: int = 0) -> np.ndarray:
    """Return an autoregression of first order."""
    random = np.random.default_rng(seed)
    values = random.standard_normal(days)
    for day in range(1, days):
        values[day] = strength * values[day - 1] + np.sqrt(1 - strength**2) * values[day]
    return values


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


def test_the_limit_of_autocorrelation_falls_with_the_clusters():
    # a step in the middle: of 8 values it gives 1.25 / 2 = 0.625, below 2 / sqrt(8) = 0.707;
    # of 10 values 1.75 / 2.5 = 0.7, above 2 / sqrt(10) = 0.632
    assert not looks_serial(series(*[1] * 4, *[0] * 4))
    assert looks_serial(series(*[1] * 5, *[0] * 5))
    # products 1 1 -1 1 1 over six squares: just the limit of 16 values, 2 / sqrt(16)
    assert not looks_serial(series(*[0] * 5, 1, 1, 1, -1, -1, -1, *[0] * 5))


def test_the_block_is_andrews_s_for_an_autoregression():
    """By sums: alpha = (2 Σ k r_k / (1 + 2 Σ r_k))² over all lags k, 1.1447 (alpha n)^(1/3)."""
    series = following(0.6, 200)
    first, second = autocorrelation(series), autocorrelation(series, 2)
    r, two = (found + (1 + 4 * first) / 200 for found in (first, second))
    correlations = r * max(two / r, r) ** np.arange(500)
    slope = 2 * (np.arange(1, 501) * correlations).sum() / (1 + 2 * correlations.sum())
    expected = ceil(1.1447 * (slope**2 * 200) ** (1 / 3))
    assert longer_blocks(series) == expected
    assert 8 <= expected <= 16


def test_advised_blocks_leave_four_of_them_and_need_neighbours_that_look_alike():
    assert longer_blocks(np.arange(40.0)) == 10
    assert longer_blocks(np.arange(40.0) % 2) == 1


def test_an_interval_of_ordered_clusters_is_that_of_four_slow_waves():
    """A wave that is one of the four has all of the clusters' 15 squares, and 15 / 4 on average."""
    wave = np.cos(np.pi * 2 * (np.arange(16) + 0.5) / 16)
    r = 0.5  # as much counts
    power = 1 / (1 + r**2 - 2 * r * np.cos(np.pi * np.arange(1, 5) / 16))
    ratio = 15 / 4 / (1 - r) ** 2 / power.mean()
    wider = stats.t.ppf(0.975, 4) / stats.t.ppf(0.975, 15) * np.sqrt(ratio)
    assert times_as_wide(wave, 16) == pytest.approx(wider)
    assert times_as_wide(wave, 4) == pytest.approx(np.sqrt(ratio))  # three degrees of freedom
    plain = Estimate(3.0, 3 + wave)
    ordered = plain._replace(in_order=True)
    reach, wide = (interval(one).high - 3 for one in (plain, ordered))
    assert wide == pytest.approx(wider * reach)
    assert interval(ordered).se == interval(plain).se
    share, other = (
        interval(one._replace(value=0.5, deleted=0.5 + wave / 100), (0, 1))
        for one in (plain, ordered)
    )
    odds = [np.log(one.high / (1 - one.high)) for one in (share, other)]
    assert odds[1] == pytest.approx(wider * odds[0])


def test_clusters_that_look_unlike_or_are_few_make_no_interval_wider():
    assert times_as_wide(series(*[1, -1] * 8), 16) == 1
    assert times_as_wide(np.arange(7.0), 7) == 1 < times_as_wide(np.arange(8.0), 8)
    assert times_as_wide(series(*[0.5] * 16), 16) == 1
    assert times_as_wide(series(*[nan] * 16), 16) == 1
