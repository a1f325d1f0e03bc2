"""A model file whose arrays or sizes no fit would leave is refused in a sentence, before use."""

import io
import json
import tracemalloc
import zipfile
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.neighbors import KDTree, KNeighborsClassifier
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from crivo.core import archives
from crivo.core.errors import CrivoError
from crivo.core.modelfile import dump_model, parse_model

from .crafted import archive, holding, node, plain, reads, rearranged, redescribed, sequence

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = np.arange(60) % 3
KINDS = pd.DataFrame({"a": X[:, 0], "kind": pd.Categorical(RNG.choice(list("pqr"), 60))})
Change = Callable[[np.ndarray], Any]

MODELS = {
    "tree": lambda: DecisionTreeClassifier(random_state=0).fit(X, Y),
    "forest": lambda: RandomForestClassifier(2, random_state=0).fit(X, Y),
    "gradient boosting": lambda: GradientBoostingClassifier(n_estimators=2).fit(X, Y),
    "histogram": lambda: HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=2).fit(X, Y),
    "categories": lambda: HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=2).fit(
        KINDS, KINDS["kind"] == "p"
    ),
    "neighbours": lambda: KNeighborsClassifier(2, leaf_size=5, algorithm="kd_tree").fit(X, Y),
}


@cache
def stored(name: str) -> bytes:
    return dump_model(MODELS[name]())


def refused(data: bytes, words: str) -> None:
    """Check that a file is refused in one sentence."""
    with pytest.raises(CrivoError) as error:
        parse_model(data, "model.skops")
    assert str(error.value).startswith("model.skops is no readable model file (")
    assert words in str(error.value)
    assert "\n" not in str(error.value)


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


def spoilt(model: Any, **state: Any) -> Any:
    """Return a model with other state."""
    vars(model).update(state)
    return model


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
        "is no function",
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


# ---- sizes


def packed(schema: bytes) -> bytes:
    return archive(reads(dump_model(DummyClassifier())) | {"schema.json": schema})


def peak(data: bytes) -> float:
    """Return how many megabytes it took at most to refuse a file."""
    tracemalloc.start()
    try:
        refused(data, "unpacks to more than")
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def test_a_small_file_does_not_fill_the_memory_with_blanks() -> None:
    assert peak(packed(b" " * 100_000_000 + b"{}")) < 60


def test_a_small_file_does_not_fill_the_memory_with_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST", 2**20)
    data = dump_model(spoilt(DummyClassifier(), zeros_=np.zeros(10**6)))
    refused(data, "unpacks to more than")


def test_members_count_as_often_as_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST", 10**6)
    monkeypatch.setattr(archives, "TIMES", 0)
    data = dump_model(spoilt(DummyClassifier(), zeros_=np.zeros(10**4)))
    parse_model(data)

    def often(schema: dict[str, Any]) -> None:
        attributes = schema["content"]["content"]
        copies = [attributes["zeros_"] | {"__id__": 5000 + i} for i in range(20)]
        attributes["zeros_"] = sequence(*copies)

    refused(redescribed(data, often), "unpacks to more than")


def npy(header: str, numbers: bytes = b"") -> bytes:
    start = f"{{'descr': {header}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(start).to_bytes(2, "little") + start.encode() + numbers


@pytest.mark.parametrize(
    "array",
    [
        npy("'<f8', 'fortran_order': False, 'shape': (1000000000000,)"),
        npy("'<U0', 'fortran_order': False, 'shape': (1000000000000,)"),
        npy("'<f8', 'fortran_order': False, 'shape': (0, 1000000000000)"),
        npy("'<f8', 'fortran_order': False, 'shape': (-1, -1)", bytes(8)),
        npy("'|O', 'fortran_order': False, 'shape': (1,)", bytes(8)),
        npy("'<f8', 'fortran_order': False, 'shape': (1,)", bytes(9)),
        b"PK\x05\x06" + bytes(18),
        b"",
    ],
)
def test_an_array_is_as_large_as_it_says(array: bytes) -> None:
    held = node("NdArrayNode", "numpy", "ndarray", type="numpy", file="a.npy")
    refused(archive(reads(holding(held)) | {"a.npy": array}), "")


@pytest.mark.parametrize("start", [b"[", b'{"a":', b'{"protocol":2,"content":['])
def test_a_description_nested_without_end_is_refused(start: bytes) -> None:
    refused(packed(start * 100_000), "Recursion")


def test_objects_nested_too_deeply_are_refused() -> None:
    held = sequence()
    for _ in range(200):
        held = sequence(held)
    refused(holding(held), "nested more than 100 deep")


def test_lists_that_hold_each_other_many_times_are_refused() -> None:
    """A few lines would stand for ten thousand million objects."""
    lists = [sequence(plain(1), __id__=9000)]
    for i in range(1, 11):
        again = [{**lists[-1], "content": []}] * 9
        lists.append(sequence(lists[-1], *again, __id__=9000 + i))
    refused(holding(lists[-1]), "objects")


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_is_unpacked_at_one_go_is_refused(packing: int) -> None:
    refused(archive(reads(dump_model(DummyClassifier())), packing), "neither stored nor deflated")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused() -> None:
    target = io.BytesIO(dump_model(DummyClassifier()))
    with zipfile.ZipFile(target, "a") as file:
        file.writestr("schema.json", json.dumps({}))
    refused(target.getvalue(), "the same name")
