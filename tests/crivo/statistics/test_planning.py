"""How many clusters decide a difference, worked out by hand and by simulation."""

from math import inf, isnan, sqrt

import pytest
from scipy.stats import t

from crivo.statistics.planning import chance_decided, clusters_for, clusters_needed


@pytest.mark.parametrize(("value", "margin", "distance"), [(1.5, 0, 1.5), (0.2, 1.4, 1.2)])
def test_the_clusters_needed_are_those_of_the_formula(
    value: float, margin: float, distance: float
) -> None:
    """12 clusters at 5 %: sqrt(12 / n) * se * (t(0.975, n - 1) + t(0.8, n - 1)) <= distance."""
    found = clusters_needed(2 * value, 2.0, t.ppf(0.975, 11), 12, 2 * margin)

    def needed(count: float) -> float:
        reach = t.ppf(0.975, count - 1) + t.ppf(0.8, count - 1)
        return float(reach * sqrt(12 / count))

    assert needed(found) <= distance < needed(found - 1)
    # By the normal quantiles 1.95996 and 0.84162 it is 12 * (2.80158 / distance)**2, a little less.
    assert 12 * (2.80158 / distance) ** 2 < found < 3 + 12 * (2.80158 / distance) ** 2


def test_what_no_number_of_clusters_decides_is_infinite_and_missing_without_an_error() -> None:
    """A hundred times the clusters have a tenth of the error."""
    last = (t.ppf(0.975, 1_199) + t.ppf(0.8, 1_199)) / 10
    found = [clusters_needed(last + more, 1.0, t.ppf(0.975, 11), 12, 0) for more in (1e-9, -1e-9)]
    assert found == [1_200, inf]
    chance = chance_decided(1_200, 0.1, 1.0, 12, 0.05, 0)
    assert clusters_for(chance, 0.1, 1.0, 12, 0.05, 0) == 1_200
    assert clusters_for(chance + 1e-9, 0.1, 1.0, 12, 0.05, 0) == inf
    assert isnan(clusters_needed(0.0, 0.0, 2.2, 12, 0))
    assert isnan(clusters_for(0.8, 0.0, 0.0, 12, 0.05, 0))
    for count, se, clusters in ((12, 0.0, 12), (12, 1.0, 1), (11, 1.0, 12)):
        assert isnan(chance_decided(count, 1.0, se, clusters, 0.05, 0))


def test_without_new_clusters_the_difference_is_decided_or_it_is_not() -> None:
    """It is beyond t(0.975, 11) = 2.201 standard errors, or so far inside the margin."""
    for value, margin in ((2.21, 0), (0.1, 2.31), (-2.21, 0), (-0.1, 2.31)):
        assert chance_decided(12, value, 1.0, 12, 0.05, margin) == 1
        assert chance_decided(12, value * 0.99, 1.0, 12, 0.05, margin * 0.99) == 0


def test_with_so_many_clusters_that_their_spread_is_known_it_is_the_normal_formula() -> None:
    """1.5 standard errors, four times as many: P(|1.5 + sqrt(3/4) Z| >= 0.98) = 0.7259 + 0.0021."""
    found = chance_decided(400_000, 0.75, 0.5, 100_000, 0.05, 0)
    assert found == pytest.approx(0.7259 + 0.0021, abs=2e-4)


def test_a_difference_within_the_margin_can_be_decided_as_well() -> None:
    """Of equals with a margin of 2 standard errors, four times the clusters decide nearly all."""
    without, within = (chance_decided(4e5, 0.0, 0.5, 1e5, 0.05, margin) for margin in (0.0, 1.0))
    assert without == pytest.approx(2 * 0.12888, abs=2e-4)  # P(|Z| >= 0.98 / sqrt(3/4))
    # Inside 2 - 0.98, or beyond it: all but nothing is left between.
    assert within == pytest.approx(1.0, abs=2e-4)


def test_the_number_is_the_first_that_has_the_chance() -> None:
    found = clusters_for(0.8, 1.5, 1.0, 12, 0.05, 0)
    assert chance_decided(found, 1.5, 1.0, 12, 0.05, 0) >= 0.8
    assert chance_decided(found - 1, 1.5, 1.0, 12, 0.05, 0) < 0.8
