"""Results that other programs printed for published data (`data/README.md` says whose they are)."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crivo.core.evaluation import Context
from crivo.evaluation.jackknife import Jackknife, jackknife, leave_out
from crivo.evaluation.metrics import find_metrics
from crivo.evaluation.rows import Binary, Regression
from crivo.statistics.intervals import Estimate, difference, interval
from crivo.statistics.jackknife import standard_error
from tests.crivo.evaluation.test_oracles import crv3, delong

DATA = Path(__file__).parent / "data"
AUC = find_metrics(["roc_auc"], "binary")[0]

# Of pROC's own tests: test-var.R, test-cov.R and test-ci.auc.R.
VARIANCES = {
    "wfns": 0.00146991470882363,
    "ndka": 0.0031908105493913,
    "s100b": 0.00266868245717244,
}
COVARIANCE = 0.00119615567376754  # of wfns and s100b
NDKA = (0.501244999271703, 0.611957994579946, 0.722670989888189)


@pytest.fixture(scope="module")
def patients() -> pd.DataFrame:
    return pd.read_csv(DATA / "asah.csv")


def one_by_one(count: int) -> pd.Categorical:
    """Return groups of which each row is its own: there are no clusters."""
    return pd.Categorical.from_codes(np.arange(count), [str(n) for n in range(count)])


def auc_of(patients: pd.DataFrame, marker: str) -> Estimate:
    poor, score = patients["poor"].to_numpy() == 1, patients[marker].to_numpy(float)
    rows = Binary(poor, score > 0, score, np.ones(len(poor)))
    found = leave_out(rows, one_by_one(len(poor)), {"auc": AUC}, ["auc"])
    return Estimate(found.values["auc"], found.deleted["auc"].to_numpy())


@pytest.mark.parametrize("marker", VARIANCES)
def test_delong_s_error_is_proc_s(patients, marker):
    poor, score = patients["poor"].to_numpy() == 1, patients[marker].to_numpy(float)
    assert delong(poor, score) ** 2 == pytest.approx(VARIANCES[marker], rel=1e-12)


@pytest.mark.parametrize("marker", VARIANCES)
def test_the_error_of_one_auc_is_delong_s_within_two_percent(patients, marker):
    found = standard_error(auc_of(patients, marker).deleted)
    assert found == pytest.approx(sqrt(VARIANCES[marker]), rel=0.02)


def test_the_error_of_a_difference_of_aucs_is_the_paired_one_of_delong(patients):
    gained = difference(AUC, auc_of(patients, "wfns"), auc_of(patients, "s100b"))
    expected = sqrt(VARIANCES["wfns"] + VARIANCES["s100b"] - 2 * COVARIANCE)
    assert standard_error(gained.deleted) == pytest.approx(expected, rel=0.02)


def test_the_interval_of_an_auc_differs_from_proc_s_by_its_scale_alone(patients):
    """DeLong's is normal and symmetric, ours t and symmetric in the log odds.

    So on the linear scale ours is wider by t's quantile and by the jackknife's error, 2 % each at
    most, and both ends of the one that is shown lie lower, farther from the end of the range.
    """
    found = auc_of(patients, "ndka")
    assert found.value == pytest.approx(NDKA[1], rel=1e-14)
    linear = interval(found)
    half = (NDKA[2] - NDKA[0]) / 2
    assert half < linear.high - found.value < 1.04 * half
    shown = interval(found, (0, 1))
    assert 0 < linear.low - shown.low < 0.01
    assert 0 < linear.high - shown.high < 0.02


# R: vcovJK(lm(y ~ x, data = PetersenCL), cluster = ~ firm), printed in sandwich's
# tests/Examples/sandwich-Ex.Rout.save with seven digits: the cluster jackknife CV3.
PETERSEN = {"constant": 4.499186e-03, "slope": 2.577098e-03}


@pytest.fixture(scope="module")
def firms() -> pd.DataFrame:
    return pd.read_csv(DATA / "petersen.csv.gz")


def _slope(rows: Regression) -> float:
    x, y, weight = rows.predicted, rows.target, rows.weight
    spread = x - np.average(x, weights=weight)
    return float((weight * spread * y).sum() / (weight * spread**2).sum())


def _constant(rows: Regression) -> float:
    means = (np.average(each, weights=rows.weight) for each in (rows.target, rows.predicted))
    return float(next(means) - _slope(rows) * next(means))


@pytest.mark.parametrize(("name", "function"), [("constant", _constant), ("slope", _slope)])
def test_what_is_left_out_by_firm_has_the_published_error(firms, name, function):
    rows = Regression(firms["y"].to_numpy(), firms["x"].to_numpy(), np.ones(len(firms)))
    found = leave_out(rows, pd.Categorical(firms["firm"]), {name: function}, [name])
    assert standard_error(found.deleted[name]) ** 2 == pytest.approx(PETERSEN[name], rel=2e-7)


def table(target: pd.Series, prediction: pd.Series, cluster: pd.Series) -> pd.DataFrame:
    ids = [f"{n:05d}" for n in range(len(target))]
    columns = {"target": target, "prediction": prediction, "cluster": cluster, "weight": 1.0}
    return pd.DataFrame({"id": ids, **columns})


def mae_of(predictions: pd.DataFrame) -> Jackknife:
    groups = pd.Categorical(predictions["cluster"])
    mae = find_metrics(["mae"], "regression")
    return jackknife(predictions, mae, Context("regression"), groups)


def test_a_mean_metric_by_firm_has_the_error_of_crv3(firms):
    """The expected number is worked out here, firm by firm; nobody has printed it."""
    found = mae_of(table(firms["y"], firms["x"], firms["firm"]))
    errors = (firms["y"] - firms["x"]).abs().to_numpy()
    expected = crv3(errors, np.ones(len(errors)), firms["firm"].to_numpy())
    assert standard_error(found.deleted["mae"]) == pytest.approx(expected, rel=1e-10)


# R: svymean(~api00+api99, as.svrepdesign(dclus1)), the jackknife JK1 with 15 replicates, in
# "Analyses in the survey package" (r-survey.r-forge.r-project.org/survey/example-summary.html).
# The 15 districts are drawn from 757: survey multiplies by the finite population's 1 - 15/757.
SCHOOLS = {"api00": (644.169399, 26.3294), "api99": (606.978142, 26.9985)}


@pytest.mark.parametrize("year", SCHOOLS)
def test_a_mean_by_district_has_the_error_of_survey_s_jk1(year):
    schools = pd.read_csv(DATA / "apiclus1.csv")
    # The mean absolute error of predictions of 0 is the mean.
    found = mae_of(table(schools[year], 0.0 * schools[year], schools["dnum"]))
    mean, error = SCHOOLS[year]
    assert found.values["mae"] == pytest.approx(mean, abs=5e-7)
    finite = sqrt(1 - 15 / 757)
    assert finite * standard_error(found.deleted["mae"]) == pytest.approx(error, abs=5e-5)
