"""Models of LightGBM and XGBoost that would end the process are refused before they are read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from crivo.core.blocks import Training
from crivo.core.errors import CrivoError
from crivo.core.modelfile import dump_model, parse_model
from crivo.core.registry import make_block
from crivo.core.ubjson import parse_ubjson

from .crafted import archive, reads, redescribed, ubjson

RNG = np.random.default_rng(0)
# LightGBM splits by sets of categories of a hundred rows or more.
ROWS = 900
TABLE = pd.DataFrame(
    {"a": RNG.normal(size=ROWS), "kind": pd.Categorical(RNG.choice(list("uvwxyz"), ROWS))}
)
SIGNAL = TABLE["a"] + 2.0 * TABLE["kind"].isin(["x", "u"])
TARGETS: dict[Any, pd.Series] = {
    "binary": pd.Series(np.where(SIGNAL > 0.5, "p", "n")),
    "multiclass": pd.cut(SIGNAL, [-np.inf, 0, 1, np.inf], labels=list("lmh")).astype(str),
    "regression": SIGNAL,
}
SETTINGS = {
    "lightgbm": {"n_estimators": 2, "min_child_samples": 2},
    "xgboost": {"n_estimators": 2},
}
INSTALLED = [name for name in SETTINGS if find_spec(name)]
needs_lightgbm = pytest.mark.skipif(not find_spec("lightgbm"), reason="LightGBM is not installed")
needs_xgboost = pytest.mark.skipif(not find_spec("xgboost"), reason="XGBoost is not installed")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    with threadpool_limits(1, user_api="openmp"):
        yield


@cache
def fitted(library: str, task: Any, constant: bool = False) -> Any:
    block = make_block("model", library, SETTINGS[library])
    target = pd.Series(np.ones(ROWS)) if constant else TARGETS[task]
    training = Training(np.zeros(ROWS, bool), lambda losses: None)
    return block.fit(block.build(task, 1), TABLE, target, training)


@cache
def stored(library: str, task: str) -> bytes:
    return dump_model(fitted(library, task))


@pytest.mark.parametrize("task", TARGETS)
@pytest.mark.parametrize("library", INSTALLED)
def test_what_a_fit_leaves_predicts_the_same_again(library: str, task: str) -> None:
    model = fitted(library, task)
    again = parse_model(dump_model(model))
    assert np.array_equal(model.predict(TABLE), again.predict(TABLE))


@pytest.mark.parametrize("library", INSTALLED)
def test_trees_of_one_leaf_are_taken(library: str) -> None:
    model = fitted(library, "regression", constant=True)
    again = parse_model(dump_model(model))
    assert np.array_equal(model.predict(TABLE), again.predict(TABLE))


def refused(data: bytes, words: str) -> None:
    with pytest.raises(CrivoError, match="isn't a readable model file") as error:
        parse_model(data)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


# ---- LightGBM


def booster(node: Any) -> Any:
    """Return the attributes of the first booster under a node."""
    if isinstance(node, dict) and node.get("__class__") == "Booster":
        return node["content"]["content"]
    parts = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return next(filter(None, map(booster, parts)), None)


def rewritten(change: Callable[[str], str], task: str = "multiclass") -> bytes:
    def act(schema: dict[str, Any]) -> None:
        node = booster(schema)["_handle"]
        text = json.loads(node["content"])
        changed = change(text)
        assert changed != text
        node["content"] = json.dumps(changed)

    return redescribed(stored("lightgbm", task), act)


def sized(text: str) -> str:
    """Return a model whose sizes of trees are those of its text."""
    head, *trees = text.split("Tree=")
    trees[-1] = trees[-1].partition("end of trees")[0]
    sizes = " ".join(str(len("Tree=" + tree)) for tree in trees)
    before, _, _ = head.partition("tree_sizes=")
    return (
        f"{before}tree_sizes={sizes}\n\n"
        + "".join("Tree=" + tree for tree in trees)
        + ("end of trees" + text.partition("end of trees")[2])
    )


def line(key: str, change: Callable[[list[str]], list[str]], after: str = "Tree=0") -> Any:
    """Return a change of a line of a LightGBM model."""

    def act(text: str) -> str:
        at = text.index(f"\n{key}=", text.index(after) if after else 0) + len(key) + 2
        end = text.index("\n", at)
        return sized(text[:at] + " ".join(change(text[at:end].split(" "))) + text[end:])

    return act


def first(value: str) -> Callable[[list[str]], list[str]]:
    return lambda words: [value, *words[1:]]


def categorical(text: str) -> str:
    """Make a set of categories of a split out of range."""
    kinds = text[text.index("\ndecision_type=") + 15 :].partition("\n")[0].split(" ")
    at = next(i for i, kind in enumerate(kinds) if int(kind) & 1)
    return str(line("threshold", lambda words: [*words[:at], "999999", *words[at + 1 :]])(text))


LIGHTGBM = {
    "a child far away": (line("left_child", first("1000000")), "child"),
    "a leaf far away": (line("left_child", first("-1000000")), "child"),
    "a loop": (line("left_child", first("0")), "child"),
    "a shared child": (line("left_child", lambda words: [words[1], *words[1:]]), "child"),
    "no number": (line("left_child", first("x")), "isn't a number"),
    "no real number": (line("leaf_value", first("0-9.1")), "isn't a number"),
    "fewer children": (line("right_child", lambda words: words[1:]), "right_child"),
    "fewer leaves": (line("leaf_value", lambda words: words[1:]), "leaf_value"),
    "fewer thresholds": (line("threshold", lambda words: words[1:]), "threshold"),
    "a feature far away": (line("split_feature", first("1000000")), "feature"),
    "a negative feature": (line("split_feature", first("-1")), "feature"),
    "no leaves": (line("num_leaves", first("0")), "no leaves"),
    "more leaves": (line("num_leaves", first("1000000000")), "another number"),
    "a linear tree": (line("is_linear", first("1")), "linear"),
    "a far set of categories": (line("cat_boundaries", lambda words: [*words[:-1], "999"]), "set"),
    "fewer sets of categories": (line("num_cat", first("1000")), "set"),
    "a split of no set": (categorical, "set"),
    "a line twice": (lambda text: sized(text.replace("shrinkage", "num_leaves=2\nshrinkage")), ""),
    "a line of no key": (lambda text: sized(text.replace("shrinkage=", "shrinkage")), ""),
    "a size too large": (lambda text: text.replace("tree_sizes=", "tree_sizes=9"), "size"),
    "no sizes": (lambda text: text.replace("tree_sizes=", "sizes="), "tree_sizes"),
    "no classes": (lambda text: text.replace("num_class=3", "num_class=0"), "classes"),
    "more classes": (lambda text: text.replace("num_class:3", "num_class:900000"), "classes"),
    "no trees in a round": (
        lambda text: text.replace("num_tree_per_iteration=3", "num_tree_per_iteration=0"),
        "classes",
    ),
    "a cut text": (lambda text: text[: text.index("Tree=2")], "size"),
    "a text cut in a tree": (lambda text: text[: text.index("Tree=0") + 200], "size"),
    "a text that ends early": (lambda text: text.replace("Tree=1", "\0ree=1"), "cut"),
    "no text": (lambda text: "", "no trees"),
}


@needs_lightgbm
@pytest.mark.parametrize("name", LIGHTGBM)
def test_a_malformed_model_of_lightgbm_is_refused(name: str) -> None:
    change, words = LIGHTGBM[name]
    refused(rewritten(change), words)


# ---- XGBoost


def buffer(data: bytes) -> str:
    """Return the name of the member that an XGBoost model is in."""
    return str(booster(json.loads(reads(data)["schema.json"]))["handle"]["file"])


def rebuilt(change: Callable[[bytes], bytes]) -> bytes:
    data = stored("xgboost", "multiclass")
    members, name = reads(data), buffer(data)
    changed = change(members[name])
    assert changed != members[name]
    return archive(members | {name: changed})


def model_of(change: Callable[[Any], None]) -> Callable[[bytes], bytes]:
    """Return a change of what the bytes describe."""

    def act(data: bytes) -> bytes:
        found = parse_ubjson(data)
        change(found)
        return ubjson(found)

    return act


def in_tree(key: str, value: Any, at: Any = 0) -> Callable[[bytes], bytes]:
    def change(found: Any) -> None:
        tree = found["Model"]["learner"]["gradient_booster"]["model"]["trees"][0]
        tree[key] = tree[key].copy()
        tree[key][at] = value

    return model_of(change)


def put(value: Any, *keys: Any) -> Callable[[bytes], bytes]:
    def change(found: Any) -> None:
        for key in keys[:-1]:
            found = found[key]
        found[keys[-1]] = value

    return model_of(change)


LEARNER = ("Model", "learner")
FOREST = (*LEARNER, "gradient_booster", "model")
XGBOOST = {
    "a child far away": (in_tree("left_children", 10**9), "child"),
    "a negative child": (in_tree("left_children", -7), "child"),
    "a loop": (in_tree("left_children", 0), "child"),
    "one child": (in_tree("right_children", -1), "child"),
    "a shared child": (in_tree("left_children", 2), "child"),
    "another parent": (in_tree("parents", 1, 1), "parent"),
    "a feature far away": (in_tree("split_indices", 10**9), "feature"),
    "a negative feature": (in_tree("split_indices", -1), "feature"),
    "a category far away": (in_tree("categories", 2**31 - 1), "category"),
    "a negative category": (in_tree("categories", -1), "category"),
    "a node of categories far away": (in_tree("categories_nodes", 10**9), "categories"),
    "a set of categories far away": (in_tree("categories_segments", 10**9), "categories"),
    "a large set of categories": (in_tree("categories_sizes", 10**9), "categories"),
    "a kind of split": (in_tree("split_type", 7), "kind of a split"),
    "a set that is missing": (in_tree("split_type", 1, slice(None)), "categories"),
    "fewer weights": (put(np.zeros(1, ">f4"), *FOREST, "trees", 0, "base_weights"), "weights"),
    "more nodes": (put("999", *FOREST, "trees", 0, "tree_param", "num_nodes"), "number of"),
    "a leaf of many": (put("9", *FOREST, "trees", 0, "tree_param", "size_leaf_vector"), "vector"),
    "one tree twice": (put(1, *FOREST, "trees", 0, "id"), "numbered"),
    "fewer trees": (put([], *FOREST, "trees"), "missing"),
    "a class far away": (put(np.full(6, 9, ">i4"), *FOREST, "tree_info"), "class"),
    "rounds": (put(np.array([0, 3, 99], ">i4"), *FOREST, "iteration_indptr"), "range"),
    "levels": (put(np.full(6, 99, ">i4"), *FOREST, "cats", "sorted_idx"), "level"),
    "another number of classes": (
        put("99", "Config", "learner", "learner_model_param", "num_class"),
        "two sizes",
    ),
    "a linear model": (put("gblinear", *LEARNER, "gradient_booster", "name"), "another kind"),
    "no learner": (put({}, "Model"), "no learner"),
    "cut bytes": (lambda data: data[:-100], "cut"),
    "a size too large": (lambda data: data.replace(b"#L\0\0", b"#L\x7f\0", 1), "cut"),
    "a negative size": (lambda data: data.replace(b"#L\0", b"#L\xff", 1), "cut"),
    "more bytes": (lambda data: data + b"Z", "after its end"),
    "endless lists": (lambda data: data[:10] + b"ConfigL" + b"[" * 10**5, ""),
    "another format": (lambda data: b"CONFIG-offset:" + data, "another format"),
}


@needs_xgboost
def test_bytes_of_xgboost_are_read_as_they_were_written() -> None:
    data = stored("xgboost", "multiclass")
    found = parse_ubjson(reads(data)[buffer(data)])
    assert ubjson(parse_ubjson(ubjson(found))) == ubjson(found)
    rewrote = archive(reads(data) | {buffer(data): ubjson(found)})
    assert parse_model(rewrote).predict(TABLE).tolist()


@needs_xgboost
@pytest.mark.parametrize("name", XGBOOST)
def test_a_malformed_model_of_xgboost_is_refused(name: str) -> None:
    change, words = XGBOOST[name]
    refused(rebuilt(change), words)
