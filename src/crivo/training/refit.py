"""Fits a recipe again on training and validation rows, before the test rows are opened.

By then nothing is chosen on the validation rows any more, and the trial's model lacks the newest
rows. The featurizer stays the one that the training rows gave.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from crivo.core.artifacts import read_split
from crivo.core.blocks import Model
from crivo.core.errors import CrivoError
from crivo.core.params import TrainSettings
from crivo.core.schema import Schema
from crivo.training.early_stopping import WatchingOnDemand, stopping_mask


def refit_recipe(
    models: tuple[Model, Model], schema: Schema, seed: int, settings: TrainSettings
) -> tuple[Any, Any]:
    """Return model and baseline, fitted on training and validation rows."""
    return refit(models, schema, map(read_split, ("train", "valid")), seed, settings)


def refit(
    models: tuple[Model, Model],
    schema: Schema,
    splits: Iterable[tuple[pd.DataFrame, pd.DataFrame]],
    seed: int,
    settings: TrainSettings,
) -> tuple[Any, Any]:
    """Return model and baseline, fitted on the rows of all splits as `train` fits on its own.

    `splits`: rows and their features, in the same order. Early stopping watches the latest of all.
    CrivoError: the rows are too many to be in memory, or only a part of them is to be fitted.
    """
    if settings.fraction != 1:
        raise CrivoError(
            "evaluate.refit fits on all training and validation rows, and train.fraction is "
            f"{settings.fraction}; remove train.fraction, or set evaluate.refit to false."
        )
    if settings.out_of_memory:
        raise CrivoError(
            "evaluate.refit fits on training and validation rows in memory, and "
            "train.out_of_memory is true; set one of them to false."
        )
    splits = [*splits]
    rows = pd.concat([rows for rows, _ in splits], ignore_index=True)
    kinds = splits[0][1].dtypes
    features = pd.concat([one.astype(kinds) for _, one in splits], ignore_index=True)
    target = rows[schema.target]
    training = WatchingOnDemand(
        lambda: stopping_mask(rows, schema, settings.early_stopping_fraction), lambda _: None
    )
    model, baseline = models
    fitted = model.fit(model.build(schema.task, seed), features, target, training)
    return fitted, baseline.build(schema.task, seed).fit(features, target)
