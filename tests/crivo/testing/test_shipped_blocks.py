"""Contracts that depend on a shipped block's settings; tests/project has all others."""

from typing import Any

import pytest
from tests.project.known import EXPECTED

from crivo.core.registry import make_block
from crivo.core.schema import Task
from crivo.testing import check_featurizer, check_model


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
def test_a_model_keeps_its_contract(name: str, task: Task, settings: dict[str, Any]) -> None:
    model = make_block("model", name, settings)
    check_model(model, tasks=[task], expected_failures=EXPECTED.get(name))


def test_a_featurizer_that_keeps_text_keeps_its_contract() -> None:
    featurizer = make_block("featurizer", "tabular", {"keep_text": True})
    check_featurizer(featurizer, expected_failures=EXPECTED["tabular"])
