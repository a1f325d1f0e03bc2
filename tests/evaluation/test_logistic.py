"""The logistic regression agrees with a general optimiser, also where Newton overshoots."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from crivo.evaluation import logistic
from crivo.evaluation.logistic import logistic_slope
from crivo.evaluation.rows import NotDefined


def by_optimiser(x, positive, weight):
    def loss(line):
        margin = line[0] + line[1] * x
        return (weight * np.logaddexp(0, margin) - positive * margin).sum()

    return minimize(loss, [0, 0], method="BFGS", options={"gtol": 1e-8}).x[1]


@given(st.integers(0, 2**32), st.sampled_from([0.1, 1.0, 10.0]))
def test_slope_is_that_of_a_general_optimiser(seed, scale):
    random = np.random.default_rng(seed)
    x, weight = scale * random.standard_normal(12), random.uniform(0.5, 3, 12)
    positive = weight * random.uniform(0.1, 0.9, 12)
    expected = by_optimiser(x / scale, positive, weight) / scale
    assert logistic_slope(x, positive, weight) == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_a_step_that_overshoots_is_halved():
    # the first step is right for 115 and far too long for the rest
    x = np.array([0.0, -1.0, 115.0, -3.0])
    positive = np.array([6.0, 10.0, 100.0, 50.0])
    weight = np.array([11.0, 10.0, 100.0, 100.0])
    expected = by_optimiser(x, positive, weight)
    assert logistic_slope(x, positive, weight) == pytest.approx(expected, rel=1e-3)


def test_pieces_add_up(monkeypatch):
    random = np.random.default_rng(0)
    x, weight = random.standard_normal(100), np.ones(100)
    positive = random.random(100) < 0.4
    whole = logistic_slope(x, positive, weight)
    monkeypatch.setattr(logistic, "PIECE", 7)
    assert logistic_slope(x, positive, weight) == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize(
    ("x", "positive", "weight", "why"),
    [
        ([0, 1e-300, 0], [0, 1, 0], [1, 1, 1], "has no clear slope"),
        ([1, 0, -83], [1e5, 0, 5e-4], [1e5, 0.1, 1e-3], "has no clear slope"),
        ([0, 0, -1], [1e5, 0, 5e4], [1e5, 1e-4, 1e5], "doesn't converge"),
    ],
)
def test_data_without_a_clear_slope_say_so(x, positive, weight, why):
    with pytest.raises(NotDefined, match=f"the logistic regression {why}"):
        logistic_slope(*(np.array(column, float) for column in (x, positive, weight)))
