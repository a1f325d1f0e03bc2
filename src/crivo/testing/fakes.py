"""Made-up rows, predictions, blocks and a predictor, for every task; they need no file.

The blocks and the predictor are mocks: they keep the contracts of the real ones and are instant and
deterministic. Use them in unit tests, and to build on crivo before a model is there.
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
from crivo.core.predictions import build_predictions, stable_hash
from crivo.core.schema import Column, Schema, Task, Type
from crivo.core.tasks import TASKS as TASK_TYPES
from crivo.core.tasks import by_estimator, task_of
from crivo.prediction.fitted import Estimates
from crivo.prediction.predictor import Predictor

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

TASKS: tuple[Task, ...] = tuple(TASK_TYPES)

ROWS = 240
# In an order that isn't that of much and little.
LEVELS = ("high", "low", "middle")


def example_schema(task: Task = "binary") -> Schema:
    """Return the schema of `example_rows`: a column of each role and of each type."""
    two, several = _kind(task)
    kind: Type = "boolean" if two else "text" if several else "number"
    return Schema(
        task=task,
        classes=(False, True) if two else LEVELS if several else (),
        positive=True if two else None,
        columns=(
            Column(name="id", role="id", type="text", nullable=False, unique=True),
            Column(name="date", role="time", type="date", nullable=False),
            Column(name="shop", role="group", type="category", nullable=False),
            Column(name="amount", role="feature", type="number"),
            Column(name="pieces", role="feature", type="number", nullable=False, low=0),
            Column(name="kind", role="feature", type="category"),
            Column(name="city", role="feature", type="category"),
            Column(name="member", role="feature", type="boolean", nullable=False),
            Column(name="ordered", role="feature", type="date"),
            Column(name="remark", role="feature", type="text"),
            Column(name="target", role="target", type=kind, nullable=False),
        ),
    )


def example_rows(task: Task = "binary", rows: int = ROWS, seed: int = 0) -> pd.DataFrame:
    """Return made-up orders with missing values; the same ones for the same arguments.

    Sorted by id. Their dates span a year, and the target depends on `amount` and `kind`.
    """
    rng = np.random.default_rng(seed)
    days = pd.Series(pd.Timestamp("2013-01-01") + pd.to_timedelta(rng.integers(0, 365, rows), "D"))
    amount, kind = rng.gamma(2.0, 10.0, rows), rng.choice(["a", "b", "c"], rows)
    city = rng.choice(["Lisboa", "Porto", "Faro", "Évora"], rows, p=[0.5, 0.3, 0.15, 0.05])
    remark = np.char.add(np.char.add("deliver ", kind.astype(str)), " soon please")
    table = pd.DataFrame(
        {
            "id": [f"r{number:05d}" for number in range(rows)],
            "date": days,
            "shop": pd.Series(rng.integers(0, 24, rows).astype(str)).str.zfill(2),
            "amount": amount,
            "pieces": rng.integers(1, 9, rows),
            "kind": pd.Series(kind, dtype="str"),
            "city": pd.Series(city, dtype="str"),
            "member": rng.random(rows) < 0.4,
            "ordered": days - pd.to_timedelta(rng.integers(0, 30, rows), "D"),
            "remark": pd.Series(remark, dtype="str"),
        }
    )
    signal = amount / 20 + (kind == "a") + rng.normal(0, 0.5, rows)
    table["target"] = signal
    two, several = _kind(task)
    if two:
        table["target"] = signal > 1.5
    elif several:
        levels = np.select([signal < 0.9, signal > 1.9], ["low", "high"], "middle")
        table["target"] = pd.Series(levels, dtype="str")
    for name in ("amount", "city", "ordered", "remark"):
        table.loc[rng.random(rows) < 0.08, name] = None
    return table


def _kind(task: Task) -> tuple[bool, bool]:
    """Return whether a task has two classes, and whether it has several."""
    kind = TASK_TYPES[task]
    two = kind.has_classes and kind.max_classes == 2
    return two, kind.has_classes and not two


def example_features(rows: pd.DataFrame, *, text: bool = False) -> pd.DataFrame:
    """Return what a featurizer would give for `example_rows`: numbers, categories, maybe text."""
    cities = pd.CategoricalDtype(pd.Index(["Faro", "Lisboa", "Porto", "Évora"], dtype="str"))
    kinds = pd.CategoricalDtype(pd.Index(["a", "b", "c"], dtype="str"))
    features = pd.DataFrame(
        {
            "amount": rows["amount"].astype("float64"),
            "pieces": rows["pieces"].astype("int64"),
            "member": rows["member"].astype("float64"),
            "kind": rows["kind"].astype(kinds),
            "city": rows["city"].astype(cities),
        }
    )
    return features.assign(remark=rows["remark"]) if text else features


def example_predictions(
    task: Task = "binary", rows: int = ROWS, seed: int = 0, *, good: bool = True
) -> pd.DataFrame:
    """Return the predictions table of a made-up model, or of one that always says the same.

    The rows and targets depend on `rows` alone, so that two tables can be compared.
    """
    return made_up_predictions(example_rows(task, rows), example_schema(task), seed, good=good)


def made_up_predictions(
    rows: pd.DataFrame, schema: Schema, seed: int = 0, *, good: bool = True
) -> pd.DataFrame:
    """Return what a made-up model that knows the target predicts, or one that knows nothing."""
    target, count = rows[schema.target], len(rows)
    noise = np.random.default_rng([seed, 1]).normal(0, 0.7, (count, max(1, len(schema.classes))))
    if not task_of(schema).has_classes:
        prediction = target.to_numpy() + noise[:, 0] if good else np.full(count, target.mean())
        return build_predictions(rows, schema, prediction)
    shares = np.array([(target == name).mean() for name in schema.classes])
    actual = np.column_stack([target == name for name in schema.classes])
    weights = np.exp(actual + noise) if good else np.tile(shares, (count, 1))
    scores = weights / weights.sum(axis=1, keepdims=True)
    prediction = np.asarray(schema.classes)[scores.argmax(axis=1)]
    return build_predictions(rows, schema, prediction, scores)


def example_context(task: Task = "binary", rows: int = ROWS) -> Context:
    """Return the context of `example_predictions`, with a trivial baseline's for the same rows."""
    baseline = example_predictions(task, rows, good=False)
    return Context.of(example_schema(task), baseline=baseline)


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
