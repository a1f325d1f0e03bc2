"""The allow-list of classes and functions in a model file, for each kind of node.

A skops file holds a tree of nodes. Each has a kind (`__loader__`) and names the class or function
it stands for. skops asks of a name whether it is trusted, whatever the kind of its node, and some
kinds call what they name: so a name is allowed here for a kind only, and a kind that is not listed
is refused. Every node of the file is looked at, also those that skops would leave out.
"""

from __future__ import annotations

import json
from importlib import import_module
from types import FunctionType
from typing import Any

import numpy as np

# Where the project's own classes and functions may be defined.
OWN_PACKAGES = frozenset({"blocks.models", "blocks.featurizers"})

# Classes that a model file may hold beyond scikit-learn's estimators. They are private names of
# the pinned versions; a test saves and loads every shipped block with them.
TRUSTED = frozenset(
    {
        "crivo.core.boosters.NumberedClasses",
        "crivo.core.boosters.NumberedColumns",
        "crivo.core.textinputs.TextVectorizer",
        "crivo.featurization.typed.TypedColumns",
        "crivo.featurization.table.TableEncoder",
        "lightgbm.basic.Booster",
        "lightgbm.sklearn.LGBMClassifier",
        "lightgbm.sklearn.LGBMRegressor",
        "xgboost.core.Booster",
        "xgboost.sklearn.XGBClassifier",
        "xgboost.sklearn.XGBRegressor",
        "sklearn.compose._column_transformer.make_column_selector",
        "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        # What estimators hold that only `model: sklearn` builds.
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
# Modules of scikit-learn all of whose classes a node of the kind may stand for.
CLASSES_OF = {
    "ObjectNode": ("sklearn._loss.link", "sklearn._loss.loss"),
    "LossNode": ("sklearn._loss._loss", "sklearn.linear_model._sgd_fast"),
}
UFUNCS_OF = ("numpy", "scipy.special._special_ufuncs", "scipy.special._ufuncs")

PLAIN = (np.number, np.bool, np.str_, np.bytes_, np.datetime64, np.timedelta64)
SCALARS = frozenset(
    f"numpy.{kind.__name__}" for kind in np.sctypeDict.values() if issubclass(kind, PLAIN)
)
# kind of node -> the only names from outside of the project that it may have, but for those above.
NAMES: dict[str, frozenset[str]] = {
    "BytearrayNode": frozenset({"builtins.bytearray"}),
    "BytesNode": frozenset({"builtins.bytes"}),
    "DTypeNode": frozenset({"numpy.dtype"}),
    "DefaultDictNode": frozenset({"collections.defaultdict"}),
    "DictNode": frozenset({"builtins.dict", "collections.OrderedDict"}),
    "FunctionNode": frozenset({"sklearn.utils.validation.check_array"}),
    "JsonNode": frozenset({"builtins.str"}),
    "ListNode": frozenset({"builtins.list"}),
    "LossNode": frozenset(),
    "MaskedArrayNode": frozenset({"numpy.ma.MaskedArray", "numpy.ma.core.MaskedArray"}),
    "NdArrayNode": SCALARS | {"numpy.ndarray"},
    "ObjectNode": TRUSTED,
    "PartialNode": frozenset({"functools.partial"}),
    "RandomGeneratorNode": frozenset({"numpy.random._generator.Generator"}),
    "RandomStateNode": frozenset({"numpy.random.mtrand.RandomState"}),
    "SetNode": frozenset({"builtins.set"}),
    "SliceNode": frozenset({"builtins.slice"}),
    "TreeNode": frozenset({"sklearn.tree._tree.Tree"}),
    "TupleNode": frozenset({"builtins.tuple"}),
    "TypeNode": SCALARS
    | {f"builtins.{name}" for name in ("bool", "dict", "float", "int", "list", "set", "str")}
    | {"builtins.tuple", "numpy.object_"},
}
# Which random numbers a generator may be made of: skops asks for them by these names.
GENERATORS = frozenset(f"numpy.random.{name}" for name in ("PCG64", "PCG64DXSM", "SFC64"))
# kind of node -> what of the project's own code it may stand for.
OWN_KINDS = {"FunctionNode": FunctionType, "ObjectNode": type, "TupleNode": type, "TypeNode": type}


def names_of(schema: bytes) -> tuple[set[str], set[str]]:
    """Return the names of all nodes of a skops file, and those that are not allowed.

    `schema` describes the nodes. Of the project, its own models and featurizers are imported.
    ValueError: a node has no kind or no name, or they are in another version of the format than
    the one that we write; older versions are read by other rules, which check less.
    """
    from skops.io._protocol import PROTOCOL

    nodes: list[dict[str, Any]] = []

    def look(node: dict[str, Any]) -> dict[str, Any]:
        if "__loader__" in node or "__class__" in node:
            nodes.append(node)
        return node

    version = json.loads(schema, object_hook=look).get("protocol")
    if version != PROTOCOL or isinstance(version, bool):
        raise ValueError(f"it is not in version {PROTOCOL} of the skops format")
    names, refused = set(), set()
    for kind, module, name in set(map(_named, nodes)):
        full = f"{module}.{name}"
        names.add(full)
        if kind not in NAMES:
            refused.add(f"{full} as a {kind}")
        elif not _is_allowed(kind, module, name):
            refused.add(full)
    return names, refused


def _named(node: dict[str, Any]) -> tuple[str, str, str]:
    """Return kind, module and name of a node."""
    kind, module, name = (node.get(key) for key in ("__loader__", "__module__", "__class__"))
    if not (isinstance(kind, str) and isinstance(module, str) and isinstance(name, str)):
        raise ValueError(f"an object is named {str(module)[:40]}.{str(name)[:40]}")
    if not all(part.isidentifier() for part in [*module.split("."), name]):
        raise ValueError(f"{f'{module}.{name}'[:60]!r} isn't at the top level of a module")
    return kind, module, name


def _is_allowed(kind: str, module: str, name: str) -> bool:
    """Whether a name is listed, the project's own, or a ufunc, a loss or an estimator."""
    if f"{module}.{name}" in NAMES[kind]:
        return True
    if module.rpartition(".")[0] in OWN_PACKAGES:
        found = _defined(module, name)
        return kind in OWN_KINDS and isinstance(found, OWN_KINDS[kind])
    if kind == "FunctionNode" and module in UFUNCS_OF:
        return isinstance(getattr(import_module(module), name, None), np.ufunc)
    if module in CLASSES_OF.get(kind, ()):
        return isinstance(_defined(module, name), type)
    if kind != "ObjectNode" or not module.startswith("sklearn."):
        return False
    from sklearn.base import BaseEstimator

    found = _defined(module, name)
    return isinstance(found, type) and issubclass(found, BaseEstimator)


def _defined(module: str, name: str) -> Any:
    """Return what a module defines itself, not what it imports; None for no such thing."""
    try:
        found = getattr(import_module(module), name, None)
    except ImportError:
        return None
    return found if getattr(found, "__module__", None) == module else None
