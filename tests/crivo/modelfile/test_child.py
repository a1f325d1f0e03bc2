"""A crafted model file ends in a sentence, or in an answer, and the process that asked goes on."""

import json
import pickle
import struct
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KDTree
from sklearn.preprocessing import OneHotEncoder

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
    "a start of one column for many": boosting(init_=SHORT, n_trees_per_iteration_=2_000),
    "hundreds of processes": lambda: spoilt(
        RandomForestClassifier(2, n_jobs=400).fit(X, Y), n_jobs=400
    ),
    "trees of nodes far away": nodes("tree", "left_child", "left_child", 10**9),
    "trees without end": nodes("forest", "left_child", "left_child", 0),
    "sets of categories far away": nodes("categories", "bitset_idx", "is_leaf", 10**6, slice(None)),
    "neighbours far away": nodes("neighbours", "idx_end", "idx_start", 10**9),
    "an empty tree of neighbours": lambda: spoilt(
        MODELS["neighbours"](), _tree=KDTree.__new__(KDTree)
    ),
    "places of words too far": lambda: spoilt(
        CountVectorizer().fit(["a word"]), vocabulary_={"word": 10**9}
    ),
    "a method by name": lambda: spoilt(
        StackingClassifier([("a", LogisticRegression())]).fit(X, Y),
        stack_method_=["get_params"],
        named_estimators_=None,
    ),
    "an array of much": npy("'<f8', 'fortran_order': False, 'shape': (1000000000000,)"),
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
        "more leaves": of_text("num_leaves=", "num_leaves=99999999"),
    },
    "xgboost": {
        "children far away": of_array("left_children", 10**9),
        "cut bytes": of_bytes(lambda data: data[:-100]),
        "endless lists": of_bytes(lambda data: data[:10] + b"ConfigL" + b"[" * 10**5),
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
def test_what_a_model_does_not_need_is_refused(
    what: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CrivoError, match=words):
        Child("The model", f"{ASKED}:waiting", what).ask()


def test_a_copy_of_a_child_has_a_process_of_its_own(child: Child) -> None:
    copy = pickle.loads(pickle.dumps(child))
    assert copy.ask(stored("tree"), X) == child.ask(stored("tree"), X)
    assert copy._process.pid != child._process.pid
