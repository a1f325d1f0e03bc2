"""Saves and loads fitted estimators: equal ones give equal files, and loading runs no code.

The format is skops. Its own files differ in every process: members are named after memory
addresses and carry the time. Here they are renumbered in the order in which the schema
mentions them, so a file depends on the estimator's state alone.
"""

from __future__ import annotations

import io
import json
import re
import sys
import zipfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from crivo.core.artifacts import written
from crivo.core.errors import CrivoError
from crivo.modelfile.allowed import GENERATORS, names_of
from crivo.modelfile.archives import read_members, write_member

# Where the state of a tree of neighbours holds how often and how it was asked.
COUNTERS = slice(7, 11)
# What a model is made of that has no parts.
PLAIN = (str, bytes, bytearray, int, float, type(None), np.generic, type, FunctionType)
LISTS = "skops.io._trusted_types"
# Memory addresses in the description of a model; quotation marks inside of texts have a backslash.
ADDRESS = re.compile(r'(?<!\\)"__id__": (\d+)')
MEMBER = re.compile(r'(?<!\\)"file": "([\w-]+)(\.\w+)"')


def save_model(path: Path, estimator: Any) -> None:
    """Write a fitted estimator as a skops file; equal estimators give equal bytes."""
    with written(path) as beside:
        beside.write_bytes(dump_model(estimator))


def load_model(path: Path) -> Any:
    """Return the estimator of a skops file; nothing in the file is executed.

    CrivoError: the file is missing, no skops file, or holds types that are not trusted.
    """
    if not path.exists():
        raise CrivoError(f"{path} doesn't exist yet; run `dvc repro`.")
    return parse_model(path.read_bytes(), str(path))


def dump_model(estimator: Any) -> bytes:
    """Return the canonical skops file of a fitted estimator as bytes.

    CrivoError: it holds a function without a name.
    """
    for thing in things(estimator):
        _forget_use(thing)
    ids: dict[str, str] = {}
    names: dict[str, str] = {}
    source, target = io.BytesIO(import_skops().dumps(estimator)), io.BytesIO()
    with zipfile.ZipFile(source) as members, zipfile.ZipFile(target, "w") as file:
        schema = json.dumps(json.loads(members.read("schema.json"), object_hook=_in_order))
        schema = ADDRESS.sub(lambda m: f'"__id__": {ids.setdefault(m[1], str(len(ids)))}', schema)
        schema = MEMBER.sub(
            lambda m: f'"file": "{names.setdefault(m[1] + m[2], f"{len(names):06d}{m[2]}")}"',
            schema,
        )
        if '"__class__": "<' in schema:
            raise CrivoError(
                "The model contains a lambda, which a model file can't store; define a function "
                "with a name at the top level of the block's file."
            )
        for old, new in names.items():
            write_member(file, new, _without_padding(members.read(old)))
        write_member(file, "schema.json", schema.encode())
    return target.getvalue()


def parse_model(data: bytes, name: str = "this file") -> Any:
    """Return the estimator that a skops file holds; CrivoError when it can't be trusted.

    What it names is checked before anything of it is made. Compiled code of its estimator
    believes what the file says, so a file from elsewhere belongs in a `Child`.
    """
    try:
        skops = import_skops()
        names, refused = names_of(read_members(data, ["schema.json"])["schema.json"])
        if not refused:
            return skops.loads(data, trusted=sorted(names | GENERATORS))
    except Exception as error:  # skops and zipfile raise many kinds for a broken file
        reason = str(error).strip().partition("\n")[0][:300]
        raise CrivoError(
            f"{name} isn't a readable model file ({type(error).__name__}: {reason}); "
            "restore it with `dvc checkout` or make it again with `dvc repro`."
        ) from None
    raise CrivoError(
        f"{name} holds types that crivo does not trust: {', '.join(sorted(refused))}. It was "
        "not loaded. If you trust its author, add them to TRUSTED in "
        "src/crivo/modelfile/allowed.py."
    )


def import_skops() -> ModuleType:
    """Return `skops.io`, without its own search for what it trusts.

    It trusts no name by itself, as every file brings its own checked ones. To list them, it would
    import all of scikit-learn, half of what a stage on a small table takes.
    """
    if "skops.io" not in sys.modules:
        lists = ModuleType(LISTS)
        lists.__getattr__ = _no_names  # type: ignore[method-assign]
        sys.modules[LISTS] = lists
    import skops.io

    io: ModuleType = skops.io
    return io


def _no_names(name: str) -> list[str]:
    if name.endswith("_NAMES"):
        return []
    raise AttributeError(name)


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
    if isinstance(thing, partial):  # it would get attributes if it were asked for them
        yield from (thing.func, thing.args, thing.keywords)
        return
    yield from getattr(thing, "__dict__", {}).values()
    if isinstance(thing, Mapping):
        yield from thing.values()
    elif isinstance(thing, list | tuple | set | frozenset):
        yield from thing
    elif isinstance(thing, np.ndarray) and thing.dtype == object:
        yield from thing.flat


def _forget_use(thing: Any) -> None:
    """Take out what a use leaves: the threads of a machine, how often a tree was asked."""
    if type(thing).__name__ == "_BinMapper":  # of histogram boosting
        thing.n_threads = 1
    if hasattr(thing, "reset_n_calls"):  # a tree of neighbours
        state = list(thing.__getstate__())
        state[COUNTERS] = [0] * len(state[COUNTERS])
        thing.__setstate__(tuple(state))


def _in_order(node: dict[str, Any]) -> dict[str, Any]:
    """Sort the node of a set, whose order differs from process to process."""
    if node.get("__loader__") == "SetNode":
        node["content"].sort(key=lambda one: json.dumps({**one, "__id__": 0, "file": ""}))
    return node


def _without_padding(data: bytes) -> bytes:
    """Return an npy file whose records' unused bytes are zero instead of whatever was there."""
    if not data.startswith(np.lib.format.MAGIC_PREFIX) or b"'descr': [" not in data[:64]:
        return data  # without records
    array = np.load(io.BytesIO(data))
    clean = np.zeros(array.shape, array.dtype)
    for name in array.dtype.names:
        clean[name] = array[name]
    target = io.BytesIO()
    np.save(target, clean)
    return target.getvalue()
