"""The mocks keep the contracts of the real blocks, for all three tasks, and need no file."""

import pytest

from crivo import testing
from crivo.core.schema import Task


@pytest.mark.parametrize("task", testing.TASKS)
def test_fakes_of_each_task_keep_the_contract_without_a_file(task: Task) -> None:
    testing.check_dataset(testing.FakeDataset(task=task), "no/such/folder")
    testing.check_model(testing.FakeModel(), tasks=[task])
    testing.check_evaluator(testing.FakeEvaluator(), tasks=[task])
    for threshold in (None, 0.4):
        testing.check_predictor(
            testing.FakePredictor(schema=testing.example_schema(task), threshold=threshold)
        )
