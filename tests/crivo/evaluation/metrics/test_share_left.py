"""Precision and recall at a share without a cluster: the cut stays where it is."""

import numpy as np
import pandas as pd
import pytest

from crivo.evaluation.jackknife import measure_without_each
from crivo.evaluation.metrics import find_metrics
from crivo.evaluation.rows import Binary


def deleted(target, score, cluster, share, name="precision_at_share") -> pd.Series:
    """Return the metric without each cluster."""
    rows = Binary(np.array(target, bool), np.zeros(len(target), bool), np.array(score, float),
                  np.ones(len(target)))  # fmt: skip
    metric = find_metrics([name], "binary", {"share": share})[0]
    codes, names = pd.factorize(np.array(cluster))
    groups = pd.Categorical.from_codes(codes, names)
    return measure_without_each(rows, groups, [metric]).deleted[name]


# Twenty rows, the riskiest first; the share of a half is the first ten, the precision around its
# end (rows 8 to 13) is 3/6. Cluster a has six of these ten, b four.
TARGET = [1, 1, 1, 0, 1, 1, 0] + [1, 0, 1, 0, 1, 0] + [0] * 7
CLUSTER = list("aabaabbabaaabbaabbba")
SCORE = np.linspace(1, 0, 20)


@pytest.mark.parametrize("name", ["precision_at_share", "recall_at_share"])
def test_what_is_missing_counts_with_the_precision_around_the_cut(name):
    found = deleted(TARGET, SCORE, CLUSTER, 0.5, name)
    target, inside = np.array(TARGET), np.array(CLUSTER)
    for left_out in "ab":
        rest = inside != left_out
        hits, taken = target[:10][rest[:10]].sum(), rest[:10].sum()
        goal = 0.5 * rest.sum()
        whole = goal if name == "precision_at_share" else target[rest].sum()
        expected = (hits + (goal - taken) * 3 / 6) / whole
        assert found[left_out] == pytest.approx(expected)


def test_a_share_of_nearly_everything_stays_defined():
    found = deleted([1, 0, 1, 0, 1, 0], SCORE[:6], list("aabbcc"), 0.95)
    assert found.notna().all()
