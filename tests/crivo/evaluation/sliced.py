"""Predictions with slices, and the table of their metrics."""

import numpy as np
import pandas as pd

from crivo.core.evaluation import Context
from crivo.evaluation.metrics import Metric, find_metrics
from crivo.evaluation.slices import slice_table

CONTEXT = Context("binary", (False, True), True)


def metrics(*names: str) -> list[Metric]:
    return find_metrics(names or ("log_loss", "roc_auc"), "binary")


def table(rows: int = 1200, clusters: int = 12, seed: int = 0, **slices: object) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    score = rng.beta(2, 5, rows)
    found = pd.DataFrame(
        {
            "id": [f"{i:05d}" for i in range(rows)],
            "target": rng.random(rows) < score,
            "score": score,
            "cluster": np.arange(rows) % clusters,
            "weight": 1.0,
        }
    ).assign(prediction=lambda t: t["score"] >= 0.5)
    return found.assign(**{f"slice_{name}": values for name, values in slices.items()})


def by_name(predictions: pd.DataFrame, *names: str) -> pd.DataFrame:
    return slice_table(predictions, CONTEXT, metrics(*names)).set_index("slice")


def shops(*counts: int) -> list[str]:
    return [name for name, count in zip("abcdef", counts, strict=False) for _ in range(count)]
