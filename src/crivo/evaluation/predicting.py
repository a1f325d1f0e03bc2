"""Calls estimators in batches, and builds checked predictions tables with clusters and slices."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.evaluation import Context
from crivo.core.params import EvaluateSettings
from crivo.core.predictions import BATCH_ROWS, assign_clusters, build_predictions
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.evaluation.checked_predictions import check_predictions
from crivo.evaluation.clusters import jackknife_groups
from crivo.runtime.timing import timed


@dataclass(frozen=True)
class Predicting:
    """What the tables of a model's predictions carry beside these, by a project's settings."""

    schema: Schema
    settings: EvaluateSettings = field(default_factory=EvaluateSettings)

    def tables(
        self, models: tuple[Any, Any], rows: pd.DataFrame, features: pd.DataFrame
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the predictions tables of model and baseline for rows and their features."""
        model, baseline = models
        with timed("predict", len(rows)):
            own = predict(model, features, self.schema)
        return self._checked(rows, *own), self.table(baseline, rows, features)

    def table(self, model: Any, rows: pd.DataFrame, features: pd.DataFrame) -> pd.DataFrame:
        """Return the predictions table of one model.

        CrivoError: the model gave what isn't a prediction, such as a probability that is missing.
        """
        return self._checked(rows, *predict(model, features, self.schema))

    def _checked(
        self, rows: pd.DataFrame, prediction: np.ndarray, scores: np.ndarray | None
    ) -> pd.DataFrame:
        return check_predictions(self.of(rows, prediction, scores), Context.of(self.schema))

    def groups(self, rows: pd.DataFrame) -> pd.Categorical:
        """Return the clusters of rows, in their order."""
        ids = rows[self.schema.id].astype("str").array
        clusters = assign_clusters(rows, self.schema.id, self.settings)
        return jackknife_groups(pd.DataFrame({"id": ids, "cluster": clusters.array}))

    def of(
        self, rows: pd.DataFrame, prediction: np.ndarray, scores: np.ndarray | None = None
    ) -> pd.DataFrame:
        """Return the predictions table of what was said of rows."""
        return build_predictions(rows, self.schema, prediction, scores, self.settings)


def predict(
    estimator: Any, features: pd.DataFrame, schema: Schema
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the predictions and, where the estimator gives them, the classes' probabilities.

    The probabilities have one column per class of the schema; without `predict_proba` they
    are None. A binary prediction is the positive class from a probability of one half on. The
    estimator gets many rows in batches, as it copies them, and isn't asked about none.
    """
    task = task_of(schema)
    scored = task.has_classes and hasattr(estimator, "predict_proba")
    if not len(features):
        empty = np.empty(0, dtype=object if task.has_classes else float)
        return empty, np.empty((0, len(schema.classes))) if scored else None
    batches = (features[at : at + BATCH_ROWS] for at in range(0, len(features), BATCH_ROWS))
    if not scored:
        return np.concatenate([np.asarray(estimator.predict(batch)) for batch in batches]), None
    classes = pd.Index(estimator.classes_.tolist(), dtype=object)
    scores = np.concatenate([estimator.predict_proba(batch) for batch in batches])
    # A class never taught has probability 0. As objects, 1 and True are the same class.
    wanted = pd.Index(schema.classes, dtype=object)
    scores = pd.DataFrame(scores, columns=classes).reindex(columns=wanted, fill_value=0).to_numpy()
    return task.decide(scores), scores
