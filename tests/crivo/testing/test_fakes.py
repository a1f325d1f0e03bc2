"""The mocks keep the contracts of the real blocks, for all three tasks, and need no file."""

import pytest

from crivo.core.schema import Task
from crivo.testing import (
    TASKS,
    FakeDataset,
    FakeEvaluator,
    FakeModel,
    FakePredictor,
    check_dataset,
    check_evaluator,
    check_model,
    check_predictor,
    example_schema,
)


@pytest.mark.parametrize("task", TASKS)
def test_fakes_of_each_task_keep_the_contract_without_a_file(task: Task) -> None:
    check_dataset(FakeDataset(task=task), "no/such/folder")
    check_model(FakeModel(), tasks=[task])
    check_evaluator(FakeEvaluator(), tasks=[task])
    for threshold in (None, 0.4):
        check_predictor(FakePredictor(schema=example_schema(task), threshold=threshold))
