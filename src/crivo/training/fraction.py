"""A part of the training rows, for the points of a learning curve."""

from __future__ import annotations

import logging

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.schema import Schema
from crivo.training.early_stopping import cut_rows

log = logging.getLogger("crivo.train")


def taught_part(
    rows: pd.DataFrame, features: pd.DataFrame, schema: Schema, fraction: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a fraction of the training rows, and of the features beside them.

    It is the latest rows, or whole groups or single rows by a hash, so that a smaller fraction's
    rows are among those of a larger one. CrivoError: fewer than two classes or rows are left.
    """
    if fraction == 1:
        return rows, features
    mask, name, _ = cut_rows(rows, schema, fraction, "teach")
    if rows.loc[mask, schema.target].nunique() < 2:
        raise CrivoError(
            f"train.fraction is {fraction:g}, which leaves {int(mask.sum())} of {len(rows)} "
            "training rows, and of their targets there is one; make it larger."
        )
    log.info("Fitting on %d of %d training rows, by %s", mask.sum(), len(rows), name)
    return rows[mask].reset_index(drop=True), features[mask].reset_index(drop=True)
