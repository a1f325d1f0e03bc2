"""The allow-list of classes and functions in a model file, for each kind of node.

A skops file holds a tree of nodes. Each has a kind (`__loader__`) and names the class or function
it stands for. skops asks of a name whether it is trusted, whatever the kind of its node, and some
kinds call what they name: so a name is allowed here for a kind only, and a kind that is not listed
is refused. Every node of the file is looked at, also those that skops would leave out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
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


def names_of(schema: Any) -> tuple[set[str], set[str]]:
    """Return the names of all nodes of a skops file, and those that are not allowed.

    Of the project, its own models and featurizers are imported. ValueError: a node has no kind or
    no name.
    """
    names, refused = set(), set()
    for kind, module, name in set(_nodes(schema)):
        whole = f"{module}.{name}"
        names.add(whole)
        if kind not in NAMES:
            refused.add(f"{whole} as a {kind}")
        elif not _is_allowed(kind, module, name):
            refused.add(whole)
    return names, refused


def _nodes(schema: Any) -> Iterator[tuple[str, str, str]]:
    """Give kind, module and name of every node, wherever it stands."""
    left = [schema]
    while left:
        value = left.pop()
        if isinstance(value, list):
            left.extend(value)
        elif isinstance(value, dict):
            left.extend(value.values())
            if "__loader__" in value or "__class__" in value:
                yield _named(value)


def _named(node: dict[str, Any]) -> tuple[str, str, str]:
    kind, module, name = (node.get(key) for key in ("__loader__", "__module__", "__class__"))
    if not (isinstance(kind, str) and isinstance(module, str) and isinstance(name, str)):
        raise ValueError(f"an object is named {str(module)[:40]}.{str(name)[:40]}")
    if not all(part.isidentifier() for part in [*module.split("."), name]):
        raise ValueError(f"{f'{module}.{name}'[:60]!r} isn't the name of a class or function")
    return kind, module, name


def _is_allowed(kind: str, module: str, name: str) -> bool:
    if f"{module}.{name}" in NAMES[kind]:
        return True
    if module.rpartition(".")[0] in OWN_PACKAGES:
        found = _defined(module, name)
        return kind in OWN_KINDS and isinstance(found, OWN_KINDS[kind])
    if module.partition(".")[0] in ("numpy", "scipy", "sklearn"):
        return _is_installed(kind, module, name)
    return False


def _defined(module: str, name: str) -> Any:
    """Return what a module defines itself, not what it imports; None for no such thing."""
    try:
        found = getattr(import_module(module), name, None)
    except ImportError:
        return None
    return found if getattr(found, "__module__", None) == module else None


@cache
def _is_installed(kind: str, module: str, name: str) -> bool:
    """Whether a name is a ufunc, a loss or an estimator of the libraries that come with crivo."""
    if kind == "FunctionNode" and module in UFUNCS_OF:
        return isinstance(getattr(import_module(module), name, None), np.ufunc)
    of_estimators = kind == "ObjectNode" and module.startswith("sklearn.")
    if not of_estimators and module not in CLASSES_OF.get(kind, ()):
        return False
    from sklearn.base import BaseEstimator

    found = _defined(module, name)
    of_kind = BaseEstimator if module not in CLASSES_OF.get(kind, ()) else object
    return isinstance(found, type) and issubclass(found, of_kind)
