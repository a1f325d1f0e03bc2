"""The skewness of a mean, and what it foretells of verdicts about equal models."""

import numpy as np
import pytest
from scipy.stats import skew, ttest_1samp

from crivo.statistics.skewness import SKEWED, skewness_of_mean


def test_it_is_the_sample_s_by_the_root_of_the_number() -> None:
    values = np.random.default_rng(0).exponential(size=300)
    assert skewness_of_mean(values, 900) == pytest.approx(skew(values) / 30)
    assert skewness_of_mean(np.full(9, 2.5), 9) == 0


def test_equals_are_told_apart_where_it_is_large_and_hardly_elsewhere() -> None:
    """A model that is exact but in a few rows, with the other's mean squared error."""
    random, far, clusters, rows = np.random.default_rng(1), 0.02, 12, 40
    wrong, said = [], []
    for _ in range(300):
        usual = random.normal(size=(clusters, rows))
        rare = (random.random(usual.shape) < far) * random.normal(size=usual.shape) / far**0.5
        difference = usual**2 - rare**2
        wrong.append(ttest_1samp(difference.mean(axis=1), 0).pvalue < 0.05)
        said.append(abs(skewness_of_mean(difference.ravel(), difference.size)) > SKEWED)
    assert np.mean(wrong) > 0.1
    assert np.mean(said) >= 0.8
    assert np.mean(np.array(wrong) & ~np.array(said)) < 0.1


def test_it_is_small_for_the_losses_of_usual_models() -> None:
    random = np.random.default_rng(2)
    one, other = random.normal(size=(2, 200, 480))
    found = [skewness_of_mean(a**2 - b**2, 480) for a, b in zip(one, other, strict=True)]
    assert np.mean(np.abs(found) > SKEWED) == 0
