"""The shipped blocks keep their contracts on made-up rows, with other settings too."""

from typing import Any

import pytest
from tests.project.known import QUICK

from crivo.core.registry import block_names, make_block
from crivo.core.schema import Task
from crivo.testing import check_featurizer, check_model


@pytest.mark.parametrize("name", block_names("model"))
def test_a_model_keeps_its_contract(name: str) -> None:
    model = make_block("model", name, QUICK.get(name, {}))
    check_model(model)


@pytest.mark.parametrize("name", block_names("featurizer"))
def test_a_featurizer_keeps_its_contract(name: str) -> None:
    check_featurizer(make_block("featurizer", name, {}))


@pytest.mark.parametrize(
    ("name", "task", "settings"),
    [
        (
            "sklearn",
            "regression",
            {"estimator": "sklearn.tree.DecisionTreeRegressor", "settings": {"max_depth": 4}},
        ),
        ("linear", "binary", {"text": "both"}),
        # `crivo init` sets it.
        ("boosting", "binary", {"max_iter": 10, "early_stopping": 20}),
        ("boosting", "regression", {"max_iter": 10, "early_stopping": 20}),
        ("xgboost", "multiclass", {"n_estimators": 10, "early_stopping": 20}),
        ("xgboost", "regression", {"n_estimators": 10, "early_stopping": 20}),
        ("lightgbm", "binary", {"n_estimators": 10, "early_stopping": 20}),
    ],
)
def test_a_model_keeps_its_contract_with_other_settings(
    name: str, task: Task, settings: dict[str, Any]
) -> None:
    model = make_block("model", name, settings)
    check_model(model, tasks=[task])


def test_a_featurizer_that_keeps_text_keeps_its_contract() -> None:
    featurizer = make_block("featurizer", "tabular", {"keep_text": True})
    check_featurizer(featurizer)
