"""Each regression metric agrees with scikit-learn and numpy, or says why it has no value."""

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st

from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.rows import Regression
from crivo.statistics.jackknife import NotDefined

METRICS = metrics_of("regression")


def rows_of(target, predicted, weight=None):
    columns = (np.asarray(column, float) for column in (target, predicted))
    weight = np.ones(len(target)) if weight is None else np.asarray(weight, float)
    return Regression(*columns, weight)


@pytest.mark.parametrize("weight", [1e-9 / 7, 1 / 7, 1e6 / 7, 1e15 / 7])
def test_a_quantile_that_ends_with_a_row_is_met_whatever_the_weights_scale(weight):
    rows = rows_of([0] * 10, range(1, 11), [weight] * 10)
    assert METRICS["median_absolute_error"](rows) == 5.5
    assert METRICS["absolute_error_p90"](rows) == 9.5


NUMBERS = st.one_of(st.integers(-5, 5).map(float), st.floats(-1e3, 1e3))
# Eighths, so that sums are exact: a quantile that ends with a row is a matter of the last bit.
WEIGHTS = st.integers(1, 160).map(lambda eighths: eighths / 8)
TABLES = st.lists(st.tuples(NUMBERS, NUMBERS, WEIGHTS), min_size=2, max_size=40)


@settings(max_examples=15)
@given(TABLES)
def test_agrees_with_scikit_learn(table):
    target, predicted, weight = (np.array(column) for column in zip(*table, strict=True))
    rows = rows_of(target, predicted, weight)
    expected = {
        "rmse": sk.root_mean_squared_error(target, predicted, sample_weight=weight),
        "mae": sk.mean_absolute_error(target, predicted, sample_weight=weight),
        "median_absolute_error": sk.median_absolute_error(target, predicted, sample_weight=weight),
    }
    if np.ptp(target) > 1e-3:
        expected["r2"] = sk.r2_score(target, predicted, sample_weight=weight)
    for name, number in expected.items():
        assert METRICS[name](rows) == pytest.approx(number, rel=1e-6, abs=1e-12)


@given(TABLES)
def test_quantiles_are_those_of_numpy_with_each_row_as_often_as_it_weighs(table):
    target, predicted, _ = (np.array(column) for column in zip(*table, strict=True))
    times = np.arange(len(target)) % 3 + 1
    rows, errors = rows_of(target, predicted, times), np.abs(target - predicted)
    for name, share in (("median_absolute_error", 0.5), ("absolute_error_p90", 0.9)):
        often = np.repeat(errors, times)
        expected = np.quantile(often, share, method="averaged_inverted_cdf")
        assert METRICS[name](rows) == pytest.approx(expected)


@pytest.mark.parametrize("target", [[0.1] * 7, [1e-200, 0, 0, 0, 0, 0, 0], [3]])
def test_constant_target_has_no_r2(target):
    with pytest.raises(NotDefined, match="^the target is the same in every row$"):
        METRICS["r2"](rows_of(target, range(len(target))))


# Sums of these numbers are rounded, so their distances from the mean are not quite 0.
@pytest.mark.parametrize(("number", "count"), [(-0.1, 3), (-0.7, 6), (-0.3, 9), (-1.1, 12)])
def test_constant_target_is_noticed_beside_rounding_and_rows_left_out(number, count):
    rows = rows_of([number] * count + [5], range(count + 1), [1] * count + [0])
    with pytest.raises(NotDefined):
        METRICS["r2"](rows)


def test_a_target_that_hardly_varies_has_an_r2():
    target = np.array([1e9, 1e9 + 1])
    assert METRICS["r2"](rows_of(target, target)) == 1
    assert METRICS["r2"](rows_of(target, target.mean() + np.zeros(2))) == 0
