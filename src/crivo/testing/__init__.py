"""For your own tests: contract suites for blocks, and mocks in the shape of the real ones.

>>> check_model(FakeModel(leaves=4), tasks=["regression"])
>>> check_splitter(FakeSplitter())
"""

from crivo.testing.contract import Breach, ContractError
from crivo.testing.datasets import check_dataset
from crivo.testing.evaluators import check_evaluator
from crivo.testing.examples import (
    TASKS,
    example_context,
    example_features,
    example_predictions,
    example_rows,
    example_schema,
)
from crivo.testing.fakepredictor import FakePredictor
from crivo.testing.fakes import (
    FakeDataset,
    FakeEvaluator,
    FakeFeaturizer,
    FakeModel,
    FakeSplitter,
)
from crivo.testing.featurizers import check_featurizer
from crivo.testing.models import check_model
from crivo.testing.predictors import check_predictor
from crivo.testing.sample import sample_project
from crivo.testing.splitters import check_splitter

__all__ = [
    "TASKS",
    "Breach",
    "ContractError",
    "FakeDataset",
    "FakeEvaluator",
    "FakeFeaturizer",
    "FakeModel",
    "FakePredictor",
    "FakeSplitter",
    "check_dataset",
    "check_evaluator",
    "check_featurizer",
    "check_model",
    "check_predictor",
    "check_splitter",
    "example_context",
    "example_features",
    "example_predictions",
    "example_rows",
    "example_schema",
    "sample_project",
]
