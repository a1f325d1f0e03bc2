"""Checks the state of estimators whose compiled code trusts it.

Each check raises ValueError with what is wrong; a test holds up what shipped estimators leave.
"""

from __future__ import annotations

import ctypes
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from crivo.core.modeltrees import require, require_range

# The methods that estimators may be asked for by a name in the file.
ASKED = frozenset({"auto", "predict", "predict_proba", "decision_function", "transform"})
# The last place in the table of numpy's oldest random numbers.
LAST = 624


def check_asked(thing: Any) -> None:
    state = vars(thing)
    asked = [state.get("response_method", "auto"), *state.get("stack_method_", ())]
    known = all(isinstance(name, str) and name in ASKED for name in asked)
    require(known, f"a {type(thing).__name__} asks for another method")


def check_function(transformer: Any) -> None:
    for name in ("func", "inverse_func"):
        function = vars(transformer).get(name)
        known = function is None or isinstance(function, FunctionType | partial | np.ufunc)
        require(known, f"{name} of a transformer isn't a function")


def check_vectorizer(vectorizer: Any) -> None:
    """Texts come as they are: a vectorizer can also read the files that they name."""
    state = vars(vectorizer)
    require(state.get("input", "content") == "content", "a vectorizer reads files")
    places = state.get("n_features", 1)
    require(isinstance(places, int) and 0 < places < 2**31, "a vectorizer has no features")
    for name in ("vocabulary_", "_vocabulary"):
        if name in state:
            order = sorted(state[name].values())
            require(order == list(range(len(order))), "a vocabulary is not numbered")


def check_one_hot(encoder: Any) -> None:
    """Each category must have a column among those that its feature gets."""
    state = vars(encoder)
    if "_n_features_outs" not in state:
        return
    columns, levels = state["_n_features_outs"], [len(known) for known in state["categories_"]]
    groups = state.get("_default_to_infrequent_mappings") or [None] * len(levels)
    if not state.get("_infrequent_enabled"):
        groups = [None] * len(levels)
    dropped = state.get("_drop_idx_after_grouping")
    dropped = [None] * len(levels) if dropped is None else list(dropped)
    require(len(columns) == len(levels) == len(groups) == len(dropped), "an encoder lacks levels")
    for size, level, group, drop in zip(columns, levels, groups, dropped, strict=True):
        if group is not None:
            require(np.asarray(group).shape == (level,), "an encoder's groups are none")
            require_range(group, level, "a group of an encoder is")
            level = int(max(group)) + 1 if len(group) else 0
        gone = drop is not None and 0 <= drop < level
        require(size == level - gone, "an encoder has other columns than categories")


def check_neighbours(estimator: Any) -> None:
    """The classes of the rows, and the rows that a neighbour is sought among."""
    state = vars(estimator)
    labels, classes = state.get("_y"), state.get("classes_")
    if labels is None or classes is None:
        return
    many = isinstance(classes, list)
    sizes = [len(each) for each in classes] if many else [len(classes)]
    columns = np.asarray(labels).reshape(len(labels), -1).T
    require(len(columns) == len(sizes), "the rows have other classes")
    rows = state.get("_fit_X")
    require(rows is not None and rows.shape[0] == len(labels), "there are other rows than classes")
    for column, size in zip(columns, sizes, strict=True):
        require_range(column, size, "a class of a row is")


def check_centres(estimator: Any) -> None:
    """The centres of clusters have the columns of the rows."""
    state = vars(estimator)
    centres = state.get("cluster_centers_")
    if centres is not None:
        shape = (len(centres), state.get("n_features_in_"))
        require(len(centres) and np.shape(centres) == shape, "the centres have other features")


def check_support_vectors(estimator: Any) -> None:
    """Support vectors, their coefficients and their classes are as many as each other."""
    state = vars(estimator)
    if "support_vectors_" not in state:
        return
    require(not state.get("_sparse"), "its support vectors are sparse")
    vectors, counts = len(state["support_"]), state["_n_support"]
    classes = 2
    if state.get("_impl", type(estimator)._impl) in ("c_svc", "nu_svc"):
        classes = len(state["classes_"])
        require(counts.sum() == vectors, "the classes have other support vectors")
    pairs = classes * (classes - 1) // 2
    shapes = {
        "support_vectors_": (vectors, state.get("n_features_in_")),
        "support_": (vectors,),
        "_n_support": (classes,),
        "_dual_coef_": (classes - 1, vectors),
        "_intercept_": (pairs,),
    }
    if state.get("kernel") == "precomputed" or callable(state.get("kernel")):
        shapes.pop("support_vectors_")
        require_range(state["support_"], state["shape_fit_"][0], "a support vector is")
    for name, shape in shapes.items():
        require(np.shape(state[name]) == shape, f"{name} has another shape")
    require((counts >= 0).all(), "a class has less than no support vectors")
    for name in ("_probA", "_probB"):
        require(np.shape(state[name]) in ((0,), (pairs,)), f"{name} has another shape")


def check_random_state(state: Any) -> None:
    """The place in the table of random numbers is one."""
    place = state.get_state(legacy=False)["state"]["pos"]
    require(0 <= place <= LAST, "the state of random numbers is none")


def check_booster(booster: Any) -> None:
    """The library has read its own text, and gave a handle for it."""
    state = vars(booster)
    handle = state.get("_handle", state.get("handle"))
    require(isinstance(handle, ctypes.c_void_p) and handle.value, "a booster has no trees")
