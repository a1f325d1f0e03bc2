"""Every shipped block keeps the contract of its kind; a new one is checked without more ado."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from crivo.core.blocks import KINDS
from crivo.core.params import read_yaml
from crivo.core.problems import Problems
from crivo.core.registry import block_names, make_block
from crivo.core.schema import Task
from crivo.testing import TASKS, check_evaluator, check_featurizer, check_model, check_splitter

ROOT = Path(__file__).parents[3]

# Blocks whose library is an optional extra.
EXTRAS = ("lightgbm", "xgboost")

# The estimator that `sklearn` takes by default is a classifier.
CLASSES_ONLY: tuple[Task, ...] = ("binary", "multiclass")

# What a check needs no more of than this.
QUICK: dict[str, dict[str, Any]] = {
    "boosting": {"max_iter": 10},
    "forest": {"trees": 5},
    "lightgbm": {"n_estimators": 10},
    "xgboost": {"n_estimators": 10},
}

# The boosting libraries leave the target to their caller; the pipeline checks it at its door.
UNCHECKED_TARGET = dict.fromkeys(
    (
        "check_classifiers_regression_target",
        "check_classifiers_train",
        "check_regressor_data_not_an_array",
        "check_regressors_train",
        "check_supervised_y_2d",
        "check_supervised_y_no_nan",
    ),
    "the library doesn't check the target",
)

# Checks of scikit-learn that a block fails for a good reason.
EXPECTED = {
    "lightgbm": UNCHECKED_TARGET,
    "xgboost": UNCHECKED_TARGET | {"check_regressor_multioutput": "it answers in 32 bits"},
    "tabular": {"check_fit2d_1sample": "no column of a single row varies: refused with a sentence"},
    "forest": {
        "check_regressors_train": "leaves of 20 rows are too large for scikit-learn's 50 rows"
    },
}


def shipped(kind: str) -> list[str]:
    """Return the names of a kind's blocks, those of extras only where they are installed."""
    return [name for name in block_names(kind) if name not in EXTRAS or find_spec(name)]


def block(kind: str, name: str) -> Any:
    """Return a block with its own defaults; where it has none, with those of params.yaml."""
    try:
        return make_block(kind, name, QUICK.get(name))
    except Problems:
        return make_block(kind, name, read_yaml(ROOT / "params.yaml")[KINDS[kind][0]][name])


@pytest.mark.parametrize("name", shipped("model"))
def test_a_shipped_model_keeps_its_contract(name: str) -> None:
    tasks = CLASSES_ONLY if name == "sklearn" else TASKS
    check_model(block("model", name), tasks=tasks, expected_failures=EXPECTED.get(name))


def test_any_regressor_of_scikit_learn_keeps_the_contract() -> None:
    settings = {"estimator": "sklearn.tree.DecisionTreeRegressor", "settings": {"max_depth": 4}}
    check_model(make_block("model", "sklearn", settings), tasks=["regression"])


@pytest.mark.parametrize("name", shipped("featurizer"))
def test_a_shipped_featurizer_keeps_its_contract(name: str) -> None:
    check_featurizer(block("featurizer", name), expected_failures=EXPECTED.get(name))


@pytest.mark.parametrize("name", shipped("splitter"))
def test_a_shipped_splitter_keeps_its_contract(name: str) -> None:
    check_splitter(block("splitter", name))


@pytest.mark.parametrize("name", shipped("evaluator"))
def test_a_shipped_evaluator_keeps_its_contract(name: str) -> None:
    check_evaluator(block("evaluator", name))
