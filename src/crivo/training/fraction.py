"""The training rows that a model is fitted on: all, or a part of them.

A part serves the points of a learning curve, and tables whose training rows don't fit in memory.
"""

from __future__ import annotations

import logging

import numpy as np
import pandas as pd

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.schema import Schema
from crivo.training.early_stopping import cut_rows

log = logging.getLogger("crivo.train")


def read_taught(schema: Schema, fraction: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a fraction of the training rows, and the features beside them.

    The rows have the columns that a fit needs: the target, and those by which rows are cut. Of the
    features not more than one row group is in memory besides the fraction.
    """
    needed = (schema.id, schema.target, schema.time, schema.group)
    columns = list(dict.fromkeys(name for name in needed if name is not None))
    rows = artifacts.read_table(artifacts.prepared("train"), columns)
    path = artifacts.features("train")
    if fraction == 1:
        return rows, artifacts.read_table(path)
    taught = taught_mask(rows, schema, fraction)
    return rows[taught].reset_index(drop=True), artifacts.read_rows(path, taught)


def taught_mask(rows: pd.DataFrame, schema: Schema, fraction: float) -> np.ndarray:
    """Return a mask of a fraction of the training rows.

    It is the latest rows, or whole groups or single rows by a hash, so that a smaller fraction's
    rows are among those of a larger one. CrivoError: fewer than two classes or rows are left.
    """
    mask, name, _ = cut_rows(rows, schema, fraction, "teach")
    if rows.loc[mask, schema.target].nunique() < 2:
        raise CrivoError(
            f"train.fraction is {fraction:g}, which leaves {int(mask.sum())} of {len(rows)} "
            "training rows, and of their targets there is one; make it larger."
        )
    log.info("Fitting on %d of %d training rows, by %s", mask.sum(), len(rows), name)
    return mask
