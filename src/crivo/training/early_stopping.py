"""The training rows that early stopping may watch, so that no validation row enters a fit."""

from __future__ import annotations

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.predictions import stable_hash
from crivo.core.schema import Schema


def stopping_mask(rows: pd.DataFrame, schema: Schema, share: float) -> np.ndarray:
    """Return a mask of the rows to watch: the latest ones, whole groups, or by a hash of the id.

    They are cut as a split would be: rows of one moment or of one group stay together.
    """
    if schema.time is not None:
        times = rows[schema.time]
        return (times > times.quantile(1 - share, interpolation="lower")).to_numpy()
    names = rows[schema.group or schema.id].astype("str")
    # Salted: an at-random split by the same hash would otherwise give no row, or all.
    marks = {name: stable_hash(f"watch {name}") / 2**64 for name in names.unique()}
    return (names.map(marks) < share).to_numpy()


def fit_mask(target: pd.Series, stopping_mask: np.ndarray) -> np.ndarray:
    """Return a mask of the rows to fit on when `stopping_mask` marks those to stop early by.

    Watched rows of a class that nothing else would teach are taught. CrivoError: no row is
    left to watch.
    """
    labels = np.asarray(target)
    if target.dtype.kind != "f":
        stopping_mask = stopping_mask & np.isin(labels, np.unique(labels[~stopping_mask]))
    if not stopping_mask.any() or stopping_mask.all():
        raise CrivoError(
            "Early stopping needs rows to watch and rows to fit on, and "
            f"{int(stopping_mask.sum())} of {len(stopping_mask)} training rows are to be watched; "
            "change train.early_stopping_fraction, or set the model's early_stopping to 0."
        )
    return ~stopping_mask
