"""Model files: equal estimators give equal bytes, and loading runs nothing."""

import io
import json
import os
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.ensemble import BaggingClassifier, HistGradientBoostingClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import FunctionTransformer

from crivo.core.blocks import Training
from crivo.core.errors import CrivoError
from crivo.core.registry import block_names, make_block
from crivo.modelfile.canonical import dump_model, load_model, parse_model, save_model

# The shipped models, and settings with which they are fitted sooner.
SHIPPED: dict[str, dict[str, int]] = {
    "boosting": {"max_iter": 5},
    "forest": {"trees": 5},
    "linear": {},
    "prior": {},
}

FIT = """
import hashlib, json, os, sys
import numpy as np, pandas as pd
from crivo.core.blocks import Training
from crivo.core.registry import make_block
from crivo.modelfile.canonical import dump_model
from crivo.core.threads import limited_threads
with limited_threads():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"a": rng.normal(size=400), "b": rng.normal(size=400),
                         "c": pd.Categorical(rng.choice(["x", "y", "z"], 400))})
    rows.loc[::7, "a"] = np.nan
    target = pd.Series(np.where(rng.random(400) < .5, "yes", "no"))
    training = Training(np.zeros(400, bool), lambda metrics: None)
    digests = {}
    for name, settings in json.loads(sys.argv[1]).items():
        model = make_block("model", name, settings)
        fitted = model.fit(model.build("binary", 3), rows, target, training)
        digests[name] = hashlib.sha256(dump_model(fitted)).hexdigest()
print(json.dumps(digests))
"""


def table(n: int = 200) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(1)
    kinds = pd.Categorical(rng.choice(["x", "y", "z"], n))
    rows = pd.DataFrame({"a": rng.normal(size=n), "c": kinds})
    return rows, pd.Series(rng.random(n) < 0.3)


def fitted(name: str, task: str = "binary"):
    rows, target = table()
    if task == "multiclass":
        target = pd.Series(np.arange(len(rows)) % 3)
    if task == "regression":
        target = rows["a"] * 2
    model = make_block("model", name, SHIPPED[name])
    training = Training(np.zeros(len(rows), bool), lambda metrics: None)
    return rows, model.fit(model.build(task, 7), rows, target, training)


POINTS = np.random.default_rng(0).normal(size=(90, 3))
SIDES = POINTS[:, 0] > 0
BOOSTING = HistGradientBoostingClassifier(max_iter=2, random_state=0)


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
@pytest.mark.parametrize("name", SHIPPED)
def test_a_stored_model_predicts_as_it_did(tmp_path: Path, name: str, task: str) -> None:
    rows, model = fitted(name, task)
    save_model(tmp_path / "model.skops", model)
    loaded = load_model(tmp_path / "model.skops")
    np.testing.assert_array_equal(loaded.predict(rows), model.predict(rows))


def test_two_processes_write_the_same_bytes() -> None:
    """Whatever the hash seed and the number of threads: this one's seed is drawn at its start."""
    done = subprocess.run(
        [sys.executable, "-c", FIT, json.dumps(SHIPPED)],
        env=os.environ | {"PYTHONHASHSEED": "2", "OMP_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        check=True,
    )
    known: dict[str, Any] = {}
    exec(FIT.replace("sys.argv[1]", repr(json.dumps(SHIPPED))), known)
    assert known["digests"].keys() == SHIPPED.keys()
    assert json.loads(done.stdout) == known["digests"]


def test_dumping_a_loaded_model_gives_the_same_bytes() -> None:
    _, model = fitted("boosting")
    data = dump_model(model)
    assert dump_model(parse_model(data)) == data


def described(data: bytes) -> tuple[str, list[Any]]:
    """Return what a skops file describes, without ids and names, and its arrays in their order."""
    file, arrays = zipfile.ZipFile(io.BytesIO(data)), list[Any]()

    def plain(node: dict[str, Any]) -> dict[str, Any]:
        if isinstance(node.get("file"), str):
            arrays.append(np.load(io.BytesIO(file.read(node["file"]))).tolist())
        return {key: value for key, value in node.items() if key not in ("__id__", "file")}

    return json.dumps(json.loads(file.read("schema.json"), object_hook=plain)), arrays


@pytest.mark.parametrize("name", SHIPPED)
def test_a_model_file_describes_what_skops_would_write_itself(name: str) -> None:
    _, model = fitted(name)
    data = dump_model(model)  # takes out what a use leaves
    assert described(data) == described(skops.io.dumps(model))


def test_other_models_give_other_bytes() -> None:
    rows, target = table()
    one = HistGradientBoostingClassifier(max_iter=2).fit(rows[["a"]], target)
    other = HistGradientBoostingClassifier(max_iter=2).fit(rows[["a"]], ~target)
    assert dump_model(one) != dump_model(other)


@pytest.mark.parametrize("harm", [partial(os.system, "true"), eval, exec])
def test_a_file_that_would_run_code_is_refused(tmp_path: Path, harm: object) -> None:
    path = tmp_path / "model.skops"
    path.write_bytes(skops.io.dumps(FunctionTransformer(harm)))
    with pytest.raises(CrivoError, match="does not trust|isn't a readable"):
        load_model(path)


def bagged() -> BaggingClassifier:
    """Return a model with histogram boosting inside, as fitted on several cores."""
    model = BaggingClassifier(BOOSTING, 2, random_state=0).fit(POINTS, SIDES)
    model.estimators_[0]._bin_mapper.n_threads = 7
    return model


def asked() -> KNeighborsClassifier:
    """Return neighbours in a tree that has been asked."""
    model = KNeighborsClassifier(algorithm="kd_tree").fit(POINTS, SIDES)
    model.predict(POINTS)
    return model


@pytest.mark.parametrize(
    ("used", "fresh"),
    [
        (
            bagged,
            BaggingClassifier(BOOSTING, 2, random_state=0),
        ),
        (asked, KNeighborsClassifier(algorithm="kd_tree")),
    ],
)
def test_what_a_use_leaves_behind_is_not_stored(used, fresh) -> None:
    stored = dump_model(used())
    assert stored == dump_model(fresh.fit(POINTS, SIDES))
    np.testing.assert_array_equal(parse_model(stored).predict(POINTS), used().predict(POINTS))


def test_a_function_without_a_name_is_refused_before_it_is_stored(tmp_path: Path) -> None:
    model = FunctionTransformer(lambda values: values)
    with pytest.raises(CrivoError, match=r"func of the FunctionTransformer is .*<lambda>.*level"):
        save_model(tmp_path / "model.skops", model)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match="dvc repro"):
        load_model(tmp_path / "none.skops")


@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: b"no zip", lambda b: b""])
def test_a_damaged_file_is_one_sentence(tmp_path: Path, damage) -> None:
    path = tmp_path / "model.skops"
    path.write_bytes(damage(dump_model(fitted("prior")[1])))
    with pytest.raises(CrivoError, match="isn't a readable model file"):
        load_model(path)


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "model.skops"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        save_model(path, (step for step in ()))
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["model.skops"]


def test_members_carry_no_time_and_no_address() -> None:
    names = zipfile.ZipFile(io.BytesIO(dump_model(fitted("linear")[1]))).infolist()
    assert {info.date_time for info in names} == {(1980, 1, 1, 0, 0, 0)}
    assert [info.filename for info in names][-1] == "schema.json"
    assert all(info.filename[:6].isdigit() for info in names[:-1])


def test_every_shipped_model_is_covered() -> None:
    assert SHIPPED.keys() <= set(block_names("model"))
