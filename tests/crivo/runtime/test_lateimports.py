"""A stage imports what it uses; a module of a library that imports late is the real one when used.

Each test is a process of its own, as what is imported stays imported.
"""

from importlib.util import find_spec

import pytest
from tests.crivo.processes import SRC, python

from crivo.runtime.lateimports import LATE

LATER = """
import sys
sys.path.insert(0, "src")
from crivo.runtime.lateimports import import_late
import_late()
"""


def run(code: str, *arguments: str) -> str:
    done = python("-c", LATER + code, *arguments, folder=SRC.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout


# What no stage uses on a plain table.
NEVER = {
    "matplotlib", "numpy.f2py.f2py2e", "numpy.testing._private", "pynvml", "requests", "rich",
    "scipy.integrate._quadrature", "scipy.interpolate._bsplines", "scipy.optimize._minimize",
    "scipy.spatial.transform._rotation", "scipy.stats._stats_py", "tabulate", "tqdm",
}  # fmt: skip
# What a stage can't do without: dvclive imports it.
NEEDED = {"prepare": set(), "train": {"tqdm"}, "evaluate": set()}
# What `crivo.run` imports for a stage.
ROOMS = {
    "prepare": ("preparation.committed", "preparation.prepared", "preparation.rawdata"),
    "train": ("training.fit",),
    "evaluate": ("evaluation.evaluate", "evaluation.inspection"),
}
WORK = """
import runpy
from importlib import import_module
stage, *rooms = sys.argv[1:]
runpy.run_path(f"src/{stage}.py", run_name="stage")
for room in rooms:
    import_module(f"crivo.{room}")
from crivo.runtime.environment import lock_differences
from crivo.core.params import read_params
from crivo.runtime.stage import progress
from crivo.runtime.read_guard import stage_entry
from pathlib import Path
params = read_params()
lock_differences()
stage_entry(Path.cwd(), f"src/{stage}.py", stage)
with progress() as step:
    step("one")
if stage == "train":
    from tempfile import TemporaryDirectory
    from crivo.training.tracking import tracker
    with TemporaryDirectory() as folder, tracker(Path(folder) / "metrics") as live:
        live.log_metric("loss", 0.5)
        live.next_step()
if stage != "prepare":
    import sklearn.compose, sklearn.ensemble, sklearn.linear_model, sklearn.pipeline
    from crivo.modelfile.canonical import dump_model
    dump_model(sklearn.linear_model.LogisticRegression())
print(*sys.modules, sep="\\n")
"""


@pytest.mark.parametrize("stage", NEEDED)
def test_no_stage_imports_what_it_does_not_use(stage: str) -> None:
    imported = set(run(WORK, stage, *ROOMS[stage]).split("\n"))
    assert imported & NEVER <= NEEDED[stage]


def test_a_late_module_is_the_real_one_for_scikit_learn_and_for_whoever_uses_it() -> None:
    """scikit-learn takes `rankdata` out of `scipy.stats` when it is imported."""
    code = """
import warnings
import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import HuberRegressor, LogisticRegression, QuantileRegressor
from sklearn.metrics import consensus_score, roc_auc_score
from sklearn.model_selection import _search
from sklearn.preprocessing import SplineTransformer
from scipy.spatial.transform import Rotation
assert not {"scipy.optimize._minimize", "scipy.stats._stats_py"} & sys.modules.keys()
print(_search.rankdata([0.3, 0.1, 0.1]).tolist())
import scipy.stats
print(_search.rankdata.__name__, _search.rankdata([0.3, 0.1, 0.1]).tolist())
warnings.simplefilter("ignore")
X, y = [[0.0], [1.0], [2.0], [3.0]], np.array([0, 1, 0, 1])
for solver in ("lbfgs", "newton-cg"):
    print(LogisticRegression(solver=solver).fit(X, y).predict([[4.0]]))
for model in HuberRegressor(), QuantileRegressor():
    model.fit(X, y)
print(IsotonicRegression().fit(X, y).predict([[0.5]]), SplineTransformer().fit_transform(X).shape)
print(roc_auc_score(y, [0.1, 0.4, 0.2, 0.3]), consensus_score(([y], [y]), ([y], [y])))
print(Rotation.identity().magnitude())
from numpy import testing
testing.assert_allclose(1, 1)
from scipy.stats import *
print(norm.ppf(0.5))
"""
    assert run(code).splitlines() == [
        "[3.0, 1.5, 1.5]", "rankdata [3.0, 1.5, 1.5]", "[1]", "[1]", "[0.25] (4, 7)", "1.0 1.0",
        "0.0", "0.0",
    ]  # fmt: skip


def test_each_late_module_exists() -> None:
    """After an upgrade one may have another name: then it would no longer be late."""
    assert [name for name in LATE if find_spec(name) is None] == []
