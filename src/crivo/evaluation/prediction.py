"""Asks an estimator for predictions, in the order of the schema's classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from crivo.core.schema import Schema
from crivo.core.stored_table import BATCH_ROWS
from crivo.core.tasks import task_of


def predict(
    estimator: Any, features: pd.DataFrame, schema: Schema
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the predictions and, where the estimator gives them, the classes' probabilities.

    The probabilities have one column per class of the schema; without `predict_proba` they
    are None. A binary prediction is the positive class from a probability of one half on. The
    estimator gets many rows in batches, as it copies them.
    """
    starts = range(0, max(1, len(features)), BATCH_ROWS)
    parts = [_predict(estimator, features[at : at + BATCH_ROWS], schema) for at in starts]
    if len(parts) == 1:
        return parts[0]
    predictions, scores = zip(*parts, strict=True)
    return np.concatenate(predictions), None if scores[0] is None else np.concatenate(scores)


def _predict(
    estimator: Any, features: pd.DataFrame, schema: Schema
) -> tuple[np.ndarray, np.ndarray | None]:
    task = task_of(schema)
    if not task.has_classes or not hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict(features)), None
    scores = _in_order(estimator.predict_proba(features), estimator.classes_, schema)
    return task.decide(scores), scores


def predict_nothing(estimator: Any, schema: Schema) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the predictions of no rows, in the form of those of some."""
    if not task_of(schema).has_classes:
        return np.empty(0, dtype=np.float64), None
    scored = hasattr(estimator, "predict_proba")
    scores = np.empty((0, len(schema.classes))) if scored else None
    return np.empty(0, dtype=object), scores


def _in_order(scores: np.ndarray, classes: Any, schema: Schema) -> np.ndarray:
    """Put the columns into the schema's order; a class never taught has probability zero."""
    place = {name: i for i, name in enumerate(classes.tolist())}
    columns = [
        scores[:, place[name]] if name in place else np.zeros(len(scores))
        for name in schema.classes
    ]
    return np.column_stack(columns)
