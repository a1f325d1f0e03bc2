"""Each warning appears when it should, says what to do, and is silent otherwise."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from crivo.evaluation.caveats import caveats, undefined
from crivo.evaluation.jackknife import Jackknife
from crivo.evaluation.metrics import find_metrics

AUC = find_metrics(["roc_auc"], "binary")
MEDIAN = find_metrics(["median_absolute_error", "mae"], "regression")


def result(deleted, value=0.7, *, name="roc_auc", reasons=None, count=10_000, ordered=True):
    table = pd.DataFrame({name: np.asarray(deleted, float)})
    return Jackknife(pd.Series({name: value}), table, reasons or {}, count, ordered)


NOISE = 0.7 + 0.01 * np.random.default_rng(1).standard_normal(61)
WAVE = 0.7 + 0.01 * np.sin(np.arange(61) / 5)


def test_independent_clusters_have_no_warning():
    assert caveats(result(NOISE), AUC) == []


def test_fewer_than_eight_clusters_are_few():
    assert caveats(result(NOISE[:8]), AUC) == []
    assert caveats(result(NOISE[:7]), AUC) == [
        "The intervals rest on 7 clusters only; below 8 they are rough. Choose "
        "evaluate.cluster or evaluate.block so that there are more."
    ]


def test_unequal_clusters_are_fewer_than_they_seem():
    assert caveats(result(NOISE[:12]), AUC, 8.0) == []
    assert caveats(result(NOISE[:12]), AUC, 4.96) == [
        "The 12 clusters are so unequal that they say as much as 5.0 equal ones; below 8 the "
        "intervals are rough. A few clusters, or a few rows with great weights, decide the result."
    ]


def test_one_cluster_has_no_interval():
    assert caveats(result(NOISE[:1]), AUC) == [
        "There are no intervals: they need two clusters at least, and there are 1."
    ]


def test_two_clusters_have_an_interval():
    assert caveats(result(NOISE[:2]), AUC)[0].startswith("The intervals rest on 2 clusters only")


def test_what_is_not_defined_is_said_with_its_reason():
    reasons = {"roc_auc": "no row is positive"}
    assert caveats(result([np.nan] * 9, np.nan, reasons=reasons), AUC) == [
        "roc_auc is not defined: no row is positive."
    ]
    reasons = {"roc_auc": "no row is positive without cluster 3"}
    assert caveats(result([np.nan, *NOISE], reasons=reasons), AUC) == [
        "roc_auc has no interval: no row is positive without cluster 3."
    ]


def test_whose_metric_is_not_defined_is_said():
    never = result([np.nan] * 9, np.nan, reasons={"roc_auc": "no row is positive"})
    assert undefined(never, " of the baseline") == [
        "roc_auc of the baseline is not defined: no row is positive."
    ]


def test_few_clusters_are_not_looked_at_for_a_series():
    # distances 2 3 3 1 -1 -3 -3 -2: products 6 9 3 -1 3 9 6 over 46 squares, above 0.707
    alike = [0.72, 0.73, 0.73, 0.71, 0.69, 0.67, 0.67, 0.68]
    assert caveats(result(alike), AUC)[0].startswith("roc_auc: neighbouring clusters are alike")
    assert [text[:13] for text in caveats(result(alike[:3] + alike[4:]), AUC)] == ["The intervals"]


def test_alike_neighbours_are_warned_of_when_clusters_have_an_order():
    found = caveats(result(WAVE), AUC)
    assert len(found) == 2
    assert found[0].startswith("roc_auc: neighbouring clusters are alike (autocorrelation 0.9")
    assert found[0].endswith("above 0.26), so its interval is too short.")
    assert found[1] == "Use longer blocks (evaluate.block): about 15 times as long."
    assert caveats(result(WAVE, ordered=False), AUC) == []


def test_perfection_in_every_cluster_is_no_certainty():
    assert caveats(result([1.0] * 9, 1.0), AUC) == [
        "roc_auc is 1 whichever cluster is left out; its interval has no width and promises "
        "too much."
    ]
    assert caveats(result([0.5] * 9, 0.5), AUC) == []  # constant scores: certain indeed


def test_a_metric_that_one_cluster_keeps_from_perfection_has_a_rough_interval():
    assert caveats(result([0.9, 0.91, 1.0, *[0.9] * 6], 0.9, ordered=False), AUC)[0] == (
        "roc_auc would be 1 without cluster 2, so few errors are there; its interval is rough."
    )


def test_a_cluster_that_decides_the_error_alone_is_named():
    """Distances 1 and -1/11, eleven times: 1 of 1 + 1/11, which is 92 %."""
    alone = [0.7] * 11 + [0.8]
    assert caveats(result(alone, ordered=False), AUC) == [
        "roc_auc: cluster 11 alone makes 92 % of its variance, so its interval is too short: "
        "there may be more like that one."
    ]
    (unnamed,) = caveats(result(alone, ordered=False), AUC, by_hash=True)
    assert unnamed.startswith(
        "roc_auc: a small part of the rows, drawn by chance, alone makes 92 %"
    )
    assert "decide the result" in caveats(result(alone, ordered=False), AUC, 7.9)[0]
    assert len(caveats(result(alone, ordered=False), AUC, 7.9)) == 1


@pytest.mark.no_cover
def test_of_equal_normal_clusters_hardly_one_decides_the_error():
    random = np.random.default_rng(0)
    drawn = 0.7 + 0.01 * random.standard_normal((500, 12))
    warned = [caveats(result(deleted, ordered=False), AUC) for deleted in drawn]
    assert sum(map(bool, warned)) <= 12  # 1 % of them, and chance


def test_quantiles_need_large_clusters():
    table = pd.DataFrame({"median_absolute_error": NOISE[:20], "mae": NOISE[:20]})
    values = pd.Series({"median_absolute_error": 0.7, "mae": 0.7})
    assert caveats(Jackknife(values, table, {}, 400, False), MEDIAN) == []
    assert caveats(Jackknife(values, table, {}, 399, False), MEDIAN) == [
        "median_absolute_error is a quantile, and 20 clusters of 399 rows are too small for it: "
        "its interval is too short."
    ]
