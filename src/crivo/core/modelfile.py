"""Stores fitted estimators so that equal ones give equal files and loading runs no code.

The format is skops. Its own files differ in every process: members are named after memory
addresses and carry the time. Here they are renumbered in the order in which the schema
mentions them, so a file depends on the estimator's state alone.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import KeysView
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from crivo.core.archives import Archive, check_array
from crivo.core.artifacts import written
from crivo.core.errors import CrivoError
from crivo.core.formernames import with_current_names
from crivo.core.modellightgbm import check_lightgbm
from crivo.core.modelnodes import Description, described
from crivo.core.modelstate import check_state, things
from crivo.core.modelxgboost import check_xgboost
from crivo.core.skopsnames import import_skops

# Where the state of a tree of neighbours holds how often and how it was asked.
COUNTERS = slice(7, 11)
# How the npy file of an array begins whose type has no fields.
PLAIN_ARRAY = re.compile(rb"\x93NUMPY[^{]{4,6}\{'descr': '", re.DOTALL)


def save_model(path: Path, estimator: Any) -> None:
    """Write a fitted estimator as a skops file; equal estimators give equal bytes."""
    with written(path) as beside:
        beside.write_bytes(dump_model(estimator))


def load_model(path: Path) -> Any:
    """Return the estimator of a skops file; nothing in the file is executed.

    CrivoError: the file is missing, no skops file, or holds types that are not trusted.
    """
    if not path.exists():
        raise CrivoError(f"{path} is not there; run `dvc repro` to make it.")
    return parse_model(path.read_bytes(), str(path))


def dump_model(estimator: Any) -> bytes:
    """Return the canonical skops file of a fitted estimator as bytes."""
    for thing in things(estimator):
        _require_named(thing)
        _forget_use(thing)
    return _canonical(estimator)


def parse_model(data: bytes, name: str = "this file") -> Any:
    """Return the estimator that a skops file holds; CrivoError when it can't be trusted.

    What it names is checked before anything is imported or made, what it says of its trees
    before anything predicts.
    """
    skops_io = import_skops()
    try:
        data = with_current_names(data)
        types = _description(data)
        if not types.unknown:
            model = skops_io.loads(data, trusted=sorted(types.trusted))
            check_state(model)
            return model
    except Exception as error:  # skops and zipfile raise many kinds for a broken file
        reason = str(error).strip().partition("\n")[0][:300]
        raise CrivoError(
            f"{name} isn't a readable model file ({type(error).__name__}: {reason}); "
            "restore it with `dvc checkout` or make it again with `dvc repro`."
        ) from None
    raise CrivoError(
        f"{name} holds types that crivo does not trust: {', '.join(sorted(types.unknown))}. It was "
        "not loaded. If you trust its author, add them to TRUSTED in src/crivo/core/modeltrust.py."
    )


def _description(data: bytes) -> Description:
    """Return what a skops file names, its members checked; ValueError when it isn't sound."""
    with Archive(data) as archive:
        description = described(json.loads(archive.text("schema.json")))
        for member in description.arrays:
            check_array(archive.read(member), member)
        for text in description.texts:
            check_lightgbm(json.loads(text))
        for member in description.blobs:
            data = archive.read(member)
            if member in description.buffers:
                check_xgboost(data)
    return description


def _forget_use(thing: Any) -> None:
    """Take out what a use leaves: the threads of a machine, how often a tree was asked."""
    if type(thing).__name__ == "_BinMapper":  # of histogram boosting
        thing.n_threads = 1
    if hasattr(thing, "reset_n_calls"):  # a tree of neighbours
        state = list(thing.__getstate__())
        state[COUNTERS] = [0] * len(state[COUNTERS])
        thing.__setstate__(tuple(state))


def _require_named(thing: Any) -> None:
    """Raise CrivoError when an attribute is a function that a file can't name."""
    for name, value in getattr(thing, "__dict__", {}).items():
        if isinstance(value, FunctionType) and "<" in value.__qualname__:
            raise CrivoError(
                f"{name} of the {type(thing).__name__} is {value.__qualname__}, which no model "
                "file can hold; define a function with a name at the top level of the block's file."
            )


class _Members(dict[str, bytes]):
    """What skops writes beside its description, in the place of the archive that it would make.

    Its own archive would be unpacked at once, and its description, which it indents, takes most
    of the time.
    """

    def namelist(self) -> KeysView[str]:
        """Return the names of the members."""
        return self.keys()

    def writestr(self, name: str, data: bytes | memoryview) -> None:
        """Keep a member, as a copy."""
        self[name] = bytes(data)


def _canonical(estimator: Any) -> bytes:
    """Return a skops file with ids, member names and times that depend on nothing outside."""
    import_skops()
    import skops
    from skops.io._utils import SaveContext, get_state

    members = _Members()
    context = SaveContext(zip_file=members)
    state = get_state(estimator, context)
    state |= {"protocol": context.protocol, "_skops_version": skops.__version__}
    ids: dict[int, int] = {}
    names: dict[str, str] = {}
    # The keys of dictionaries as a file has them.
    schema = _renumbered(json.loads(json.dumps(state)), ids, names)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for old, new in names.items():
            _write_member(file, new, _without_padding(members[old]))
        _write_member(file, "schema.json", json.dumps(schema).encode())
    return target.getvalue()


def _renumbered(node: Any, ids: dict[int, int], names: dict[str, str]) -> Any:
    if isinstance(node, list):
        return [_renumbered(item, ids, names) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("__loader__") == "SetNode":  # a set's order differs from process to process
        node = node | {"content": sorted(node["content"], key=_sort_key)}
    result = {}
    for key, value in node.items():
        if key == "__id__":
            value = ids.setdefault(value, len(ids))
        elif key == "file" and isinstance(value, str):
            suffix = Path(value).suffix
            value = names.setdefault(value, f"{len(names):06d}{suffix}")
        else:
            value = _renumbered(value, ids, names)
        result[key] = value
    return result


def _sort_key(node: Any) -> str:
    return json.dumps({k: v for k, v in node.items() if k not in ("__id__", "file")}, default=str)


def _without_padding(data: bytes) -> bytes:
    """Return an npy file whose records' unused bytes are zero instead of whatever was there."""
    if not data.startswith(np.lib.format.MAGIC_PREFIX) or PLAIN_ARRAY.match(data):
        return data
    array = np.load(io.BytesIO(data), allow_pickle=False)
    if array.dtype.names is None:
        return data
    clean = np.zeros(array.shape, array.dtype)
    for name in array.dtype.names:
        clean[name] = array[name]
    target = io.BytesIO()
    np.save(target, clean, allow_pickle=False)
    return target.getvalue()


def _write_member(file: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    file.writestr(info, data, compresslevel=1)
