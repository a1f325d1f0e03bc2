"""What the data are: rows in, out and set aside, missing values, the target's rate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.artifacts import SPLITS
from crivo.core.schema import Schema
from crivo.core.tasks import task_of


def data_metrics(
    target: pd.Series, quarantined: int, splits: pd.Series, schema: Schema
) -> dict[str, Any]:
    """Return what DVC shows of the data: counts of rows, and the target's mean on each split."""
    numbers = task_of(schema).numbers(target)
    metrics: dict[str, Any] = {
        "rows_in": len(target) + quarantined,
        "rows_out": len(target),
        "rows_quarantined": quarantined,
    }
    for split in SPLITS:
        metrics[f"rows_{split}"] = int((splits == split).sum())
        if numbers is not None:
            metrics[f"target_mean_{split}"] = float(numbers[splits == split].mean())
    return metrics


def quarantine_reasons(quarantined: pd.DataFrame, reason: str = "reason") -> pd.DataFrame:
    """Return how many rows were set aside for each reason, the most frequent first."""
    counts = quarantined[reason].value_counts().rename_axis(reason).reset_index(name="rows")
    return counts.sort_values(["rows", reason], ascending=[False, True])


def missing_fractions(rows: Any, places: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Return the share of missing values of each column, on the rows at the places of each split.

    `rows`: a data frame, or columns of which one is read at a time.
    """
    shares = {}
    for name in rows.columns:
        missing = rows[name].isna().to_numpy()
        shares[str(name)] = [missing[places[split]].mean() for split in SPLITS]
    table = pd.DataFrame.from_dict(shares, orient="index", columns=list(SPLITS))
    return table.rename_axis("column").reset_index()
