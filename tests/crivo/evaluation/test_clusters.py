"""Which rows are left out together, and whether they have an order."""

import numpy as np
import pandas as pd
import pytest

from crivo.core.predictions import assign_clusters
from crivo.evaluation.jackknife import jackknife_groups


def groups(clusters, ids=None):
    ids = [f"row {i}" for i in range(len(clusters))] if ids is None else ids
    return jackknife_groups(pd.DataFrame({"id": ids, "cluster": clusters}))


def test_a_group_is_a_cluster():
    found = groups(["b", "a", "b"])
    assert list(found) == ["b", "a", "b"]
    assert not found.ordered


@pytest.mark.parametrize(
    ("clusters", "order"),
    [
        ([10, 9, 101], ["9", "10", "101"]),
        (["10", "-9", "1.5"], ["-9", "1.5", "10"]),
        (["2013-10-01", "2013-09-30"], ["2013-09-30", "2013-10-01"]),
        (["2013-10-01 06:00", "2013-10-01 05:00"], ["2013-10-01 05:00", "2013-10-01 06:00"]),
        (["2013-10", "2013-09"], ["2013-09", "2013-10"]),
        (pd.to_datetime(["2013-10-01", "2013-09-30"]), ["2013-09-30", "2013-10-01"]),
    ],
)
def test_numbers_and_dates_have_an_order(clusters, order):
    found = groups(clusters)
    assert found.ordered
    assert found.categories.tolist() == order


@pytest.mark.parametrize("clusters", [["JFK", "10"], ["7a", "8a"], ["2013-09-30", "10"]])
def test_names_have_no_order(clusters):
    assert not groups(clusters).ordered


def test_clusters_made_from_a_hash_of_the_id_have_no_order():
    rows = pd.DataFrame({"key": [f"row {i}" for i in range(100)]})
    clusters = assign_clusters(rows, "key")
    assert not groups(clusters, rows["key"]).ordered
    assert groups(clusters, rows["key"].tolist()[::-1]).ordered
    for place, ordered in ((19, True), (20, False)):  # twenty rows tell
        assert groups(clusters.where(clusters.index != place, 50), rows["key"]).ordered is ordered


def test_ordered_clusters_beyond_200_are_merged_with_their_neighbours():
    found = groups(np.repeat(np.arange(400), 3))
    assert found.codes.tolist() == np.repeat(np.arange(200), 6).tolist()
    assert groups(np.arange(5, 205)).categories[0] == "5"
    assert found.ordered


def test_named_clusters_beyond_200_are_merged_evenly_and_always_alike():
    names = [f"customer {i:03d}" for i in range(500)]
    found = groups(names)
    sizes = np.bincount(found.codes)
    assert (len(found.categories), sizes.min(), sizes.max()) == (200, 2, 3)
    assert (np.diff(found.codes) != 0).mean() > 0.9  # not by the alphabet
    by_name = dict(zip(names, found, strict=True))
    assert list(groups(names[::-1])) == [by_name[name] for name in names[::-1]]
