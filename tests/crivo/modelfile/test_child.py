"""A crafted model file ends in a sentence, or in an answer, and the process that asked goes on."""

import json
import pickle
import struct
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KDTree
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC

from crivo.core.errors import CrivoError
from crivo.modelfile import child as modelchild
from crivo.modelfile.canonical import dump_model
from crivo.modelfile.child import Child

from .crafted import archive, holding, node, plain, reads, rearranged, redescribed, sequence
from .fitted import MODELS, X, Y, stored

ASKED = f"{__package__}.asked"
Make = Callable[[], bytes]


def spoilt(model: Any, **state: Any) -> bytes:
    """Return the file of a model with other state."""
    vars(model).update(state)
    return dump_model(model)


def nodes(name: str, field: str, of: str, value: Any, at: Any = 0) -> Make:
    """Return what makes a file in whose trees one value is another."""

    def change(records: np.ndarray) -> None:
        records[field][at] = value

    return lambda: rearranged(stored(name), of, change)


def boosting(**state: Any) -> Make:
    return lambda: spoilt(MODELS["gradient boosting"](), **state)


def support(**state: Any) -> Make:
    return lambda: spoilt(SVC().fit(X, Y), **state)


def encoder(fit: dict[str, Any], **state: Any) -> Make:
    return lambda: spoilt(OneHotEncoder(**fit).fit(Y.reshape(-1, 1)), **state)


def npy(header: str, numbers: bytes = b"") -> Make:
    """Return what makes a file with an array whose header says something else."""
    start = f"{{'descr': {header}, }}".ljust(117) + "\n"
    data = b"\x93NUMPY\x01\x00" + len(start).to_bytes(2, "little") + start.encode() + numbers
    held = node("NdArrayNode", "numpy", "ndarray", type="numpy", file="a.npy")
    return lambda: archive(reads(holding(held)) | {"a.npy": data})


def doubling() -> bytes:
    """Return a few lines that stand for ten thousand million objects."""
    lists = [sequence(plain(1), __id__=9000)]
    for i in range(1, 11):
        again = [{**lists[-1], "content": []}] * 9
        lists.append(sequence(lists[-1], *again, __id__=9000 + i))
    return holding(lists[-1])


def deep() -> bytes:
    held = sequence()
    for _ in range(200):
        held = sequence(held)
    return holding(held)


SHORT = DummyRegressor(strategy="constant", constant=[0.0]).fit([[0.0]], [0.0])
CRAFTED: dict[str, Make] = {
    # These ended the process, or filled the machine.
    "a dropped category before the first": encoder({}, _drop_idx_after_grouping=np.array([-1])),
    "numeric categories out of order": encoder({}, categories_=[np.array([2, 0, 1])]),
    "a kernel that is a ufunc": support(kernel=np.matmul),
    "a start of one column for many": boosting(init_=SHORT, n_trees_per_iteration_=2_000),
    "hundreds of processes": lambda: spoilt(
        RandomForestClassifier(2, n_jobs=400).fit(X, Y), n_jobs=400
    ),
    "less than no threads": lambda: spoilt(KMeans(2, n_init=1).fit(X), _n_threads=-5),
    "trees of nodes far away": nodes("tree", "left_child", "left_child", 10**9),
    "trees without end": nodes("forest", "left_child", "left_child", 0),
    "trees of another feature": nodes("gradient boosting", "feature", "left_child", 10**8),
    "histograms of nodes far away": nodes("histogram", "left", "is_leaf", 10**9),
    "histograms without leaves": nodes("histogram", "is_leaf", "is_leaf", 0, slice(None)),
    "sets of categories far away": nodes("categories", "bitset_idx", "is_leaf", 10**6, slice(None)),
    "neighbours far away": nodes("neighbours", "idx_end", "idx_start", 10**9),
    "neighbours of other classes": lambda: spoilt(MODELS["neighbours"](), _y=np.full(60, 10**6)),
    "an empty tree of neighbours": lambda: spoilt(
        MODELS["neighbours"](), _tree=KDTree.__new__(KDTree)
    ),
    "a tree that is a list": lambda: spoilt(MODELS["tree"](), tree_=[1]),
    "trees of fewer features": lambda: spoilt(MODELS["tree"](), n_features_in_=2),
    "a tree of another class": boosting(estimators_=np.array([[1, 2, 3]], object)),
    "a start in fewer classes": boosting(
        init_=DummyClassifier(strategy="prior").fit([[0], [1]], [0, 1])
    ),
    "fewer support vectors": support(support_vectors_=np.zeros((2, 3))),
    "no intercepts": support(_intercept_=np.zeros(1)),
    "a group of categories too far": encoder(
        {"min_frequency": 25}, _default_to_infrequent_mappings=[np.array([0, 9, 1])]
    ),
    "places of words too far": lambda: spoilt(
        CountVectorizer().fit(["a word"]), vocabulary_={"word": 10**9}
    ),
    "a method by name": lambda: spoilt(
        StackingClassifier([("a", LogisticRegression())]).fit(X, Y),
        stack_method_=["get_params"],
        named_estimators_=None,
    ),
    "a function in a method's place": lambda: spoilt(MODELS["tree"](), predict=np.sin),
    "an array of much": npy("'<f8', 'fortran_order': False, 'shape': (1000000000000,)"),
    "an array of objects": npy("'|O', 'fortran_order': False, 'shape': (1,)", bytes(8)),
    "lists of lists": doubling,
    "deep lists": deep,
}
ROWS: dict[str, Any] = {
    "categories": pd.DataFrame({"a": X[:, 0], "kind": pd.Categorical(["p"] * len(X))}),
    "words": ["a word"],
}


def rows_for(name: str) -> Any:
    if "categor" in name:
        return ROWS["categories"] if name.startswith("sets") else Y.reshape(-1, 1)
    return ROWS["words"] if "words" in name else X


@pytest.fixture(scope="module")
def child() -> Child:
    return Child("The model", f"{ASKED}:answering")


def ends_well(child: Child, data: bytes, rows: Any) -> None:
    """Check that a file ends in an answer or a sentence, and that the child then answers."""
    words = "none"
    try:
        child.ask(data, rows)
    except CrivoError as error:
        words = str(error)
    assert words.isprintable()
    assert child.ask(stored("tree"), X)[0]["shape"] == [60]


@pytest.mark.parametrize("name", CRAFTED)
def test_a_crafted_model_ends_in_a_sentence_or_an_answer(
    child: Child, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modelchild, "SECONDS", 3.0)
    ends_well(child, CRAFTED[name](), rows_for(name))


# ---- Boosters, which read their trees from a text and from bytes of their own form


@cache
def boosted(library: str) -> bytes:
    if library == "lightgbm":
        from lightgbm import LGBMClassifier as Booster

        more = {"min_child_samples": 2, "verbose": -1}
    else:
        from xgboost import XGBClassifier as Booster

        more = {}
    return dump_model(Booster(n_estimators=2, n_jobs=1, **more).fit(X, Y))


def of_text(before: str, after: str) -> Make:
    """Return what makes a file in whose LightGBM model a text is another."""

    def change(schema: dict[str, Any]) -> None:
        text = json.dumps(schema)
        changed = text.replace(before, after)
        assert changed != text
        schema.update(json.loads(changed))

    return lambda: redescribed(boosted("lightgbm"), change)


def of_array(key: str, value: int) -> Make:
    """Return what makes a file in whose XGBoost model the first number of an array is another."""

    def change(data: bytes) -> bytes:
        at = data.index(key.encode() + b"[$l#L") + len(key) + 13
        return data[:at] + struct.pack(">i", value) + data[at + 4 :]

    return of_bytes(change)


def of_bytes(change: Callable[[bytes], bytes]) -> Make:
    def make() -> bytes:
        members = reads(boosted("xgboost"))
        changed = {
            name: change(data) if data.startswith(b"{L") else data for name, data in members.items()
        }
        assert changed != members
        return archive(changed)

    return make


BOOSTED = {
    "lightgbm": {
        "children far away": of_text("left_child=1", "left_child=99999999"),
        "a loop": of_text("left_child=1", "left_child=0"),
        "a feature far away": of_text("split_feature=", "split_feature=99999999"),
        "more leaves": of_text("num_leaves=", "num_leaves=99999999"),
        "more classes": of_text("num_class=3", "num_class=900000"),
        "no number": of_text("leaf_value=", "leaf_value=0-9.1"),
        "a wrong size": of_text("tree_sizes=", "tree_sizes=9"),
    },
    "xgboost": {
        "children far away": of_array("left_children", 10**9),
        "a loop": of_array("left_children", 0),
        "a feature far away": of_array("split_indices", 10**9),
        "cut bytes": of_bytes(lambda data: data[:-100]),
        "a size too large": of_bytes(lambda data: data.replace(b"#L\0\0", b"#L\x7f\0", 1)),
        "endless lists": of_bytes(lambda data: data[:10] + b"ConfigL" + b"[" * 10**5),
        "another format": of_bytes(lambda data: b"CONFIG-offset:" + data),
    },
}


@pytest.mark.parametrize(
    ("library", "name"), [(library, name) for library in BOOSTED for name in BOOSTED[library]]
)
def test_a_crafted_booster_ends_in_a_sentence_or_an_answer(
    child: Child, library: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not find_spec(library):
        pytest.skip(f"{library} is not installed")
    monkeypatch.setattr(modelchild, "SECONDS", 3.0)
    ends_well(child, BOOSTED[library][name](), X)


# ---- The limits


@pytest.mark.parametrize("what", ["wait", "compute"])
def test_a_child_that_does_not_answer_in_time_is_ended(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modelchild, "SECONDS", 3.0)
    with pytest.raises(CrivoError, match=r"The model can't be used: .* took more than 3 s"):
        Child("The model", f"{ASKED}:waiting", what).ask()


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("memory", "MemoryError"),
        ("process", "PermissionError: a model asked for os.system"),
        ("write", "OSError"),
        ("much", "ended or gave no answer|had to be ended"),
    ],
)
def test_what_a_model_does_not_need_is_refused(what: str, words: str) -> None:
    with pytest.raises(CrivoError, match=words):
        Child("The model", f"{ASKED}:waiting", what).ask()


def test_a_copy_of_a_child_has_a_process_of_its_own(child: Child) -> None:
    copy = pickle.loads(pickle.dumps(child))
    assert copy.ask(stored("tree"), X) == child.ask(stored("tree"), X)
    assert copy._process.pid != child._process.pid
