"""A model whose attributes no fit would leave is refused in a sentence, before use."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import GradientBoostingClassifier, StackingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.neighbors import KDTree, KNeighborsClassifier
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from crivo.core.modelfile import dump_model, parse_model

from .fitted import MODELS, X, Y, refused, spoilt


def without(model: Any, *names: str) -> Any:
    for name in names:
        delattr(model, name)
    return model


def boosting() -> Any:
    return MODELS["gradient boosting"]()


def histogram() -> Any:
    return MODELS["histogram"]()


def encoder(**state: Any) -> Any:
    return spoilt(OneHotEncoder(min_frequency=25).fit(Y.reshape(-1, 1)), **state)


def support(**state: Any) -> Any:
    return spoilt(SVC().fit(X, Y), **state)


def stack(method: str) -> Any:
    inner = [("a", LogisticRegression())]
    model = StackingClassifier(inner).fit(X, Y)
    return spoilt(model, stack_method_=[method], named_estimators_=None)


STRANGE: dict[str, tuple[str, Callable[[], Any]]] = {
    "a tree of fewer features": (
        "a DecisionTreeClassifier has other features",
        lambda: spoilt(MODELS["tree"](), n_features_in_=2),
    ),
    "a tree that takes any features": (
        "a DecisionTreeClassifier has other features",
        lambda: without(MODELS["tree"](), "n_features_in_"),
    ),
    "a tree of no estimator": ("a tree has no estimator", lambda: [MODELS["tree"]().tree_]),
    "a tree that is a list": (
        "a decision tree has no tree",
        lambda: spoilt(MODELS["tree"](), tree_=[1]),
    ),
    "stages of one tree less": (
        "a stage has other trees",
        lambda: spoilt(boosting(), n_trees_per_iteration_=2),
    ),
    "stages of another tree": (
        "a tree is none",
        lambda: spoilt(boosting(), estimators_=np.array([[1, 2, 3]], object)),
    ),
    "a start in two classes": (
        "more trees than classes",
        lambda: spoilt(boosting(), init_=DummyClassifier(strategy="prior").fit([[0], [1]], [0, 1])),
    ),
    "a start in another estimator": (
        "starts from another estimator",
        lambda: spoilt(boosting(), init_=LogisticRegression()),
    ),
    "bins of other features": (
        "bins are of other features",
        lambda: spoilt(histogram(), n_features_in_=2),
    ),
    "trees of any features": ("has other features", lambda: without(histogram(), "n_features_in_")),
    "rows made otherwise": (
        "rows are made",
        lambda: spoilt(histogram(), _preprocessor=OneHotEncoder()),
    ),
    "a predictor that is none": ("a tree is none", lambda: spoilt(histogram(), _predictors=[[1]])),
    "neighbours of other classes": (
        "a class of a row is out of range",
        lambda: spoilt(MODELS["neighbours"](), _y=np.full(60, 3)),
    ),
    "neighbours of fewer rows": (
        "other rows than classes",
        lambda: spoilt(MODELS["neighbours"](), _y=Y[:9]),
    ),
    "an empty tree of neighbours": (
        "tree of rows",
        lambda: spoilt(MODELS["neighbours"](), _tree=KDTree.__new__(KDTree)),
    ),
    "centres of other features": (
        "centres have other features",
        lambda: spoilt(KMeans(2, n_init=1).fit(X), cluster_centers_=np.zeros((2, 2))),
    ),
    "fewer support vectors": (
        "support_vectors_ has another shape",
        lambda: support(support_vectors_=np.zeros((2, 3))),
    ),
    "support vectors of other features": (
        "support_vectors_ has another shape",
        lambda: support(n_features_in_=9),
    ),
    "no intercepts": ("_intercept_ has another shape", lambda: support(_intercept_=np.zeros(1))),
    "coefficients of one class": (
        "_dual_coef_ has another shape",
        lambda: support(_dual_coef_=np.zeros((1, 1))),
    ),
    "a group of categories too far": (
        "a group of an encoder is out of range",
        lambda: encoder(_default_to_infrequent_mappings=[np.array([0, 9, 1])]),
    ),
    "fewer columns than categories": (
        "other columns than categories",
        lambda: encoder(_n_features_outs=[1], _infrequent_enabled=False),
    ),
    "places of words too far": (
        "vocabulary is not numbered",
        lambda: spoilt(CountVectorizer().fit(["a word"]), vocabulary_={"word": 10**9}),
    ),
    "words from files": (
        "reads files",
        lambda: spoilt(CountVectorizer().fit(["a word"]), input="filename"),
    ),
    "a method by name": ("asks for another method", lambda: stack("get_params")),
    "a response by name": (
        "asks for another method",
        lambda: spoilt(
            FixedThresholdClassifier(LogisticRegression()).fit(X, Y > 0),
            response_method="set_params",
        ),
    ),
    "a function in a method's place": (
        "predict of a DecisionTreeClassifier is not its method",
        lambda: spoilt(MODELS["tree"](), predict=np.sin),
    ),
    "an estimator as a function": (
        "isn't a function",
        lambda: FunctionTransformer(LogisticRegression()),
    ),
    "random numbers beyond the table": (
        "random numbers is none",
        lambda: spoilt(DummyClassifier(), random_state=_beyond(np.random.RandomState(0))),
    ),
}


def _beyond(state: np.random.RandomState) -> np.random.RandomState:
    inner = state.get_state(legacy=False)
    inner["state"]["pos"] = 10**6
    state.set_state(inner)
    return state


@pytest.mark.parametrize("name", STRANGE)
def test_a_state_that_no_fit_leaves_is_refused(name: str) -> None:
    words, make = STRANGE[name]
    refused(dump_model(make()), words)


GOOD = [
    *MODELS.values(),
    lambda: OneHotEncoder(min_frequency=25).fit(Y.reshape(-1, 1)),
    lambda: OneHotEncoder(drop="first").fit(Y.reshape(-1, 1)),
    lambda: OneHotEncoder(drop="if_binary", max_categories=2).fit(np.column_stack([Y, Y > 0])),
    lambda: KMeans(2, n_init=1).fit(X),
    lambda: SVC(kernel="precomputed").fit(X @ X.T, Y),
    lambda: CountVectorizer().fit(["one word", "more"]),
    lambda: KNeighborsClassifier(algorithm="brute").fit(X, np.column_stack([Y, Y > 0])),
    lambda: GradientBoostingClassifier(n_estimators=1, init="zero").fit(X, Y > 0),
    lambda: FunctionTransformer(np.log1p),
    lambda: DecisionTreeClassifier(),
    lambda: DecisionTreeClassifier(ccp_alpha=0.02).fit(X, Y),
    lambda: DecisionTreeClassifier(max_leaf_nodes=5).fit(X, np.column_stack([Y, Y > 0])),
]


@pytest.mark.parametrize("make", GOOD)
def test_what_a_fit_leaves_is_taken(make: Callable[[], Any]) -> None:
    model = make()
    data = dump_model(model)
    assert type(parse_model(data)) is type(model)
