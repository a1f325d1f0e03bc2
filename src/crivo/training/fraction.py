"""The training rows that a model is fitted on: all, or a part of them.

A part serves the points of a learning curve, and tables whose training rows don't fit in memory.
"""

from __future__ import annotations

import logging

import numpy as np

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.schema import Schema
from crivo.core.stored_table import Rows, with_shared_levels
from crivo.training.early_stopping import cut_rows

log = logging.getLogger("crivo.train")


def read_taught(
    schema: Schema, fraction: float, *, out_of_memory: bool = False
) -> tuple[Rows, Rows]:
    """Return a fraction of the training rows, and the features beside them.

    The rows have the columns that a fit needs: the target, and those by which rows are cut. All
    rows stay on disk. Of the features not more than one row group is in memory besides the
    fraction; `out_of_memory`: all features stay on disk, too.
    """
    rows = artifacts.stored_table(artifacts.prepared("train"), fit_columns(schema))
    path = artifacts.features("train")
    if out_of_memory:
        if fraction < 1:
            raise CrivoError(
                "train.out_of_memory takes all training rows from disk, and train.fraction is "
                f"{fraction:g}; set one of them back."
            )
        return rows, artifacts.stored_table(path)
    if fraction == 1:
        return rows, artifacts.read_features("train")
    taught = taught_mask(rows, schema, fraction)
    few = rows.take(np.flatnonzero(taught)).reset_index(drop=True)
    return few, with_shared_levels(artifacts.read_rows(path, taught))


def fit_columns(schema: Schema) -> list[str]:
    """Return the columns of the rows that a fit needs beside their features."""
    needed = (schema.id, schema.target, schema.time, schema.group)
    return list(dict.fromkeys(name for name in needed if name is not None))


def taught_mask(rows: Rows, schema: Schema, fraction: float) -> np.ndarray:
    """Return a mask of a fraction of the training rows.

    It is the latest rows, or whole groups or single rows by a hash, so that a smaller fraction's
    rows are among those of a larger one. CrivoError: fewer than two classes or rows are left.
    """
    mask, name, _ = cut_rows(rows, schema, fraction, "teach")
    if rows[schema.target][mask].nunique() < 2:
        raise CrivoError(
            f"train.fraction is {fraction:g}, which leaves {int(mask.sum())} of {len(rows)} "
            "training rows, and of their targets there is one; make it larger."
        )
    log.info("Fitting on %d of %d training rows, by %s", mask.sum(), len(rows), name)
    return mask
