"""For your own tests: contract suites for blocks, and mocks in the shape of the real ones.

>>> check_model(FakeModel(leaves=4), tasks=["regression"])
>>> check_splitter(FakeSplitter())
"""

from crivo.core.params import Params
from crivo.core.registry import block_names, make_block
from crivo.prediction.predictor import Predictor
from crivo.testing.contract import ContractError
from crivo.testing.datasets import check_dataset
from crivo.testing.estimators import check_featurizer, check_model, tasks_of
from crivo.testing.fakes import (
    TASKS,
    FakeDataset,
    FakeEvaluator,
    FakeFeaturizer,
    FakeModel,
    FakePredictor,
    FakeSplitter,
    example_context,
    example_features,
    example_predictions,
    example_rows,
    example_schema,
)
from crivo.testing.results import check_check, check_evaluator, check_metric
from crivo.testing.rows import check_predictor, check_splitter
from crivo.testing.sample import sample_project

__all__ = [
    "TASKS",
    "ContractError",
    "FakeDataset",
    "FakeEvaluator",
    "FakeFeaturizer",
    "FakeModel",
    "FakePredictor",
    "FakeSplitter",
    "Params",
    "Predictor",
    "block_names",
    "check_check",
    "check_dataset",
    "check_evaluator",
    "check_featurizer",
    "check_metric",
    "check_model",
    "check_predictor",
    "check_splitter",
    "example_context",
    "example_features",
    "example_predictions",
    "example_rows",
    "example_schema",
    "make_block",
    "sample_project",
    "tasks_of",
]
