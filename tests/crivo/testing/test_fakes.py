"""The mocks keep the contracts of the real blocks, for all three tasks, and need no file."""

import pytest

from crivo.core.blocks import Training
from crivo.core.inputs import check_inputs
from crivo.core.predictions import build_predictions
from crivo.core.schema import Task
from crivo.evaluation.predicting import predict
from crivo.testing import (
    TASKS,
    FakeDataset,
    FakeEvaluator,
    FakeFeaturizer,
    FakeModel,
    FakePredictor,
    FakeSplitter,
    check_dataset,
    check_evaluator,
    check_model,
    check_predictor,
    example_context,
    example_schema,
)


def test_fake_model_keeps_the_contract() -> None:
    check_model(FakeModel(), tasks=["multiclass"])  # other tasks: the doctests


@pytest.mark.parametrize("task", TASKS)
def test_fakes_of_each_task_keep_the_contract_without_a_file(task: Task) -> None:
    check_dataset(FakeDataset(task=task), "no/such/folder")
    check_evaluator(FakeEvaluator(), tasks=[task])
    for threshold in (None, 0.4):
        check_predictor(FakePredictor(schema=example_schema(task), threshold=threshold))


@pytest.mark.parametrize("task", TASKS)
def test_the_mocks_make_a_pipeline(task: Task) -> None:
    """From the dataset to the verdict, as the stages do it."""
    dataset, model = FakeDataset(task=task, rows=400), FakeModel()
    rows = dataset.load("anywhere")
    schema = dataset.schema(rows)
    names, splits = list(schema.features), FakeSplitter().split(rows, schema)
    train, valid = rows[splits == "train"], rows[splits == "valid"]
    transformer = FakeFeaturizer().build(schema, 1).fit(train[names])
    taught, seen = (transformer.transform(table[names]) for table in (train, valid))
    training = Training((splits[splits == "train"] == "none").to_numpy(), print)
    fitted = model.fit(model.build(task, 1), taught, train["target"], training)
    scores = predict(fitted, check_inputs(seen, valid), schema)
    predictions = build_predictions(valid, schema, *scores)
    evaluation = FakeEvaluator().evaluate(predictions, example_context(task).of(schema))
    assert evaluation.metrics.index.tolist() == ["mae" if task == "regression" else "accuracy"]
