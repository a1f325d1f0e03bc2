"""What is imported late is there when it is used, and is the real one for everybody else."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from crivo.core.lateimports import LATER

BEGINNING = "import sys; from crivo.core.lateimports import import_late; import_late()\n"


def run(code: str) -> str:
    """Return what code prints in a process of its own that imports late."""
    done = subprocess.run(
        [sys.executable, "-c", BEGINNING + code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_model_is_fitted_without_what_it_does_not_use() -> None:
    code = (
        "import sklearn.ensemble, sklearn.linear_model, sklearn.metrics, sklearn.compose;"
        "from crivo.core.skopsnames import import_skops; import_skops();"
        "sklearn.linear_model.LinearRegression().fit([[1.0], [2.0]], [1.0, 2.0]);"
        "print({'scipy.stats', 'rich', 'numpy.f2py'} & {*sys.modules})"
    )
    assert run(code) == "set()"


# One use of each: from what is printed it can be seen whether all compute the same.
USES = """
import numpy as np
from sklearn._loss.link import MultinomialLogit
from sklearn.callback import ProgressBar
from sklearn.covariance import MinCovDet
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.isotonic import check_increasing
from sklearn.metrics import label_ranking_average_precision_score
from sklearn.preprocessing import PowerTransformer
from sklearn.utils.fixes import _mode

x = np.random.default_rng(0).normal(size=(30, 2))
print(MultinomialLogit().link(np.array([[0.25, 0.75], [0.5, 0.5]])).tolist())
print(type(ProgressBar(2)).__name__)
print(MinCovDet(random_state=0).fit(x).covariance_.tolist())
print(SelectKBest(f_regression, k=1).fit(x, x[:, 0]).pvalues_.tolist())
print(check_increasing([1, 2, 3], [1, 3, 2]))
print(label_ranking_average_precision_score([[1, 0, 0], [0, 0, 1]], [[0.7, 0.5, 1], [1, 0.2, 0.1]]))
print(PowerTransformer(method="box-cox").fit_transform([[1.0], [2.0], [5.0]]).tolist())
print(_mode(np.array([1, 2, 2]))[0])
"""


def test_what_is_imported_late_is_there_when_it_is_used() -> None:
    plain = subprocess.run([sys.executable, "-c", USES], capture_output=True, text=True, check=True)
    assert run(USES) == plain.stdout.strip()
    assert len(plain.stdout.splitlines()) == 8


def test_everybody_else_finds_the_real_module() -> None:
    code = (
        "import sklearn.metrics; early = 'scipy.stats' in sys.modules;"
        "import scipy.stats.distributions as one; import scipy.stats; from scipy.stats import chi2;"
        "kind = type(scipy.stats).__name__;"
        "print(early, one is scipy.stats.distributions, chi2 is one.chi2, kind)"
    )
    assert run(code) == "False True True module"


@pytest.mark.parametrize("name", LATER)
def test_each_module_that_imports_late_exists(name: str) -> None:
    """With a version that has renamed it, the import would take its old time again, unnoticed."""
    assert find_spec(name) is not None
