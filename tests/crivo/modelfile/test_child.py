"""With a crafted model file `crivo predict` ends in a sentence or an answer, never by a signal."""

import json
import pickle
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from sklearn.cluster import KMeans
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.svm import SVC

from crivo import cli
from crivo.core.errors import CrivoError
from crivo.core.schema import Column, Schema
from crivo.modelfile import child as modelchild
from crivo.modelfile.canonical import dump_model
from crivo.modelfile.child import FORBIDDEN, Child

from .asked import asking, waiting
from .crafted import archive, holding, node, plain, reads, sequence

Make = Callable[[], bytes]

Y = np.arange(60) % 3
X = np.column_stack([Y, Y, Y])
FEATURES = [Column(name=name, role="feature", type="number") for name in "abc"]
KEY, TARGET = (Column(name=name, role=name, type="number") for name in ("id", "target"))
SCHEMA = Schema(task="multiclass", columns=(*FEATURES, KEY, TARGET), classes=(0, 1, 2))


def spoilt(estimator: Any, **state: Any) -> Make:
    """Return what makes the file of a fitted estimator with other state."""

    def make() -> bytes:
        fitted = estimator.fit(X, Y)
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
TREES = GradientBoostingRegressor(n_estimators=2).fit(X, Y).estimators_
SHORT = {"init_": START, "estimators_": TREES.repeat(2_000, axis=1)}
WIDE = {"kernel": np.matmul, "shape_fit_": (1, 3), "_BaseLibSVM__Xfit": np.ones((3, 1))}
FAR = {"support_": np.full(6, 2**30, np.int32)}
ENCODER = OneHotEncoder(sparse_output=False).set_output(transform="pandas")
# These ended the process, or filled the machine: featurizers, and models.
ENCODERS = {
    "a category before the first": spoilt(ENCODER, _drop_idx_after_grouping=np.array([-1] * 3)),
    "unsorted categories": spoilt(ENCODER, categories_=[np.array([2, 0, 1])] * 3),
}
CRAFTED: dict[str, Make] = ENCODERS | {
    "a kernel of another shape": spoilt(SVC(), **WIDE, **FAR),
    "a start of one column for many": spoilt(GradientBoostingRegressor(n_estimators=2), **SHORT),
    "hundreds of processes": spoilt(RandomForestClassifier(2), n_jobs=400),
    "fewer threads than none": spoilt(KMeans(2, n_init=1), _n_threads=-5),
    "an array of much": array_of_much,
    "lists of lists": doubling,
    "deep lists": deep,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CRAFTED)
def test_a_crafted_model_ends_in_a_sentence_or_an_answer(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"featurizer": dump_model(FunctionTransformer()), "model": spoilt(SVC())()}
    files["featurizer" if name in ENCODERS else "model"] = CRAFTED[name]()
    for folder in ("models", "data/prepared"):
        (tmp_path / folder).mkdir(parents=True)
    for part, data in files.items():
        (tmp_path / f"models/{part}.skops").write_bytes(data)
    (tmp_path / "data/prepared/schema.json").write_text(json.dumps(SCHEMA.to_json()))
    np.savetxt(tmp_path / "rows.csv", X, "%d", delimiter=",", header="a,b,c", comments="")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["crivo", "predict", "rows.csv"])
    monkeypatch.setattr(modelchild, "SECONDS", 6.0)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    answer, words = capsys.readouterr().out, str(ended.value.code)
    assert len(answer.splitlines()) == 61 or words.startswith("crivo: "), answer


def test_a_copy_by_pickle_has_a_process_of_its_own_and_none_is_left() -> None:
    before, child = psutil.Process().children(), Child("The model", partial, dict)
    assert child.ask({"a": 1}) == {"a": 1}
    assert pickle.loads(pickle.dumps(child)).ask({"a": 2}) == {"a": 2}
    child = Child("The model", len)
    with pytest.raises(CrivoError, match="TypeError"):
        child.ask()
    assert psutil.Process().children() == before
    for timer in [one for one in threading.enumerate() if isinstance(one, threading.Timer)]:
        timer.join(30)  # what was answered is waited for no longer
        assert not timer.is_alive()


@pytest.mark.slow
@pytest.mark.parametrize("what", ["wait", "compute"])
def test_a_child_that_does_not_answer_in_time_is_ended(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modelchild, "SECONDS", 2.0)
    # Computing is ended by the system, long before the parent loses its patience.
    monkeypatch.setattr(modelchild, "PATIENCE", 3 if what == "wait" else 1_000)
    with pytest.raises(CrivoError, match=r"The model can't be used: .* took more than 2 s"):
        Child("The model", waiting, what).ask()


@pytest.mark.parametrize(
    ("what", "words"),
    [
        pytest.param("memory", "MemoryError", marks=pytest.mark.slow),
        ("write", "OSError"),
        ("much", "the process that loaded it ended, or took more than 65 s"),
        ("colour", r"^The model can't be used \(ValueError: \\x1b\[31mx{295}\)\.$"),
        ("refusal", r"^\\x1b\[31mx{1992}$"),
    ],
)
def test_what_a_model_does_not_need_is_refused(
    what: str, words: str, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CrivoError, match=words):
        Child("The model", waiting, what).ask(rows=5_000, numbers=29_202)
    if what == "much":  # 64 KiB, and 32 bytes a number
        assert len(Child("The model", waiting, what).ask(numbers=29_203)[what]) == 10**6


def test_nothing_but_computing_is_allowed() -> None:
    said = [f"a model asked for {event}" for event in FORBIDDEN if event != "os.spawn"]
    assert Child("The model", asking).ask() == {"said": said}  # only Windows spawns
