"""Checks the bytes of an XGBoost model before XGBoost reads them, which follows its trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from crivo.core.modeltrees import require, require_descent, require_range
from crivo.core.ubjson import parse_ubjson

OF_NODES = (
    "left_children", "right_children", "parents", "split_indices", "split_conditions",
    "split_type", "default_left", "base_weights", "loss_changes", "sum_hessian",
)  # fmt: skip
OF_CATEGORIES = (
    "categories", "categories_nodes", "categories_segments", "categories_sizes",
)  # fmt: skip
SAME = ("num_feature", "num_class", "num_target")
CATEGORICAL = 1
# XGBoost makes a set of bits as long as its largest number; floats count no further.
MAX_CATEGORIES = 2**24


def check_xgboost(data: bytes) -> None:
    """Raise ValueError unless bytes are a model of trees that XGBoost can follow to the leaves."""
    require(data.startswith(b"{L"), "an XGBoost model is in another format")
    document = parse_ubjson(data)
    learner, config = _at(document, "Model", "learner"), _at(document, "Config", "learner")
    for part in (learner, config):
        require(_at(part, "gradient_booster", "name") == "gbtree", "a booster is of another kind")
    sizes, again = (_at(part, "learner_model_param") for part in (learner, config))
    require(all(_number(sizes, key) == _number(again, key) for key in SAME), "two sizes differ")
    require(_number(sizes, "num_target") == 1, "an XGBoost model has several targets")
    booster = _at(config, "learner_train_param", "booster")
    require(booster == "gbtree", "a booster is of another kind")
    classes = _number(sizes, "num_class")
    _check_objectives(_at(learner, "objective"), _at(config, "objective"), classes)
    _check_forest(_at(learner, "gradient_booster", "model"), _number(sizes, "num_feature"), classes)


def _check_objectives(one: Any, other: Any, classes: int) -> None:
    require(one == other, "an XGBoost model has two objectives")
    if str(_at(one, "name")).startswith("multi:"):
        own = _number(_at(one, "softmax_multiclass_param"), "num_class")
        require(own == classes, "an objective has other classes")


def _check_forest(model: Any, features: int, classes: int) -> None:
    trees, info = _list(model, "trees"), _whole(model, "tree_info")
    params = _at(model, "gbtree_model_param")
    require(_number(params, "num_trees") == len(trees) == len(info), "trees are missing")
    require(_number(params, "num_parallel_tree") >= 1, "trees are missing")
    require_range(info, max(classes, 1), "a class of a tree is")
    if "iteration_indptr" in model:
        _require_edges(_whole(model, "iteration_indptr"), len(trees))
    for i, tree in enumerate(trees):
        require(_at(tree, "id") == i, "trees are not numbered")
        _check_tree(tree, features)
    if "cats" in model:
        _check_levels(_at(model, "cats"), features)


def _check_tree(tree: Any, features: int) -> None:
    params = _at(tree, "tree_param")
    nodes = _number(params, "num_nodes")
    require(_number(params, "size_leaf_vector") <= 1, "a leaf of a tree is a vector")
    require(_number(params, "num_feature") == features, "a tree has other features")
    require(nodes >= 1, "a tree has no nodes")
    for key in OF_NODES:
        require(len(_array(tree, key)) == nodes, f"a tree has another number of {key}")
    left, right = _whole(tree, "left_children"), _whole(tree, "right_children")
    require_descent(left.tolist(), right.tolist(), nodes)
    inner = np.flatnonzero(left != -1)
    require_range(_whole(tree, "split_indices")[inner], features, "a feature of a tree is")
    parents = _whole(tree, "parents")
    own = (parents[left[inner]] == inner) & (parents[right[inner]] == inner)
    require(own.all(), "a node of a tree has another parent")
    _check_categories(tree, nodes)


def _check_categories(tree: Any, nodes: int) -> None:
    values, places, starts, sizes = (_whole(tree, key) for key in OF_CATEGORIES)
    require(len(places) == len(starts) == len(sizes), "a set of categories is missing")
    require_range(places, nodes, "a node of categories is")
    require((np.diff(places) > 0).all(), "nodes of categories are not in order")
    require_range(starts, len(values) + 1, "a set of categories is")
    require_range(sizes, len(values) + 1, "a set of categories is")
    require((starts + sizes <= len(values)).all(), "a set of categories is out of range")
    require_range(values, MAX_CATEGORIES, "a category is")
    kinds = _whole(tree, "split_type")
    require_range(kinds, 2, "a kind of a split is")
    split = np.flatnonzero((kinds == CATEGORICAL) & (_whole(tree, "left_children") != -1))
    require(np.isin(split, places).all(), "a set of categories is missing")


def _check_levels(levels: Any, features: int) -> None:
    """The names of the categories of a table, by which XGBoost numbers those of another."""
    columns, order = _list(levels, "enc"), _whole(levels, "sorted_idx")
    edges = _whole(levels, "feature_segments")
    if not columns:
        require(not len(edges) and not len(order), "levels of categories are missing")
        return
    require(len(columns) == features == len(edges) - 1, "levels of categories are missing")
    _require_edges(edges, len(order))
    for i, column in enumerate(columns):
        count = int(edges[i + 1] - edges[i])
        require_range(order[edges[i] : edges[i + 1]], count, "a level of categories is")
        values = _array(column, "values")
        if "offsets" in column and count:
            _require_edges(_whole(column, "offsets"), len(values))
            require(len(column["offsets"]) == count + 1, "levels of categories are missing")
        else:
            require(len(values) == count, "levels of categories are missing")


def _require_edges(edges: np.ndarray, last: int) -> None:
    ends = len(edges) and edges[0] == 0 and edges[-1] == last
    require(ends and (np.diff(edges) >= 0).all(), "a part of an XGBoost model is out of range")


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        require(isinstance(value, dict) and key in value, f"an XGBoost model has no {key}")
        value = value[key]
    return value


def _list(value: Any, key: str) -> list[Any]:
    items = _at(value, key)
    require(isinstance(items, list), f"{key} of an XGBoost model isn't a list")
    return list(items)


def _array(value: Any, key: str) -> np.ndarray:
    array = np.asarray(_at(value, key))
    require(array.ndim == 1, f"{key} of an XGBoost model isn't a list")
    return array


def _whole(value: Any, key: str) -> np.ndarray:
    array = _array(value, key)
    require(not len(array) or array.dtype.kind in "iu", f"{key} holds no whole numbers")
    return array.astype(np.int64)


def _number(value: Any, key: str) -> int:
    text = _at(value, key)
    plain = isinstance(text, str) and text.isascii() and text.isdigit() and len(text) < 10
    require(plain, f"{key} of an XGBoost model isn't a whole number")
    return int(text)
