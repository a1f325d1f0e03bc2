"""What model and baseline say of the same rows, as predictions tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.evaluation import Context
from crivo.core.params import EvaluateSettings
from crivo.core.predictions import assign_clusters, build_predictions
from crivo.core.schema import Period, Schema
from crivo.evaluation.checked_predictions import check_predictions
from crivo.evaluation.clusters import jackknife_groups
from crivo.evaluation.prediction import predict
from crivo.runtime.timing import timed


@dataclass(frozen=True)
class Predicting:
    """What the tables of a model's predictions carry beside these.

    `cluster`, `block`, `period`: which rows belong together; `slices`: columns to break metrics
    down by.
    """

    schema: Schema
    cluster: str | None = None
    block: int = 1
    slices: Sequence[str] = ()
    period: Period | None = None

    @classmethod
    def of_settings(cls, schema: Schema, settings: EvaluateSettings) -> Predicting:
        """Return what the project's settings say of it."""
        return cls(schema, settings.cluster, settings.block, settings.slices, settings.period)

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
        clusters = assign_clusters(rows, self.schema.id, self.cluster, self.block, self.period)
        return jackknife_groups(pd.DataFrame({"id": ids, "cluster": clusters.array}))

    def of(
        self, rows: pd.DataFrame, prediction: np.ndarray, scores: np.ndarray | None = None
    ) -> pd.DataFrame:
        """Return the predictions table of what was said of rows."""
        return build_predictions(
            rows,
            self.schema,
            prediction,
            scores,
            cluster=self.cluster,
            block=self.block,
            period=self.period,
            slices=self.slices,
        )
