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

DATA = Path(__file__).parent / "data"
AUC = find_metrics(["roc_auc"], "binary")[0]

# Of pROC's own tests: test-var.R and test-cov.R.
VARIANCES = {"wfns": 0.00146991470882363, "ndka": 0.0031908105493913, "s100b": 0.00266868245717244}
COVARIANCE = 0.00119615567376754  # of wfns and s100b


@pytest.fixture(scope="module")
def patients() -> pd.DataFrame:
    return pd.read_csv(DATA / "asah.csv")


def auc_of(patients: pd.DataFrame, marker: str) -> Estimate:
    poor, score = patients["poor"].to_numpy() == 1, patients[marker].to_numpy(float)
    rows = Binary(poor, score > 0, score, np.ones(len(poor)))
    each_alone = pd.Categorical([f"{row:03}" for row in range(len(poor))])
    found = measure_without_each(rows, each_alone, [AUC])
    return Estimate(found.values["roc_auc"], found.deleted["roc_auc"].to_numpy())


@pytest.mark.parametrize("marker", VARIANCES)
def test_the_error_of_one_auc_is_delong_s_within_two_percent(patients, marker):
    found = standard_error(auc_of(patients, marker).deleted)
    assert found == pytest.approx(sqrt(VARIANCES[marker]), rel=0.02)


def test_the_error_of_a_difference_of_aucs_is_the_paired_one_of_delong(patients):
    gained = difference(AUC, auc_of(patients, "wfns"), auc_of(patients, "s100b"))
    expected = sqrt(VARIANCES["wfns"] + VARIANCES["s100b"] - 2 * COVARIANCE)
    assert standard_error(gained.deleted) == pytest.approx(expected, rel=0.02)


def placements(target: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the structural components: each row's part of beaten rows of the other class."""
    higher = score[target][:, None] - score[~target]
    beaten = (higher > 0) + (higher == 0) / 2
    return beaten.mean(axis=1), beaten.mean(axis=0)


def obuchowski(target: np.ndarray, score: np.ndarray, cluster: np.ndarray) -> float:
    """Return Obuchowski's (1997) standard error of the ROC AUC of clustered rows."""
    positive, negative = placements(target, score)
    size = cluster.max() + 1
    value = positive.mean()
    sums = [
        np.bincount(cluster[rows], part - value, minlength=size)
        for rows, part in ((target, positive), (~target, negative))
    ]
    (m, with_positive), (n, with_negative) = (
        (rows.sum(), len(np.unique(cluster[rows]))) for rows in (target, ~target)
    )
    first = with_positive / ((with_positive - 1) * m) * (sums[0] ** 2).sum() / m
    second = with_negative / ((with_negative - 1) * n) * (sums[1] ** 2).sum() / n
    both = size / (size - 1) * (sums[0] * sums[1]).sum() / (m * n)
    return float(np.sqrt(first + second + 2 * both))


def ours(target: np.ndarray, score: np.ndarray, cluster: np.ndarray) -> float:
    rows = Binary(target, score > 0, score, np.ones(len(target)))
    groups = pd.Categorical.from_codes(cluster, [str(n) for n in range(cluster.max() + 1)])
    return standard_error(measure_without_each(rows, groups, [AUC]).deleted["roc_auc"])


def sample(seed: int, days: int, rows: int, effect: float) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(days), rows)
    signal = random.standard_normal(len(cluster)).round(1)
    noise = random.logistic(size=len(cluster)) + effect * random.standard_normal(days)[cluster]
    return signal + noise > 0.8, signal + 3, cluster


@pytest.mark.parametrize("seed", range(2))
def test_auc_of_clusters_has_the_error_of_obuchowski(seed):
    rows = sample(seed, 60, 20, 1.0)
    assert ours(*rows) == pytest.approx(obuchowski(*rows), rel=0.05)
