"""A tree in a model file leads to its own leaves and rows; another is refused in a sentence."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from .crafted import rearranged
from .fitted import refused, stored

Change = Callable[[np.ndarray], Any]


def put(field: str, value: Any, at: int = 0) -> Change:
    """Return a change that writes a value into a record."""

    def change(records: np.ndarray) -> None:
        records[field][at] = value

    return change


SKLEARN = {
    "far away": put("left_child", 10**9),
    "behind": put("right_child", 10**9),
    "loop": put("left_child", 0),
    "negative": put("left_child", -7),
    "one child": put("right_child", -1),
    "shared": lambda nodes: put("left_child", nodes["right_child"][0])(nodes),
    "feature": put("feature", 3),
    "negative feature": put("feature", -1),
}
HISTOGRAM = {
    "far away": put("left", 10**9),
    "loop": put("left", 0),
    "shared": lambda nodes: put("left", nodes["right"][0])(nodes),
    "feature": put("feature_idx", 3),
    "negative feature": put("feature_idx", -1),
    "no leaves": lambda nodes: put("is_leaf", 0, slice(None))(nodes),
    "a set of categories": lambda nodes: put("is_categorical", 1)(nodes),
    "no nodes": lambda nodes: nodes[:0],
    "a table of nodes": lambda nodes: nodes.reshape(1, -1),
}


@pytest.mark.parametrize("change", SKLEARN)
@pytest.mark.parametrize("name", ["tree", "forest", "gradient boosting"])
def test_the_trees_of_scikit_learn_lead_to_their_own_leaves(name: str, change: str) -> None:
    refused(rearranged(stored(name), "left_child", SKLEARN[change]), "tree")


@pytest.mark.parametrize("change", HISTOGRAM)
def test_the_trees_of_histogram_boosting_lead_to_their_own_leaves(change: str) -> None:
    refused(rearranged(stored("histogram"), "is_leaf", HISTOGRAM[change]), "")


def test_a_split_by_categories_has_its_set_of_them() -> None:
    def change(nodes: np.ndarray) -> None:
        nodes["bitset_idx"][nodes["is_categorical"] == 1] = 10**6

    refused(rearranged(stored("categories"), "is_leaf", change), "set of categories is out of")


@pytest.mark.parametrize(
    "change",
    [put("idx_end", 61), put("idx_start", -1), put("is_leaf", 0, -1), lambda nodes: nodes[:-1]],
)
def test_a_tree_of_neighbours_leads_to_its_own_rows(change: Change) -> None:
    refused(rearranged(stored("neighbours"), "idx_start", change), "tree")
