"""What the data are: rows in, out and set aside, missing values, the target's rate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.artifacts import SPLITS
from crivo.core.schema import Schema
from crivo.core.tasks import task_of


def data_metrics(
    rows: pd.DataFrame, quarantined: pd.DataFrame, splits: pd.Series, schema: Schema
) -> dict[str, Any]:
    """Return what DVC shows of the data: counts of rows, and the target's mean on each split."""
    target = task_of(schema).numbers(rows[schema.target])
    metrics: dict[str, Any] = {
        "rows_in": len(rows) + len(quarantined),
        "rows_out": len(rows),
        "rows_quarantined": len(quarantined),
    }
    for split in SPLITS:
        metrics[f"rows_{split}"] = int((splits == split).sum())
        if target is not None:
            metrics[f"target_mean_{split}"] = float(target[splits == split].mean())
    return metrics


def quarantine_reasons(quarantined: pd.DataFrame, reason: str = "reason") -> pd.DataFrame:
    """Return how many rows were set aside for each reason, the most frequent first."""
    counts = quarantined[reason].value_counts().rename_axis(reason).reset_index(name="rows")
    return counts.sort_values(["rows", reason], ascending=[False, True])


def missing_fractions(rows: pd.DataFrame, splits: pd.Series) -> pd.DataFrame:
    """Return the share of missing values of each column on each split."""
    gaps = ((str(name), rows[name].isna().to_numpy()) for name in rows.columns)
    places = {split: np.flatnonzero(splits == split) for split in SPLITS}
    return missing_fractions_by_column(gaps, places)


def missing_fractions_by_column(
    columns: Iterable[tuple[str, np.ndarray]], places: Mapping[str, np.ndarray]
) -> pd.DataFrame:
    """Return what `missing_fractions` does, for columns that come one after the other.

    A column is its name, and which values are missing; `places`: those of the rows of each split.
    """
    codes = np.full(max(at.max() for at in places.values()) + 1, len(SPLITS), dtype="int8")
    for code, split in enumerate(SPLITS):
        codes[places[split]] = code
    rows = np.array([len(places[split]) for split in SPLITS])
    shares = {}
    for name, missing in columns:
        gaps = np.flatnonzero(missing[: len(codes)])
        shares[name] = np.bincount(codes[gaps], minlength=len(SPLITS) + 1)[: len(SPLITS)] / rows
    table = pd.DataFrame.from_dict(shares, orient="index", columns=list(SPLITS))
    return table.rename_axis("column").reset_index()
