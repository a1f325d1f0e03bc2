"""Every file in src/blocks keeps the contract of its kind, on made-up rows."""

from collections.abc import Mapping
from typing import Any

import pytest

from crivo.core.blocks import KINDS
from crivo.core.errors import CrivoError
from crivo.core.registry import block_names, make_block
from crivo.core.schema import Task
from crivo.testing import (
    TASKS,
    check_evaluator,
    check_featurizer,
    check_model,
    check_splitter,
)
from tests.project.known import EXPECTED, QUICK

Params = Mapping[str, Any]


def block(kind: str, name: str, params: Params) -> Any:
    """Return a block with the settings that params.yaml has for it, or else with its own."""
    settings = params[KINDS[kind][0]].get(name) or {}
    return make_block(kind, name, {**settings, **QUICK.get(name, {})})


def tasks_of(model: Any) -> list[Task]:
    """Return the tasks that a model is made for: it refuses the others in a sentence.

    The test is skipped when it refuses all of them, as without an optional package.
    """
    found: list[Task] = []
    for task in TASKS:
        try:
            model.build(task, 0)
            found.append(task)
        except CrivoError as error:
            reason = str(error)
    if not found:
        pytest.skip(reason)
    return found


@pytest.mark.parametrize("name", block_names("model"))
def test_a_model_keeps_its_contract(name: str, params: Params) -> None:
    model = block("model", name, params)
    check_model(model, tasks=tasks_of(model), expected_failures=EXPECTED.get(name))


@pytest.mark.parametrize("name", block_names("featurizer"))
def test_a_featurizer_keeps_its_contract(name: str, params: Params) -> None:
    check_featurizer(block("featurizer", name, params), expected_failures=EXPECTED.get(name))


@pytest.mark.parametrize("name", block_names("splitter"))
def test_a_splitter_keeps_its_contract(name: str, params: Params) -> None:
    check_splitter(block("splitter", name, params))


@pytest.mark.parametrize("name", block_names("evaluator"))
def test_an_evaluator_keeps_its_contract(name: str) -> None:
    """With its own settings: those of params.yaml may name metrics of one task."""
    check_evaluator(make_block("evaluator", name, {}))


@pytest.mark.parametrize("name", block_names("dataset"))
def test_a_dataset_can_be_made_from_its_settings(name: str, params: Params) -> None:
    """Its contract needs raw files: test_pipeline.py has that of the dataset in use."""
    block("dataset", name, params)
