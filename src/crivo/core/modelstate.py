"""Checks the objects of a model file after they are made and before they are used.

A file can say what no fit would: trees that lead out of their arrays, a method's name in the place
of another, a function that takes a method's place. The libraries' compiled code doesn't look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from crivo.core.modelestimators import (
    check_asked,
    check_booster,
    check_centres,
    check_function,
    check_neighbours,
    check_one_hot,
    check_random_state,
    check_support_vectors,
    check_vectorizer,
)
from crivo.core.modeltrees import (
    check_decision_tree,
    check_gradient_boosting,
    check_histogram_boosting,
    check_neighbour_tree,
    full_name,
    require,
)

PLAIN = (str, bytes, bytearray, int, float, type(None), np.generic, type, FunctionType)
# Trees that only the estimator that was checked with them may hold.
HELD = frozenset(
    {
        "sklearn.tree._tree.Tree",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    }
)

# class -> the check of it and of those derived from it.
CHECKS: dict[str, Callable[[Any], Any]] = {
    "lightgbm.basic.Booster": check_booster,
    "numpy.random.mtrand.RandomState": check_random_state,
    "sklearn.cluster._kmeans._BaseKMeans": check_centres,
    "sklearn.ensemble._gb.BaseGradientBoosting": check_gradient_boosting,
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.BaseHistGradientBoosting": (
        check_histogram_boosting
    ),
    "sklearn.ensemble._stacking._BaseStacking": check_asked,
    "sklearn.feature_extraction._dict_vectorizer.DictVectorizer": check_vectorizer,
    "sklearn.feature_extraction._hash.FeatureHasher": check_vectorizer,
    "sklearn.feature_extraction.text._VectorizerMixin": check_vectorizer,
    "sklearn.model_selection._classification_threshold.BaseThresholdClassifier": check_asked,
    "sklearn.neighbors._base.NeighborsBase": check_neighbours,
    "sklearn.neighbors._kd_tree.KDTree": check_neighbour_tree,
    "sklearn.preprocessing._encoders.OneHotEncoder": check_one_hot,
    "sklearn.preprocessing._function_transformer.FunctionTransformer": check_function,
    "sklearn.svm._base.BaseLibSVM": check_support_vectors,
    "sklearn.tree._classes.BaseDecisionTree": check_decision_tree,
    "xgboost.core.Booster": check_booster,
}


def check_state(model: Any) -> None:
    """Raise ValueError when an object of a model is one that no fit would leave."""
    found = list(things(model))
    checks = {kind: _checks(kind) for kind in set(map(type, found))}
    checked: set[int] = set()
    for thing in found:
        for check in checks[type(thing)]:
            checked.update(id(tree) for tree in check(thing) or ())
    for thing in found:
        if full_name(type(thing)) in HELD:
            require(id(thing) in checked, "a tree has no estimator")


def things(model: Any) -> Iterator[Any]:
    """Give each object of a model once, but no plain values."""
    left, seen = [model], {}
    while left:
        thing = left.pop()
        if isinstance(thing, PLAIN) or id(thing) in seen:
            continue
        seen[id(thing)] = thing  # kept, so that no other gets its id
        yield thing
        left.extend(_parts(thing))


def _parts(thing: Any) -> Iterator[Any]:
    if isinstance(thing, Mapping):
        yield from thing.values()
    elif isinstance(thing, list | tuple | set | frozenset):
        yield from thing
    elif isinstance(thing, np.ndarray):
        yield from thing.flat if thing.dtype == object else ()
    elif isinstance(thing, partial):
        yield from (thing.func, *thing.args, *thing.keywords.values())
    yield from _attributes(thing).values()


def _attributes(thing: Any) -> Mapping[str, Any]:
    """Return an object's attributes; a partial function has none, and would get some if asked."""
    return {} if isinstance(thing, partial) else getattr(thing, "__dict__", {})


def _checks(kind: type) -> tuple[Callable[[Any], Any], ...]:
    """Return the checks of a class and of those it is derived from."""
    named = [CHECKS[name] for name in map(full_name, kind.__mro__) if name in CHECKS]
    return (_check_methods, *named)


def _check_methods(thing: Any) -> None:
    """No attribute may take the place of a method."""
    kind = type(thing)
    for name in _attributes(thing):
        if callable(getattr(kind, name, None)):
            raise ValueError(f"{name} of a {kind.__name__} is not its method")
