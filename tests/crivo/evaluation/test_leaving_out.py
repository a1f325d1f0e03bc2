"""Metrics without each cluster: the values of the other rows, or what is missing and why."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crivo.core.blocks import Context
from crivo.evaluation.jackknife import measure_without_each
from crivo.evaluation.metrics import find_metrics, metrics_of
from crivo.evaluation.rows import Binary, Multiclass, Regression
from crivo.evaluation.tasks import Evaluated
from crivo.statistics.jackknife import NotDefined
from tests.crivo.evaluation.tables import scored

TASKS = ("binary", "multiclass", "regression")


def rows_of(task, random, count, weight):
    if task == "regression":
        return Regression(random.normal(size=count), random.normal(size=count), weight)
    if task == "multiclass":
        target, predicted = random.integers(0, 3, (2, count))
        return Multiclass(target, predicted, random.dirichlet(np.ones(3), count), weight, "abc")
    score = np.round(random.random(count), 1)
    return Binary(random.random(count) < score, score > 0.5, score, weight)


def left(metric, rows, outside):
    """A metric without some rows of the table."""
    rest = rows.only(~outside)
    try:
        if not rest.total_weight > 0:
            return np.nan
        return metric(rest)
    except NotDefined:
        return np.nan


@pytest.mark.parametrize("task", TASKS)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), count=st.integers(1, 60), clusters=st.integers(1, 9))
def test_all_metrics_are_those_of_the_rows_without_a_cluster(task, seed, count, clusters):
    random = np.random.default_rng(seed)
    unit = random.choice([1, 1e-12])
    rows = rows_of(task, random, count, unit * random.choice([0, 1, 1.5, 1e-3], count))
    names = [str(number) for number in range(clusters + 1)]  # the last one has no rows
    groups = pd.Categorical.from_codes(random.integers(0, clusters, count), names)
    # Those whose cut stays are below.
    metrics = [m for m in metrics_of(task).values() if m.interval and "_share" not in m.name]
    found = measure_without_each(rows, groups, metrics)
    for metric in metrics:
        whole = found.values[metric.name]
        expected = np.array([left(metric, rows, groups == name) for name in names])
        expected[:] = whole if np.isnan(whole) else expected
        np.testing.assert_allclose(found.deleted[metric.name], expected, rtol=1e-9, atol=1e-12)


BINARY = Context("binary", classes=(False, True), positive=True)


def binary_table(count=120, clusters=6, seed=0):
    random = np.random.default_rng(seed)
    score = np.round(random.random(count), 2)
    return scored(
        score,
        random.random(count) < score,
        cluster=random.integers(0, clusters, count),
        weight=random.uniform(0.5, 2, count),
    )


def test_reasons_say_what_is_missing_and_without_which_cluster():
    table = binary_table().assign(target=lambda rows: rows["cluster"] == 3)
    found = Evaluated(table, BINARY).jackknife(find_metrics(["roc_auc", "accuracy"], "binary"))
    column = "(in the column `cluster` of predictions.parquet)"
    assert found.reasons == {"roc_auc": f"no row is positive without cluster 3 {column}"}
    auc, shops = find_metrics(["roc_auc"], "binary"), table["cluster"].map("shop{}".format)
    many = np.repeat(np.arange(3, 303), 2)
    for cluster, count, words in [
        (shops, 1, "cluster shop3"),
        (many, 5, f"the clusters 3, 4, left out together {column}"),
    ]:
        rows = pd.concat([table] * count, ignore_index=True).assign(cluster=cluster)
        rows["target"] = rows["cluster"].isin(["shop3", 3, 4])
        (said,) = Evaluated(rows, BINARY).jackknife(auc).reasons.values()
        assert said == f"no row is positive without {words}"
    assert (found.count, found.ordered, found.deleted.index.name) == (120, True, "cluster")
    assert found.deleted["roc_auc"].isna().tolist() == [False] * 3 + [True] + [False] * 2
    assert Evaluated(table.assign(cluster="one"), BINARY).jackknife(auc).reasons == {}
    never = Evaluated(table.assign(target=False), BINARY).jackknife(auc)
    assert never.reasons == {"roc_auc": "no row is positive"}
    assert np.isnan(never.values["roc_auc"])
    assert never.deleted["roc_auc"].isna().all()


def test_no_rows_have_no_value():
    metrics = list(metrics_of("binary").values())
    found = Evaluated(binary_table().iloc[:0], BINARY).jackknife(metrics)
    assert set(found.reasons.values()) == {"there are no rows"}
    assert found.values.isna().all()
    assert found.deleted.shape == (0, len(metrics) - 1)


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
