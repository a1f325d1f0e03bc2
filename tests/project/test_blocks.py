"""Every file in src/blocks keeps the contract of its kind.

Featurizers, models and checks are tried on the project's own rows; splitters and evaluators, and
models of another task than the project's, on made-up ones.
"""

from typing import Any

import pandas as pd
import pytest

from crivo import CrivoError, Schema
from crivo.testing import (
    Params,
    block_names,
    check_check,
    check_dataset,
    check_evaluator,
    check_featurizer,
    check_metric,
    check_model,
    check_splitter,
    make_block,
    tasks_of,
)
from tests.project.conftest import ROOT
from tests.project.known import QUICK

# The project's pipeline runs on a few hundred of its rows.
pytestmark = pytest.mark.pipeline


def functions(folder: str) -> list[str]:
    """Return the names of the project's own metrics or checks."""
    return sorted(path.stem for path in (ROOT / "src/blocks" / folder).glob("[!_]*.py"))


def block(kind: str, name: str, params: Params) -> Any:
    """Return a block with the settings that params.yaml has for it, or else with its own."""
    settings = params.settings(kind, name)
    return make_block(kind, name, {**settings, **QUICK.get(name, {})})


@pytest.mark.parametrize("name", block_names("model"))
def test_a_model_keeps_its_contract(
    name: str, params: Params, schema: Schema, rows: pd.DataFrame, features: pd.DataFrame
) -> None:
    model = block("model", name, params)
    own: dict[str, Any] = {}
    try:
        tasks = tasks_of(model)
    except CrivoError as error:  # an optional package isn't there
        pytest.skip(str(error))
    if schema.task in tasks:
        tasks, own = [schema.task], {"features": features, "target": rows[schema.target]}
    check_model(model, tasks=tasks, **own)


@pytest.mark.parametrize("name", block_names("featurizer"))
def test_a_featurizer_keeps_its_contract(
    name: str, params: Params, schema: Schema, rows: pd.DataFrame
) -> None:
    check_featurizer(block("featurizer", name, params), schema=schema, rows=rows)


@pytest.mark.parametrize("name", block_names("splitter"))
def test_a_splitter_keeps_its_contract(
    name: str, params: Params, schema: Schema, rows: pd.DataFrame
) -> None:
    """On made-up rows, unless it names columns."""
    if name == params.splitter:
        pytest.skip("its settings are for this project's rows: test_pipeline.py has its contract")
    splitter = block("splitter", name, params)
    own = {"schema": schema, "rows": rows} if splitter.needs else {}
    check_splitter(splitter, **own)


@pytest.mark.parametrize("name", block_names("evaluator"))
def test_an_evaluator_keeps_its_contract(name: str) -> None:
    """With its own settings: those of params.yaml may name metrics of one task."""
    check_evaluator(make_block("evaluator", name, {}))


@pytest.mark.parametrize("name", block_names("dataset"))
def test_a_dataset_keeps_its_contract(name: str, params: Params) -> None:
    """Where it has raw files; test_pipeline.py has the contract of the dataset in use."""
    dataset, folder = block("dataset", name, params), ROOT / "data/raw" / name
    if name == params.dataset or not folder.is_dir():
        pytest.skip(f"it isn't in use, and there is no data/raw/{name}")
    check_dataset(dataset, folder, limit=params.prepare.quarantine_limit)


@pytest.mark.parametrize("name", functions("metrics"))
def test_a_metric_keeps_its_contract(name: str) -> None:
    check_metric(name)


@pytest.mark.parametrize("name", functions("checks"))
def test_a_check_keeps_its_contract(name: str, schema: Schema, rows: pd.DataFrame) -> None:
    check_check(name, schema=schema, rows=rows)
