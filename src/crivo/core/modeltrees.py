"""Checks the arrays of trees, which the libraries follow without looking where they lead.

A child or a feature out of range reads memory that is not the tree's, a node that is its own
ancestor is never left. Each check raises ValueError with what is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

# Functions that call themselves go as deep as a tree of LightGBM or XGBoost.
DEEPEST = 10_000
# A leaf's children in scikit-learn's trees.
LEAF = -1
# Words of 32 bits in a set of 256 categories.
WORDS = 8
CHECK_ARRAY = "sklearn.utils.validation.check_array"


def require(condition: Any, problem: str) -> None:
    """Raise ValueError with the problem unless the condition holds."""
    if not condition:
        raise ValueError(problem)


def full_name(kind: Any) -> str:
    """Return the module and name of a class or function."""
    return f"{getattr(kind, '__module__', '')}.{getattr(kind, '__qualname__', '')}"


def require_branches(left: np.ndarray, right: np.ndarray, inner: np.ndarray) -> None:
    """Check that each node but the first is the child of one node, which comes before it.

    `left`, `right`: the children of each node; `inner`: which nodes have any.
    """
    nodes = len(inner)
    require(nodes, "a tree has no nodes")
    parents = np.flatnonzero(inner)
    children = np.concatenate([left[parents], right[parents]]).astype(np.int64)
    within = len(children) == nodes - 1 and (children < nodes).all()
    later = (children > np.concatenate([parents, parents])).all()
    once = within and later and (np.bincount(children, minlength=nodes)[1:] == 1).all()
    require(once, "the children of a tree's nodes aren't a tree")


def require_descent(left: Sequence[int], right: Sequence[int], nodes: int) -> None:
    """Check that each child comes after its one parent, and that a tree is not too deep.

    `left`, `right`: the children of each inner node, or of each node with -1 for no child.
    """
    depths = {0: 0}
    for parent, children in enumerate(zip(left, right, strict=True)):
        if set(children) == {-1}:
            continue
        for child in children:
            require(
                parent < child < nodes and child not in depths, "a child of a tree isn't a child"
            )
            require(parent in depths, "a tree has a second root")
            depths[child] = depths[parent] + 1
    require(max(depths.values()) <= DEEPEST, f"a tree is more than {DEEPEST:,} deep")


def require_range(values: np.ndarray, below: int, what: str) -> None:
    """Check that the values are places in something of a length."""
    require(not len(values) or 0 <= values.min() <= values.max() < below, f"{what} out of range")


def check_tree(tree: Any) -> None:
    """Check a tree of scikit-learn's forests, decision trees and gradient boosting."""
    require(full_name(type(tree)) == "sklearn.tree._tree.Tree", "a decision tree has no tree")
    state = tree.__getstate__()
    nodes = state["nodes"]
    left, right = nodes["left_child"], nodes["right_child"]
    inner = left != LEAF
    require(((right != LEAF) == inner).all(), "a node of a tree has one child")
    require_branches(left, right, inner)
    require_range(nodes["feature"][inner], tree.n_features, "a feature of a tree is")
    require(tree.n_outputs > 0 and tree.max_n_classes > 0, "a tree has nothing to say")


def check_decision_tree(estimator: Any) -> list[Any]:
    """Check a decision tree, which is given as many features as it says; return its tree."""
    tree = vars(estimator).get("tree_")
    if tree is None:
        return []
    check_tree(tree)
    require_features(estimator, tree.n_features)
    require(vars(estimator).get("n_outputs_") == tree.n_outputs, "a tree has other outputs")
    return [tree]


def require_features(estimator: Any, features: int) -> None:
    """Check that an estimator refuses rows of another number of features."""
    n_features = vars(estimator).get("n_features_in_")
    is_count = isinstance(n_features, int | np.integer) and not isinstance(n_features, bool)
    require(is_count and n_features == features, f"a {type(estimator).__name__} has other features")


def check_gradient_boosting(estimator: Any) -> None:
    """Check that the trees of a gradient boosting write into the columns that there are."""
    from sklearn.dummy import DummyClassifier, DummyRegressor
    from sklearn.tree import DecisionTreeRegressor

    state = vars(estimator)
    if "estimators_" not in state:
        return
    trees = state["estimators_"]
    require(isinstance(trees, np.ndarray) and trees.ndim == 2 and trees.size, "there are no trees")
    require(all(type(tree) is DecisionTreeRegressor for tree in trees.flat), "a tree is none")
    for tree in trees.flat:
        require_features(tree, state.get("n_features_in_", -1))
    columns, first = trees.shape[1], state.get("init_")
    if type(first) is DummyClassifier and columns > 1:
        require(len(first.class_prior_) == columns, "there are more trees than classes")
    known = first == "zero" or type(first) in (DummyClassifier, DummyRegressor)
    require(columns == 1 or known, "it starts from another estimator, which can't be checked")
    require(state.get("n_trees_per_iteration_", columns) == columns, "a stage has other trees")


def check_histogram_boosting(estimator: Any) -> list[Any]:
    """Check the trees of a histogram gradient boosting; return them."""
    state = vars(estimator)
    if "_predictors" not in state:
        return []
    features = _inputs(estimator)
    mapper = state.get("_bin_mapper")
    categorical = np.asarray(mapper.is_categorical_).astype(bool)
    require(categorical.shape == (features,), "the bins are of other features")
    trees = [tree for stage in state["_predictors"] for tree in stage]
    for tree in trees:
        _check_predictor(tree, categorical)
    return trees


def _check_predictor(tree: Any, categorical: np.ndarray) -> None:
    name = "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor"
    require(full_name(type(tree)) == name, "a tree is none")
    nodes = tree.nodes
    require(nodes.ndim == 1, "a tree has no nodes")
    inner = nodes["is_leaf"] == 0
    require_branches(nodes["left"], nodes["right"], inner)
    require_range(nodes["feature_idx"][inner], len(categorical), "a feature of a tree is")
    by_category = inner & (nodes["is_categorical"] != 0)
    if by_category.any():
        used = categorical[nodes["feature_idx"][by_category]]
        require(used.all(), "a tree splits a number by its categories")
    for sets in (tree.raw_left_cat_bitsets, tree.binned_left_cat_bitsets):
        require(sets.ndim == 2 and sets.shape[1] == WORDS, "a tree's categories are none")
        require_range(nodes["bitset_idx"][by_category], len(sets), "a set of categories is")


def _inputs(estimator: Any) -> int:
    """Return how many columns reach the trees of a histogram gradient boosting."""
    before = vars(estimator).get("_preprocessor")
    if before is None:
        features = int(vars(estimator).get("n_features_in_", -1))
        require_features(estimator, features)
        return features
    require(_is(before, "sklearn.compose._column_transformer.ColumnTransformer"), "rows are made")
    return sum(_columns(step, columns) for _, step, columns in before.transformers_)


def _columns(step: Any, columns: Any) -> int:
    """Return how many columns a step gives that scikit-learn itself puts before the trees."""
    if isinstance(step, str) and step == "drop":
        return 0
    chosen = np.asarray(columns)
    func = getattr(vars(step).get("func"), "func", None)
    keeps = _is(step, "sklearn.preprocessing._encoders.OrdinalEncoder") or (
        _is(step, "sklearn.preprocessing._function_transformer.FunctionTransformer")
        and full_name(func) == CHECK_ARRAY
        and not step.func.args
    )
    require(
        keeps and chosen.dtype == bool, "its rows are changed before the trees in a strange way"
    )
    return int(chosen.sum())


def _is(thing: Any, name: str) -> bool:
    return full_name(type(thing)) == name


def check_neighbour_tree(tree: Any) -> None:
    """Check a tree of rows among which neighbours are sought."""
    data, order, nodes, bounds, leaf_size, _, count, *_, metric, weights = tree.__getstate__()
    rows = len(data)
    require(rows and np.shape(order) == (rows,) and leaf_size > 0, "a tree of rows has none")
    require_range(np.asarray(order), rows, "a row of a tree is")
    require(count > 0 and nodes.shape == (count,), "a tree of rows has other nodes")
    require(np.shape(bounds) == (2, count, data.shape[1]), "a tree of rows has other bounds")
    start, end = nodes["idx_start"], nodes["idx_end"]
    within = (start >= 0).all() and (start <= end).all() and (end <= rows).all()
    require(within, "a node of a tree has other rows")
    require(weights is None or len(weights) == rows, "a tree of rows has other weights")
    metric_name = "sklearn.metrics._dist_metrics.EuclideanDistance64"
    require(_is(metric, metric_name), "a tree of rows has no distance")
    level = np.zeros(1, dtype=np.int64)
    while len(level):
        inner = level[nodes["is_leaf"][level] == 0]
        level = np.concatenate([2 * inner + 1, 2 * inner + 2])
        require(not len(level) or level.max() < count, "a tree of rows ends without leaves")
