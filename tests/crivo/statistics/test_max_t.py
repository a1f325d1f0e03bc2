"""The critical value of several candidates, which are compared with one reference."""

from math import nan

import numpy as np
import pytest
from scipy import stats

from crivo.statistics.max_t import critical_value


def draws(clusters, columns, seed=0):
    return np.random.default_rng(seed).standard_normal((clusters, columns))


@pytest.mark.parametrize(("clusters", "columns"), [(12, 2), (6, 5), (6, 30)])
def test_one_test_in_twenty_of_equals_exceeds_the_critical_value(clusters, columns):
    differences = draws(clusters, columns)
    differences[:, columns - 1] += 2 * differences[:, columns - 2]
    random = np.random.default_rng(1)
    correlation = np.corrcoef(differences.T)
    shape = (20_000, clusters)
    samples = random.multivariate_normal(np.zeros(columns), correlation, shape, method="eigh")
    greatest = np.abs(stats.ttest_1samp(samples, 0, axis=1).statistic).max(axis=1)
    # Both sides are drawn: their errors are 0.0015 and 0.0022.
    assert (greatest > critical_value(differences)).mean() == pytest.approx(0.05, abs=0.006)


def test_critical_value_of_many_independent_candidates():
    """Each T has an error of its own, so independent ones need Šidák's level exactly."""
    independent = np.linalg.qr(draws(12, 11) - draws(12, 11).mean(axis=0))[0]
    found = critical_value(independent)
    assert found == pytest.approx(stats.t.ppf((1 + 0.95 ** (1 / 11)) / 2, 11), rel=0.015)


def test_the_order_of_the_candidates_is_no_matter(monkeypatch):
    monkeypatch.setattr("crivo.statistics.max_t.MAX_BINS", 100_000)  # fewer draws, as of many
    differences = draws(12, 5)
    assert critical_value(differences[:, ::-1]) == critical_value(differences)


def test_rounding_moves_the_critical_value_by_no_more_than_rounding():
    differences = draws(12, 5)
    differences[:, 1] = differences[:, 0]
    differences[11] = 0.5  # ties, wherever the candidates are put in order
    moved = differences + 1e-13 * draws(12, 5, seed=1)
    assert critical_value(moved) == pytest.approx(critical_value(differences), rel=1e-6)


def test_candidates_without_a_difference_or_with_a_gap_do_not_count():
    differences = draws(12, 2)
    more = np.column_stack([differences, np.zeros(12), [nan] + [1.0] * 11])
    assert critical_value(more) == critical_value(differences)
    assert critical_value(np.zeros((12, 1))) == pytest.approx(stats.t.ppf(0.975, 11))


@pytest.mark.parametrize("effective", [9.3, 4.6, 1.5])
def test_candidates_on_unequal_clusters_need_more(effective):
    """Between the value of one candidate and that of independent ones (Šidák)."""
    freedom = max(effective - 1, 1)
    sidak = stats.t.ppf((1 + 0.95 ** (1 / 6)) / 2, freedom)
    found = critical_value(draws(12, 6), effective=effective)
    assert stats.t.ppf(0.975, freedom) < found < sidak * 1.1
    assert found > critical_value(draws(12, 6))
