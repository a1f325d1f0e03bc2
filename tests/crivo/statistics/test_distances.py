"""Differences of metrics whose best value lies inside their range."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from crivo.statistics.intervals import Estimate, difference, interval
from crivo.statistics.jackknife import standard_error
from crivo.statistics.scale import Scale

IN_THE_LARGE = Scale("calibration_in_the_large", "nearest", (-1, 1), 0.0)
SLOPE = Scale("calibration_slope", "nearest", best=1.0)


def series(*values):
    return np.array(values, dtype=float)


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


def test_a_deleted_value_on_the_other_side_of_the_best_value_is_no_nearer():
    near = Estimate(0.01, series(-0.03, 0.01, 0.05))
    none = Estimate(0.0, series(0, 0, 0))
    assert standard_error(difference(IN_THE_LARGE, near, none).deleted) == pytest.approx(
        standard_error(near.deleted)
    )


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
