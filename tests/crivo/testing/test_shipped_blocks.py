"""The shipped blocks keep their contracts on made-up rows, with other settings too.

The flights' dataset is in use here: `tests/project` has its contract.
"""

from pathlib import Path
from typing import Any

import pytest
from tests.project.known import QUICK

from crivo import testing
from crivo.core.registry import block_names, make_block
from crivo.core.schema import Task


@pytest.mark.parametrize("name", block_names("model"))
def test_a_model_keeps_its_contract(name: str) -> None:
    """Of two classes `tests/project` has it, on the project's own rows."""
    model = make_block("model", name, QUICK.get(name, {}))
    testing.check_model(model, tasks=[task for task in testing.tasks_of(model) if task != "binary"])


TREE = {"estimator": "sklearn.tree.DecisionTreeRegressor", "settings": {"max_depth": 4}}


@pytest.mark.parametrize(
    ("name", "task", "settings"),
    [
        ("sklearn", "regression", TREE),
        ("linear", "binary", {"text": "both"}),
        # `crivo init` sets it.
        ("boosting", "binary", {"max_iter": 10, "early_stopping": 20}),
        ("boosting", "regression", {"max_iter": 10, "early_stopping": 20}),
        ("xgboost", "multiclass", {"n_estimators": 10, "early_stopping": 20}),
        ("lightgbm", "binary", {"n_estimators": 10, "early_stopping": 20}),
    ],
)
def test_a_model_keeps_its_contract_with_other_settings(
    name: str, task: Task, settings: dict[str, Any]
) -> None:
    testing.check_model(make_block("model", name, settings), tasks=[task])


@pytest.mark.parametrize(
    ("name", "settings"),
    [*((name, {}) for name in block_names("featurizer")), ("tabular", {"keep_text": True})],
)
def test_a_featurizer_keeps_its_contract(name: str, settings: dict[str, Any]) -> None:
    testing.check_featurizer(make_block("featurizer", name, settings))


ROLES = {"target": "target", "id": "id", "time": "date", "group": "shop"}


@pytest.mark.parametrize(
    ("task", "form", "roles"),
    [
        *((task, "csv", ROLES) for task in testing.TASKS),
        ("multiclass", "parquet", ROLES),
        ("binary", "csv", {"target": "target"}),
    ],
)
def test_table_keeps_contract(tmp_path: Path, task: Task, form: str, roles: dict[str, str]) -> None:
    rows = testing.example_rows(task, rows=240).assign(member=["yes", None, "no"] * 80)
    if "id" not in roles:
        rows = rows.drop(columns="id")
    getattr(rows, f"to_{form}")(tmp_path / f"rows.{form}", index=False)
    testing.check_dataset(make_block("dataset", "table", roles), tmp_path)
