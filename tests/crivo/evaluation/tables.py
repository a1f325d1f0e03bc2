"""Predictions tables, and a model, that tests of the evaluation share."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd


def scored(
    scores: Any, happened: Any, classes: Sequence[object] = (False, True), **columns: Any
) -> pd.DataFrame:
    """Return predictions of two classes, positive from a half on; `columns` replace others."""
    scores, labels = np.asarray(scores, float), pd.Series(classes).to_numpy()
    table = {
        "id": [f"{i:04d}" for i in range(len(scores))],
        "target": labels[np.asarray(happened, int)],
        "prediction": labels[(scores >= 0.5).astype(int)],
        "score": scores,
        "weight": 1.0,
        "cluster": 0,
    }
    return pd.DataFrame(table | columns)


def noting(classes: int = 0) -> tuple[Any, list[pd.DataFrame]]:
    """Return a model that always predicts 0, and a list of the rows that it is asked about."""
    asked: list[pd.DataFrame] = []
    predict = lambda rows: asked.append(rows) or np.zeros(len(rows))  # noqa: E731
    known = {"classes_": np.arange(classes)} if classes else {}
    model = SimpleNamespace(predict=predict, staged_predict=lambda rows: [predict(rows)], **known)
    return model, asked
