"""Metrics with each cluster left out: what is missing is said, and without which cluster."""

import numpy as np

from crivo.core.blocks import Context
from crivo.evaluation.metrics import find_metrics, metrics_of
from crivo.evaluation.tasks import Evaluated
from tests.crivo.evaluation.tables import scored

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
    assert found.reasons == {"roc_auc": "no row is positive without cluster 3"}
    assert (found.count, found.ordered, found.deleted.index.name) == (120, True, "cluster")
    assert found.deleted["roc_auc"].isna().tolist() == [False] * 3 + [True] + [False] * 2
    never = Evaluated(table.assign(target=False), BINARY).jackknife(
        find_metrics(["roc_auc"], "binary")
    )
    assert never.reasons == {"roc_auc": "no row is positive"}
    assert np.isnan(never.values["roc_auc"])
    assert never.deleted["roc_auc"].isna().all()


def test_no_rows_have_no_value():
    metrics = list(metrics_of("binary").values())
    found = Evaluated(binary_table().iloc[:0], BINARY).jackknife(metrics)
    assert set(found.reasons.values()) == {"there are no rows"}
    assert found.values.isna().all()
    assert found.deleted.shape == (0, len(metrics) - 1)
