"""A crafted model file ends in a sentence, or in an answer, and the process that asked goes on."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from crivo.core.errors import CrivoError
from crivo.modelfile import child as modelchild
from crivo.modelfile.canonical import dump_model
from crivo.modelfile.child import Child

from .asked import answering, waiting
from .crafted import archive, holding, node, plain, reads, sequence

Make = Callable[[], bytes]

X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.arange(60) % 3
CODES = Y.reshape(-1, 1)


def spoilt(estimator: Any, rows: Any = X, **state: Any) -> Make:
    """Return what makes the file of a fitted estimator with other state."""

    def make() -> bytes:
        fitted = estimator.fit(rows, Y)
        vars(fitted).update(state)
        return dump_model(fitted)

    return make


def array_of_much() -> bytes:
    """Return a file with an array whose header says that there is more than there is."""
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }"
    text = f"{header:<117}\n".encode()
    data = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text
    held = node("NdArrayNode", "numpy", "ndarray", type="numpy", file="a.npy")
    return archive(reads(holding(held)) | {"a.npy": data})


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


START = DummyRegressor(strategy="constant", constant=[0.0]).fit([[0.0]], [0.0])
SHORT = {"init_": START, "n_trees_per_iteration_": 2_000}
WIDE = {"kernel": np.matmul, "shape_fit_": (1, 3), "_BaseLibSVM__Xfit": np.ones((3, 1))}
# These ended the process, or filled the machine. What makes the file, and the rows to ask for.
CRAFTED: dict[str, tuple[Make, Any]] = {
    "a dropped category before the first": (
        spoilt(OneHotEncoder(), CODES, _drop_idx_after_grouping=np.array([-1])), CODES,
    ),
    "unsorted categories": (
        spoilt(OneHotEncoder(sparse_output=False), CODES, categories_=[np.array([2, 0, 1])]), CODES,
    ),
    "a kernel of another shape": (spoilt(SVC(), **WIDE), X),
    "a start of one column for many": (
        spoilt(GradientBoostingClassifier(n_estimators=2), **SHORT), X,
    ),
    "hundreds of processes": (spoilt(RandomForestClassifier(2), n_jobs=400), X),
    "fewer threads than none": (spoilt(KMeans(2, n_init=1), _n_threads=-5), X),
    "an array of much": (array_of_much, X),
    "lists of lists": (doubling, X),
    "deep lists": (deep, X),
}  # fmt: skip


@pytest.fixture(scope="module")
def child() -> Child:
    return Child("The model", answering)


@pytest.mark.parametrize("name", CRAFTED)
def test_a_crafted_model_ends_in_a_sentence_or_an_answer(
    child: Child, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, rows = CRAFTED[name]
    good = dump_model(DecisionTreeClassifier().fit(X, Y))
    child.ask(good, X)  # a process that has imported what it needs
    words = "none"
    with monkeypatch.context() as patch:
        patch.setattr(modelchild, "SECONDS", 3.0)
        try:
            child.ask(make(), rows)
        except CrivoError as error:
            words = str(error)
    assert words.isprintable()
    assert child.ask(good, X)["rows"] == 60


def test_a_copy_by_pickle_has_a_process_of_its_own(child: Child) -> None:
    good = dump_model(DecisionTreeClassifier().fit(X, Y))
    child.ask(good, X)
    assert pickle.loads(pickle.dumps(child)).ask(good, X)["rows"] == 60


@pytest.mark.parametrize("what", ["wait", "compute"])
def test_a_child_that_does_not_answer_in_time_is_ended(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modelchild, "SECONDS", 2.0)
    monkeypatch.setattr(modelchild, "PATIENCE", 3)
    with pytest.raises(CrivoError, match=r"The model can't be used: .* took more than 2 s"):
        Child("The model", waiting, what).ask()


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("memory", "MemoryError"),
        ("process", "PermissionError: a model asked for os.system"),
        ("write", "OSError"),
        ("much", "the process that loaded it ended"),
        ("colour", r"ValueError: \\x1b\[31m"),
    ],
)
def test_what_a_model_does_not_need_is_refused(
    what: str, words: str, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CrivoError, match=words):
        Child("The model", waiting, what).ask()
