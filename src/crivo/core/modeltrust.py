"""The names that a model file may hold: exact ones, and for each kind of node its own.

skops asks of a name whether it is trusted, whatever the kind of its node, and some kinds call what
they name: a method, or the type of a dictionary's keys. So a name is trusted here for a kind only,
and a kind that is not listed is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from crivo.core.skopsnames import skops_lists

# Where the project's own classes and functions may be defined: package -> the folder of its
# files, when that isn't the one of the same name among the project's blocks.
OWN_PACKAGES: dict[str, Path | None] = {"blocks.models": None, "blocks.featurizers": None}

# Classes that a model file may hold beyond scikit-learn's estimators, which skops lists. They are
# private names of the pinned versions; a test saves and loads every shipped block with them.
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
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
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
# Functions that it may hold beyond the arithmetic ones of numpy and scipy, which skops lists.
TRUSTED_FUNCTIONS = frozenset({"sklearn.utils.validation.check_array"})

PLAIN = (np.number, np.bool, np.str_, np.bytes_, np.datetime64, np.timedelta64)
# What is called with the one element of an array.
SCALARS = frozenset(
    f"numpy.{kind.__name__}" for kind in np.sctypeDict.values() if issubclass(kind, PLAIN)
)
# What is called with the text of a dictionary's key.
KEY_TYPES = SCALARS | {f"builtins.{name}" for name in ("bool", "float", "int", "str")}
TYPES = KEY_TYPES | {
    "builtins.dict", "builtins.list", "builtins.set", "builtins.tuple", "numpy.object_",
}  # fmt: skip
# kind of node -> the classes that it may stand for, beside the project's own.
CLASSES = {
    "ObjectNode": TRUSTED,
    "TupleNode": frozenset({"builtins.tuple"}),
    "TypeNode": TYPES,
}
# Random numbers whose state holds no position in a table, which numpy doesn't check.
GENERATORS = ("PCG64", "PCG64DXSM", "SFC64")
MAX_SEEDS = 64
LOSSES = ("sklearn._loss._loss", "sklearn.linear_model._sgd_fast")

# kind of node -> the only names that it may have.
NAMES: dict[str, frozenset[str]] = {
    "BytearrayNode": frozenset({"builtins.bytearray"}),
    "BytesNode": frozenset({"builtins.bytes"}),
    "DTypeNode": frozenset({"numpy.dtype"}),
    "DefaultDictNode": frozenset({"collections.defaultdict"}),
    "DictNode": frozenset({"builtins.dict", "collections.OrderedDict"}),
    "JsonNode": frozenset({"builtins.str"}),
    "ListNode": frozenset({"builtins.list"}),
    "MaskedArrayNode": frozenset({"numpy.ma.MaskedArray", "numpy.ma.core.MaskedArray"}),
    "NdArrayNode": SCALARS | {"numpy.ndarray"},
    "PartialNode": frozenset({"functools.partial"}),
    "RandomGeneratorNode": frozenset({"numpy.random._generator.Generator"}),
    "RandomStateNode": frozenset({"numpy.random.mtrand.RandomState"}),
    "SetNode": frozenset({"builtins.set"}),
    "SliceNode": frozenset({"builtins.slice"}),
    "TreeNode": frozenset({"sklearn.tree._tree.Tree"}),
}

CLASS, FUNCTION = ast.ClassDef.__name__, ast.FunctionDef.__name__


def is_trusted(kind: str, module: str, name: str) -> bool:
    """Whether a node of this kind may stand for this class or function; nothing is imported."""
    whole = f"{module}.{name}"
    if kind in NAMES:
        return whole in NAMES[kind]
    if kind == "LossNode":
        return module in LOSSES  # skops lists the classes
    if kind == "FunctionNode":
        return whole in _listed(kind) or name in _own(module, FUNCTION)
    return kind in CLASSES and (whole in _listed(kind) or name in _own(module, CLASS))


@cache
def _listed(kind: str) -> frozenset[str]:
    """Return the names outside of the project that a kind of node may stand for."""
    if kind == "FunctionNode":
        return TRUSTED_FUNCTIONS | skops_trusts("SCIPY_UFUNC", "NUMPY_UFUNC")
    own = skops_trusts("SKLEARN_ESTIMATOR", "SKLEARN_INTERNAL") if kind == "ObjectNode" else set()
    return CLASSES[kind] | own


@cache
def skops_trusts(*lists: str) -> frozenset[str]:
    """Return the names of lists that skops keeps of what it trusts by itself."""
    found = skops_lists()
    return frozenset(name for key in lists for name in found[f"{key}_TYPE_NAMES"])


def _own(module: str, kind: str) -> frozenset[str]:
    """Return what a file of the project's own packages defines itself, of a kind."""
    package, _, stem = module.rpartition(".")
    if package not in OWN_PACKAGES:
        return frozenset()
    own = OWN_PACKAGES[package]
    for folder in _block_folders(package) if own is None else [own]:
        file = folder / f"{stem}.py"
        if file.is_file():
            return _definitions(file, file.stat().st_mtime_ns, kind)
    return frozenset()


def _block_folders(package: str) -> list[Path]:
    """Return where Python would look for a package of blocks; nothing is imported."""
    top, _, folder = package.partition(".")
    spec = find_spec(top)
    places = spec.submodule_search_locations if spec is not None else None
    return [Path(place) / folder for place in places or ()]


@cache
def _definitions(file: Path, _changed: int, kind: str) -> frozenset[str]:
    """Return the names that a file defines at its top level; it is read and not run."""
    return frozenset(
        statement.name
        for statement in _top_level(ast.parse(file.read_bytes()))
        if isinstance(statement, ast.ClassDef | ast.FunctionDef)
        and type(statement).__name__ == kind
    )


def _top_level(block: ast.AST) -> Iterator[ast.AST]:
    """Give the statements that belong to a module, also those under a condition."""
    for statement in ast.iter_child_nodes(block):
        yield statement
        if isinstance(statement, ast.If | ast.Try | ast.ExceptHandler | ast.With):
            yield from _top_level(statement)
