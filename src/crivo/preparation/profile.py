"""What the data are: rows in, out and set aside, missing values, the target's rate."""

from __future__ import annotations

from typing import Any

import pandas as pd

from crivo.core.artifacts import SPLITS
from crivo.core.schema import Schema
from crivo.core.tasks import task_of


def data_metrics(
    rows: pd.DataFrame, aside: pd.DataFrame, sides: pd.Series, schema: Schema
) -> dict[str, Any]:
    """Return what DVC shows of the data: counts of rows, and the target's mean on each side."""
    target = task_of(schema).numbers(rows[schema.target])
    metrics: dict[str, Any] = {
        "rows_in": len(rows) + len(aside),
        "rows_out": len(rows),
        "rows_quarantined": len(aside),
    }
    for side in SPLITS:
        metrics[f"rows_{side}"] = int((sides == side).sum())
        if target is not None:
            metrics[f"target_mean_{side}"] = float(target[sides == side].mean())
    return metrics


def quarantine_reasons(aside: pd.DataFrame, reason: str = "reason") -> pd.DataFrame:
    """Return how many rows were set aside for each reason, the most frequent first."""
    counts = aside[reason].value_counts().rename_axis(reason).reset_index(name="rows")
    return counts.sort_values(["rows", reason], ascending=[False, True])


def missing_shares(rows: pd.DataFrame, sides: pd.Series) -> pd.DataFrame:
    """Return the share of missing values of each column on each side."""
    shares = rows.isna().groupby(sides.to_numpy()).mean().T[list(SPLITS)]
    return shares.rename_axis("column").reset_index()
