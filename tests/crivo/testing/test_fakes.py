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
    check_featurizer,
    check_model,
    check_predictor,
    check_splitter,
    example_context,
    example_schema,
)


def test_fake_model_keeps_the_contract() -> None:
    check_model(FakeModel(), tasks=["multiclass"])  # the other tasks: examples of crivo.testing


def test_fake_featurizer_keeps_the_contract() -> None:
    check_featurizer(FakeFeaturizer())


def test_fake_splitter_keeps_the_contract() -> None:
    check_splitter(FakeSplitter())


def test_fake_evaluator_keeps_the_contract() -> None:
    check_evaluator(FakeEvaluator())


@pytest.mark.parametrize("task", TASKS)
def test_fake_dataset_keeps_the_contract_without_a_file(task: Task) -> None:
    check_dataset(FakeDataset(task=task), "no/such/folder")


@pytest.mark.parametrize("threshold", [None, 0.4])
@pytest.mark.parametrize("task", TASKS)
def test_fake_predictor_keeps_the_contract(task: Task, threshold: float | None) -> None:
    check_predictor(FakePredictor(schema=example_schema(task), threshold=threshold))


@pytest.mark.parametrize("task", TASKS)
def test_the_mocks_make_a_pipeline(task: Task) -> None:
    """From the dataset to the verdict, as the stages do it."""
    dataset = FakeDataset(task=task, rows=400)
    rows = dataset.load("anywhere")
    schema = dataset.schema(rows)
    splits = FakeSplitter().split(rows, schema)
    train, valid = rows[splits == "train"], rows[splits == "valid"]
    transformer = FakeFeaturizer().build(schema, 1).fit(train[list(schema.features)])
    inputs = {
        name: transformer.transform(table[list(schema.features)])
        for name, table in (("train", train), ("valid", valid))
    }
    model = FakeModel()
    training = Training((splits == "none").to_numpy(), print)
    fitted = model.fit(model.build(task, 1), inputs["train"], train["target"], training)
    predictions = build_predictions(
        valid, schema, *predict(fitted, check_inputs(inputs["valid"], valid), schema)
    )
    evaluation = FakeEvaluator().evaluate(predictions, example_context(task).of(schema))
    assert evaluation.metrics.index.tolist() == ["mae" if task == "regression" else "accuracy"]
