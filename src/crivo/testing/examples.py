"""Small made-up tables in the shape of real ones, for every task."""

from __future__ import annotations

import numpy as np
import pandas as pd

from crivo.core.blocks import Context
from crivo.core.predictions import build_predictions
from crivo.core.schema import Column, Schema, Task, Type
from crivo.core.tasks import TASKS as TASK_TYPES
from crivo.core.tasks import task_of

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
