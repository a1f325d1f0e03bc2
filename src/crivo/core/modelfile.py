"""Stores fitted estimators so that equal ones give equal files and loading runs no code.

The format is skops. Its own files differ in every process: members are named after memory
addresses and carry the time. Here they are renumbered in the order in which the schema
mentions them, so a file depends on the estimator's state alone.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from crivo.core.artifacts import written
from crivo.core.errors import CrivoError
from crivo.core.formernames import with_current_names

# Types that a model file may hold beyond those that skops trusts by itself. They are private
# names of the pinned versions; a test saves and loads every shipped block with them.
TRUSTED = frozenset(
    {
        "crivo.core.boosters.NumberedClasses",
        "crivo.core.boosters.NumberedColumns",
        "crivo.featurization.typed.TypedColumns",
        "crivo.featurization.table.TableEncoder",
        "lightgbm.basic.Booster",
        "lightgbm.sklearn.LGBMClassifier",
        "lightgbm.sklearn.LGBMRegressor",
        "xgboost.core.Booster",
        "xgboost.sklearn.XGBClassifier",
        "xgboost.sklearn.XGBRegressor",
        "functools.partial",  # of check_array in histogram boosting; other functions are refused
        "numpy.dtype",
        "sklearn.compose._column_transformer.make_column_selector",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.tree._tree.Tree",
        "sklearn.utils.validation.check_array",
        # What estimators hold that only `model: sklearn` builds.
        "sklearn._loss.loss.HalfTweedieLossIdentity",
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        "sklearn.gaussian_process._gpc._BinaryGaussianProcessClassifierLaplace",
        "sklearn.gaussian_process.kernels.ConstantKernel",
        "sklearn.gaussian_process.kernels.Product",
        "sklearn.gaussian_process.kernels.RBF",
        "sklearn.metrics._dist_metrics.EuclideanDistance64",
        "sklearn.neighbors._kd_tree.KDTree",
        "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    }
)

# Classes in these packages of the project itself may be in a model file.
OWN_PACKAGES = ("blocks.models.", "blocks.featurizers.")


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
    import skops.io

    _forget_threads(estimator)
    return _canonical(skops.io.dumps(estimator))


def parse_model(data: bytes, name: str = "this file") -> Any:
    """Return the estimator that a skops file holds; CrivoError when it can't be trusted."""
    import skops.io

    try:
        data = with_current_names(data)
        types = skops.io.get_untrusted_types(data=data)
        unknown = [t for t in types if t not in TRUSTED and not t.startswith(OWN_PACKAGES)]
        if not unknown:
            return skops.io.loads(data, trusted=types)
    except Exception as error:  # skops and zipfile raise many kinds for a broken file
        raise CrivoError(
            f"{name} is no readable model file ({type(error).__name__}: {error}); "
            "restore it with `dvc checkout` or make it again with `dvc repro`."
        ) from None
    raise CrivoError(
        f"{name} holds types that crivo does not trust: {', '.join(sorted(unknown))}. It was not "
        "loaded. If you trust its author, add them to TRUSTED in src/crivo/core/modelfile.py."
    )


def _forget_threads(estimator: Any) -> None:
    """Set the thread count that histogram boosting stores, whatever machine fitted it, to 1."""
    if hasattr(estimator, "_bin_mapper"):
        estimator._bin_mapper.n_threads = 1
    for part in getattr(estimator, "steps", []):
        _forget_threads(part[1])


def _canonical(data: bytes) -> bytes:
    """Return a skops file with ids, member names and times that depend on nothing outside."""
    source = zipfile.ZipFile(io.BytesIO(data))
    schema = json.loads(source.read("schema.json"))
    ids: dict[int, int] = {}
    names: dict[str, str] = {}
    schema = _renumbered(schema, ids, names)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for old, new in names.items():
            _write_member(file, new, _without_padding(source.read(old)))
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
    if not data.startswith(b"\x93NUMPY"):
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
