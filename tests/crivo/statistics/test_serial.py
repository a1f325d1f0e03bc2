"""Autocorrelation of neighbouring clusters, and the blocks that it asks for."""

from __future__ import annotations

from math import ceil, isnan, nan

import numpy as np
import pytest

from crivo.statistics.serial import autocorrelation, longer_blocks, looks_serial


def series(*values):
    return np.array(values, dtype=float)


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


def test_alike_neighbours_are_noticed():
    assert looks_serial(series(*np.sin(np.arange(60) / 8)))
    assert not looks_serial(series(*np.random.default_rng(0).standard_normal(60)))
    assert not looks_serial(series(*[0.5] * 60))


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


def test_advised_blocks_leave_four_of_them():
    assert longer_blocks(np.arange(40.0)) == 10
