"""Slices where the clusters are many: they are merged, and a slice counts its own."""

import numpy as np
import pandas as pd
import pytest

from crivo.evaluation.clusters import jackknife_groups
from crivo.evaluation.jackknife import jackknife
from crivo.evaluation.slices import as_merged, fewer
from crivo.statistics.intervals import t_quantile
from tests.crivo.evaluation.sliced import CONTEXT, by_name, metrics, shops, table


def test_many_clusters_are_merged_and_counted_before() -> None:
    groups = jackknife_groups(table(clusters=120))
    few = jackknife_groups(table(clusters=25))
    assert fewer(few) is few
    merged = fewer(groups)
    assert merged.ordered
    assert len(merged.categories) == 25
    assert set(np.bincount(merged.codes)) == {40, 50}
    assert by_name(table(clusters=120, shop=shops(600, 600))).loc["shop = a", "clusters"] == 120


def test_a_slice_of_the_last_days_has_the_degrees_of_freedom_of_those_days() -> None:
    """200 days in 25 merged groups: the slice's twelve days would be in two of them."""
    predictions = table(rows=4000, clusters=200).sort_values("cluster", ignore_index=True)
    late = (predictions["cluster"] >= 188).map({True: "late", False: "early"})
    found = by_name(predictions.assign(slice_when=late), "log_loss").loc["when = late"]
    assert (found["rows"], found["clusters"]) == (240, 12)
    inside = (late == "late").to_numpy()
    groups = jackknife_groups(predictions)
    own = jackknife(predictions[inside], metrics("log_loss"), CONTEXT, groups[inside])
    se = np.sqrt(199 * np.var(own.deleted["log_loss"]))
    reach = found["log_loss_high"] - found["log_loss"]
    assert reach == pytest.approx(t_quantile(0.975, 12) * se)
    gap = (found["difference_high"] - found["difference_low"]) / 2
    assert gap > t_quantile(0.975, 12) * se


def test_merged_groups_change_what_their_groups_change_together() -> None:
    groups = pd.Categorical.from_codes(range(50), [str(n) for n in range(50)])
    changes = as_merged(pd.Series(np.arange(50.0)), groups)
    assert changes.tolist() == [4 * n + 1 - 2 * 24.5 for n in range(25)]
