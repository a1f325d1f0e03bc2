"""Mocks: blocks and a predictor, instant and deterministic, in the shape of the real ones.

They keep the contracts of the real blocks, need no file and no trained model, and serve all
three tasks. Use them in unit tests, and to build on crivo before a model is there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from pydantic import PositiveInt

from crivo.core.blocks import (
    Context,
    Dataset,
    Evaluation,
    Evaluator,
    Featurizer,
    Model,
    Splitter,
    block,
)
from crivo.core.inputs import as_text, numeric_inputs
from crivo.core.predictions import stable_hash
from crivo.core.schema import Schema, Task
from crivo.core.tasks import by_estimator, task_of
from crivo.prediction.fitted import Estimates
from crivo.prediction.predictor import Predictor
from crivo.testing.examples import example_rows, example_schema

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


@block
class FakeDataset(Dataset):
    """Made-up orders for any task; reads no file.

    >>> FakeDataset(rows=3).load(Path("anywhere"))["id"].tolist()
    ['r00000', 'r00001', 'r00002']
    """

    task: Task = "binary"
    rows: PositiveInt = 240

    def load(self, folder: Path) -> pd.DataFrame:
        """Return the made-up rows, whatever the folder holds."""
        return example_rows(self.task, self.rows)

    def schema(self, rows: pd.DataFrame) -> Schema:
        """Return what the made-up columns are."""
        return example_schema(self.task)


@block
class FakeSplitter(Splitter):
    """Deals out three fifths, one fifth and one fifth by a hash of the id."""

    def split(self, rows: pd.DataFrame, schema: Schema) -> pd.Series:
        """Return `train`, `valid` or `test` for each row."""
        splits = ("train", "train", "train", "valid", "test")
        return rows[schema.id].map(lambda name: splits[stable_hash(f"{name}") % 5]).astype("str")


@block
class FakeFeaturizer(Featurizer):
    """Passes on numbers and categories, and leaves out dates and text."""

    def build(self, schema: Schema, seed: int) -> BaseEstimator:
        """Return a transformer of the schema's features."""
        from crivo.featurization.typed import TypedColumns

        features = [schema.column(name) for name in schema.features]
        return TypedColumns(
            numbers=[c.name for c in features if c.type in ("number", "boolean")],
            categories=[c.name for c in features if c.type == "category"],
        )


@block
class FakeModel(Model):
    """A tree of a few leaves: fitted in a moment, and its predictions differ from row to row."""

    leaves: PositiveInt = 8

    def build(self, task: Task, seed: int) -> BaseEstimator:
        """Return a pipeline: categories as numbers, then the tree."""
        from sklearn.pipeline import make_pipeline
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        kind = by_estimator(
            task, classifier=DecisionTreeClassifier, regressor=DecisionTreeRegressor
        )
        tree = kind(max_leaf_nodes=max(2, self.leaves), random_state=seed)
        return make_pipeline(numeric_inputs(dense=True), tree)


@block
class FakeEvaluator(Evaluator):
    """One metric: the share of right predictions, or the mean absolute error."""

    def evaluate(self, predictions: pd.DataFrame, context: Context) -> Evaluation:
        """Return the metric with its interval, the baseline's, and the verdict."""
        from crivo.evaluation.assess import assess
        from crivo.evaluation.metrics import find_metrics

        name = by_estimator(context.task, classifier="accuracy", regressor="mae")
        return assess(predictions, context, find_metrics([name], context.task))


@dataclass(frozen=True, kw_only=True)
class FakePredictor(Predictor):
    """Scores rows of any schema by a hash of their values: equal rows get equal scores.

    It checks rows and answers as the real one does, so a program that works with it works
    with `crivo.load` too.

    >>> predictor = FakePredictor(threshold=0.5)
    >>> row = example_rows(rows=1)[list(predictor.columns)].iloc[0].to_dict()
    >>> answer = predictor.predict([row, row])
    >>> list(answer), answer["score"].nunique()
    (['prediction', 'score'], 1)
    """

    schema: Schema = field(default_factory=example_schema, repr=False)
    version: str = "fake"

    def estimate(self, rows: pd.DataFrame) -> Estimates:
        """Return numbers between 0 and 10, or classes with probabilities."""
        classes = np.asarray(self.schema.classes)
        count = max(1, len(classes))
        texts = pd.DataFrame({name: as_text(rows[name]).fillna("") for name in rows})
        lines = ["\x1f".join(values) for values in texts.itertuples(index=False)]
        marks = [[stable_hash(f"{i} {line}") / 2**64 for i in range(count)] for line in lines]
        shares = 1 - np.array(marks).reshape(len(rows), count)
        if not task_of(self.schema).has_classes:
            return 10 * shares[:, 0], None
        scores = shares / shares.sum(axis=1, keepdims=True)
        return classes[scores.argmax(axis=1)], scores
