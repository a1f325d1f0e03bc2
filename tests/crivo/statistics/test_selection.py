"""After selection: simultaneous intervals, estimates that shrink luck and keep what is better."""

from math import inf, log, sqrt

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm, t

from crivo.statistics.departures import times_as_wide
from crivo.statistics.intervals import Estimate, all_alike, interval
from crivo.statistics.max_t import critical_value
from crivo.statistics.scale import Scale
from crivo.statistics.selection import after_selection, moderated, shrunk, widened

AUC, R2 = Scale("roc_auc", "higher", (0, 1)), Scale("r2", "higher", (-inf, 1))
LOSS = Scale("log_loss", "lower")


def estimate(value: float, errors: np.ndarray, se: float = 0.01) -> Estimate:
    """Return an estimate with this standard error, whose deleted values vary as `errors` do."""
    own = errors - errors.mean()
    scale = se / sqrt((1 - 1 / len(own)) * (own**2).sum())
    return Estimate(value, value + scale * own)


def independent(values: list[float], clusters: int = 400, se: float = 0.01) -> list[Estimate]:
    """Return estimates that have nothing in common."""
    columns = np.linalg.qr(np.random.default_rng(0).standard_normal((clusters, len(values))))[0]
    columns -= columns.mean(axis=0)
    return [estimate(value, column, se) for value, column in zip(values, columns.T, strict=True)]


def chosen(metric: Scale, family: list[Estimate], **more: int) -> tuple[float, float, float]:
    found = after_selection(
        metric, family[0], family[1:], **{"decided": True, "unknown": 0, **more}
    )
    return found.value, found.low, found.high


@pytest.mark.parametrize("count", [2, 20])
def test_of_independent_models_the_worse_end_is_that_of_the_greatest_of_so_many(count: int) -> None:
    """With 400 clusters: P(all of n normal numbers < z) = P(one < z)**n = 95 %."""
    _, low, high = chosen(R2, independent([0.5, *[0.4] * (count - 1)]))
    reach = max(norm.ppf(0.95 ** (1 / count)), norm.ppf(0.975))
    assert (0.5 - low) / 0.01 == pytest.approx(reach, rel=0.02)
    assert (high - 0.5) / 0.01 == pytest.approx(t.ppf(0.975, 399))
    _, less, more = chosen(LOSS, independent([-0.5, *[-0.4] * (count - 1)]))
    assert (less, more) == pytest.approx((-high, -low), rel=0.001)


def test_the_other_ordered_models_widen_the_interval_of_ordered_clusters() -> None:
    wave = estimate(0.5, np.cos(np.pi * 2 * (np.arange(16) + 0.5) / 16))
    family = [wave, *independent([0.4] * 3, 16)]
    _, low, high = chosen(R2, [wave._replace(in_order=True), *family[1:]])
    times = times_as_wide(wave.deleted, 16)
    assert (0.5 - low, high - 0.5) == pytest.approx(
        [times * abs(end - 0.5) for end in chosen(R2, family)[1:]]
    )


def test_the_greatest_of_correlated_models_is_that_of_a_multivariate_normal() -> None:
    columns = np.random.default_rng(0).standard_normal((600, 4))
    columns = np.linalg.qr(columns - columns.mean(axis=0))[0]
    mixed = columns + 1.5 * columns[:, [0]]
    found = critical_value(mixed, upper=True)
    together = multivariate_normal(np.zeros(4), np.corrcoef(mixed.T))
    assert together.cdf(np.full(4, found)) == pytest.approx(0.95, abs=0.004)


def test_a_metric_that_did_not_decide_is_wider_on_both_sides() -> None:
    family = independent([0.5, *[0.4] * 19])
    found = after_selection(R2, family[0], family[1:], decided=False, unknown=0)
    reach = norm.ppf((1 + 0.95 ** (1 / 20)) / 2)
    assert found.value == 0.5
    assert (found.high - 0.5) / 0.01 == pytest.approx(reach, rel=0.02)
    assert found.high - 0.5 == pytest.approx(0.5 - found.low)


def test_models_whose_numbers_are_lost_count() -> None:
    """Two of four are known: these may use half of the error."""
    _, low, _ = chosen(R2, independent([0.5, 0.4]), unknown=2)
    assert (0.5 - low) / 0.01 == pytest.approx(norm.ppf(0.975**0.5), rel=0.02)


def test_between_0_and_1_the_interval_is_that_of_the_log_odds() -> None:
    value, low, high = chosen(AUC, independent([0.9], se=0.001))
    middle, se = log(0.9 / 0.1), 0.001 / 0.09
    reach = t.ppf(0.975, 399) * se
    expected = [1 / (1 + np.exp(-(middle + side * reach))) for side in (0, -1, 1)]
    assert (value, low, high) == pytest.approx(expected, abs=1e-5)


def test_near_1_the_ends_stay_inside_and_a_value_of_1_is_kept() -> None:
    steep = Estimate(0.99, np.array([1.0, *[0.99] * 9]))
    _, low, high = chosen(AUC, [steep, *independent([0.98, 0.97], clusters=10)])
    assert 0 < low < 0.99 < high < 1
    perfect = Estimate(1.0, np.array([1.0] * 10))
    assert chosen(AUC, [perfect, *independent([0.98], clusters=10)]) == (1.0, 1.0, 1.0)
    counted = perfect._replace(exact=all_alike(1.0, 69))
    value, low, high = chosen(AUC, [counted, *independent([0.98], clusters=10)], unknown=2)
    assert (value, high) == (1.0, 1.0)
    assert low == widened(1.0, interval(counted, AUC.bounds).low, 1.0, 4, 10)[0]


def test_where_other_models_are_not_kept_sidak_s_level_holds() -> None:
    low, high = widened(10.0, 8.0, 12.0, 20, 12.0)
    ratio = t.ppf((1 + 0.95 ** (1 / 20)) / 2, 11) / t.ppf(0.975, 11)
    assert (low, high) == pytest.approx((10 - 2 * ratio, 10 + 2 * ratio))
    assert widened(10.0, 8.0, 12.0, 1, 12.0) == pytest.approx((8, 12))


def test_the_estimate_of_many_models_is_that_of_all_points() -> None:
    # The EM algorithm as the paper has it: each model's share in each point, then their mean.
    # Of these models' points, every third is taken.
    random = np.random.default_rng(11)
    values = np.append(random.normal(0.7, 0.002, 399), 0.75)
    table = values + random.normal(0, 0.001, (12, 400))
    own = table - table.mean(axis=1, keepdims=True)
    spread = own - own.mean(axis=0)
    errors = np.sqrt(11 / 12 * (spread**2).sum(axis=0))
    error = np.median(errors)
    each, far = moderated(errors / error, 11)[:, None], (values - values.mean()) / error
    points = (far[:, None] + each * np.linspace(-2, 2, 17)).clip(far.min(), far.max()).ravel()
    likelihood = np.exp(-(((far[:, None] - points) / each) ** 2) / 2) / each
    share = np.full(points.size, 1 / points.size)
    for _ in range(200):
        part = likelihood * share
        share = (part / part.sum(axis=1, keepdims=True)).mean(axis=0)
    part = likelihood * share
    expected = values.mean() + error * (part @ points / part.sum(axis=1))
    assert shrunk(values, table) == pytest.approx(expected, rel=1e-5)
    assert shrunk(values[:2], np.ones((9, 2))).tolist() == values[:2].tolist()  # without error


def test_errors_that_differ_by_chance_count_as_the_median_and_others_as_they_are() -> None:
    """Of many models: with one true error the weight of the median is all, else what is left."""
    random, freedom = np.random.default_rng(0), 11
    alike = np.sqrt(random.chisquare(freedom, 2_000) / freedom)
    assert moderated(np.sqrt(np.repeat([0.9, 1.1], 1_000)), freedom).tolist() == [1.0] * 2_000
    true = np.repeat([0.25, 4.0], 1_000)
    found = moderated(true * alike, freedom)
    # The logarithms' variance is that of ±log 16, 7.69: trigamma(0.39) = 7.7, so 0.78 of 11.78.
    expected = np.sqrt((0.78 + freedom * (true * alike) ** 2) / (freedom + 0.78))
    assert found == pytest.approx(expected, rel=0.05)
