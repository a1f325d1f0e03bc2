"""The logistic regression agrees with a general optimiser, also where a step overshoots."""

import numpy as np
import pytest
from scipy.optimize import minimize

from crivo.evaluation.metrics.binary import logistic_slope
from crivo.statistics.jackknife import NotDefined

# Nobody who reads a log should wonder about a division by 0.
pytestmark = pytest.mark.filterwarnings("error")


def by_optimiser(x, positive, weight):
    def loss(line):
        margin = line[0] + line[1] * x
        return (weight * np.logaddexp(0, margin) - positive * margin).sum()

    return minimize(loss, [0, 0], method="BFGS", options={"gtol": 1e-8}).x[1]


@pytest.mark.parametrize(
    ("x", "positive", "weight"),
    [
        # the first step is right for 115 and far too long for the rest
        ([0, -1, 115, -3], [6, 10, 100, 50], [11, 10, 100, 100]),
        # one half of a step is still too long
        ([0, -10, -100, 1], [200, 6, 0, 0], [200, 10, 200, 2]),
    ],
)
def test_the_slope_is_found_where_a_step_overshoots(x, positive, weight):
    x, positive, weight = (np.array(column, float) for column in (x, positive, weight))
    expected = by_optimiser(x / 100, positive, weight) / 100
    assert logistic_slope(x, positive, weight) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("x", "positive", "weight"),
    [
        ([2, 2, 2], [0, 1, 0], [1, 1, 1]),
        ([0, 1e-300, 0], [0, 1, 0], [1, 1, 1]),
        # the scores separate the classes: at the highest alone, or at all but one
        ([1, 0], [44, 0], [300, 900]),
        ([-12, 11, -13], [0, 0, 900], [1, 80, 900]),
        ([1, 0, -83], [1e5, 0, 5e-4], [1e5, 0.1, 1e-3]),
        ([0, 0, -1], [1e5, 0, 5e4], [1e5, 1e-4, 1e5]),
    ],
)
def test_data_without_a_clear_slope_say_so(x, positive, weight):
    with pytest.raises(NotDefined, match="^the logistic regression has no clear slope$"):
        logistic_slope(*(np.array(column, float) for column in (x, positive, weight)))
