"""The standard error of the ROC AUC of clusters is close to that of Obuchowski's paper."""

import numpy as np
import pandas as pd
import pytest

from crivo.evaluation.jackknife import measure_without_each
from crivo.evaluation.metrics import find_metrics
from crivo.evaluation.rows import Binary
from crivo.statistics.jackknife import standard_error

AUC = find_metrics(["roc_auc"], "binary")[0]


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
    counts = []
    for rows in (target, ~target):
        counts.append((rows.sum(), len(np.unique(cluster[rows]))))
    (m, with_positive), (n, with_negative) = counts
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
    target, score, cluster = sample(seed, 60, 20, 1.0)
    assert ours(target, score, cluster) == pytest.approx(
        obuchowski(target, score, cluster), rel=0.05
    )
