"""Results that other programs printed for published data (`data/README.md` says whose they are)."""

from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crivo.evaluation.jackknife import measure_without_each
from crivo.evaluation.metrics import find_metrics
from crivo.evaluation.rows import Binary
from crivo.statistics.intervals import Estimate, difference
from crivo.statistics.jackknife import standard_error

PATIENTS = pd.read_csv(Path(__file__).parent / "data" / "asah.csv")
AUC = find_metrics(["roc_auc"], "binary")[0]

# Of pROC's own tests: test-var.R and test-cov.R.
VARIANCES = {"wfns": 0.00146991470882363, "ndka": 0.0031908105493913, "s100b": 0.00266868245717244}
COVARIANCE = 0.00119615567376754  # of wfns and s100b


def auc_of(marker: str) -> Estimate:
    poor, score = PATIENTS["poor"].to_numpy() == 1, PATIENTS[marker].to_numpy(float)
    rows = Binary(poor, score > 0, score, np.ones(len(poor)))
    each_alone = pd.Categorical([f"{row:03}" for row in range(len(poor))])
    found = measure_without_each(rows, each_alone, [AUC])
    return Estimate(found.values["roc_auc"], found.deleted["roc_auc"].to_numpy())


@pytest.mark.parametrize("marker", VARIANCES)
def test_the_error_of_one_auc_is_delong_s_within_two_percent(marker):
    found = standard_error(auc_of(marker).deleted)
    assert found == pytest.approx(sqrt(VARIANCES[marker]), rel=0.02)


def test_the_error_of_a_difference_of_aucs_is_the_paired_one_of_delong():
    gained = difference(AUC, auc_of("wfns"), auc_of("s100b"))
    expected = sqrt(VARIANCES["wfns"] + VARIANCES["s100b"] - 2 * COVARIANCE)
    assert standard_error(gained.deleted) == pytest.approx(expected, rel=0.02)
