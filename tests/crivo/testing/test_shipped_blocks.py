"""A contract that depends on a shipped block's settings; tests/project has all others."""

from crivo.core.blocks import make_block
from crivo.testing import check_model


def test_any_regressor_of_scikit_learn_keeps_the_contract() -> None:
    settings = {"estimator": "sklearn.tree.DecisionTreeRegressor", "settings": {"max_depth": 4}}
    check_model(make_block("model", "sklearn", settings), tasks=["regression"])
