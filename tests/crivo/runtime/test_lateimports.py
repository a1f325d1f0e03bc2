"""A stage imports what it uses; a module of a library that imports late is the real one when used.

Each test is a process of its own, as what is imported stays imported.
"""

from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.crivo.processes import SRC, python

from crivo.core.parsing import read_yaml
from crivo.runtime.lateimports import LATE

CODE: dict[str, str] = read_yaml(Path(__file__).with_name("late.yaml"))
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


@pytest.mark.parametrize("stage", NEEDED)
def test_no_stage_imports_what_it_does_not_use(stage: str) -> None:
    imported = set(run(CODE["stage"], stage, *ROOMS[stage]).split("\n"))
    assert imported & NEVER <= NEEDED[stage]


def test_a_late_module_is_the_real_one_for_scikit_learn_and_for_whoever_uses_it() -> None:
    """scikit-learn takes `rankdata` out of `scipy.stats` when it is imported."""
    assert run(CODE["late"]).splitlines() == [
        "[3.0, 1.5, 1.5]", "rankdata [3.0, 1.5, 1.5]", "[1]", "[1]", "[0.25] (4, 7)", "1.0 1.0",
        "0.0", "0.0",
    ]  # fmt: skip


def test_each_late_module_exists() -> None:
    """After an upgrade one may have another name: then it would no longer be late."""
    assert [name for name in LATE if find_spec(name) is None] == []
