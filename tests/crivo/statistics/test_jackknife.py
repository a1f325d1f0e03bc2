"""The jackknife on arrays against textbook formulas, other methods, and other programs' numbers."""

from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from crivo.statistics.jackknife import ratios_without, standard_error, standard_errors, sums_without

# `README.md` there says whose data they are.
DATA = Path(__file__).parents[1] / "evaluation" / "data"


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=30))
def test_standard_error_of_a_mean_is_the_textbook_one(numbers):
    numbers = np.array(numbers)
    deleted = (numbers.sum() - numbers) / (len(numbers) - 1)
    assert standard_error(deleted) == pytest.approx(stats.sem(numbers), abs=1e-9)


# R: svymean(~api00+api99, as.svrepdesign(dclus1)), the jackknife JK1 with 15 replicates, in
# "Analyses in the survey package" (r-survey.r-forge.r-project.org/survey/example-summary.html).
# The 15 districts are drawn from 757: survey multiplies by the finite population's 1 - 15/757.
@pytest.mark.parametrize(("year", "error"), [("api00", 26.3294), ("api99", 26.9985)])
def test_a_mean_by_district_has_the_error_of_survey_s_jk1(year, error):
    schools = pd.read_csv(DATA / "apiclus1.csv")
    codes, districts = pd.factorize(schools["dnum"])
    deleted = ratios_without(schools[year].to_numpy(), np.ones(len(codes)), codes, len(districts))
    assert sqrt(1 - 15 / 757) * standard_error(deleted) == pytest.approx(error, abs=5e-5)


# R: vcovJK(lm(y ~ x, data = PetersenCL), cluster = ~ firm), printed in sandwich's
# tests/Examples/sandwich-Ex.Rout.save with seven digits: the cluster jackknife CV3.
def test_a_regression_by_firm_has_the_errors_of_sandwich_s_vcovjk():
    firms = pd.read_csv(DATA / "petersen.csv.gz")
    codes, names = pd.factorize(firms["firm"])
    x, y = firms["x"].to_numpy(), firms["y"].to_numpy()
    deleted = [np.polyfit(x[codes != code], y[codes != code], 1) for code in range(len(names))]
    slope, constant = standard_errors(np.transpose(deleted)) ** 2
    assert (constant, slope) == pytest.approx((4.499186e-03, 2.577098e-03), rel=2e-7)


def test_where_only_rounding_is_left_there_is_no_sum():
    found = sums_without(np.array([1, 1e-9]), np.array([0, 1]), 2)
    assert np.isnan(found).tolist() == [True, False]
