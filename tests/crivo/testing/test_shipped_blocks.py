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
    ],
)
def test_a_model_keeps_its_contract(name: str, task: Task, settings: dict[str, Any]) -> None:
    check_model(make_block("model", name, settings), tasks=[task])


def test_a_featurizer_that_keeps_text_keeps_its_contract() -> None:
    featurizer = make_block("featurizer", "tabular", {"keep_text": True})
    check_featurizer(featurizer, expected_failures=EXPECTED["tabular"])
