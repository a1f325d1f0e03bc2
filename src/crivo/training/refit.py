"""Fits a recipe again on training and validation rows, before the test rows are opened.

By then nothing is chosen on the validation rows any more, and the trial's model lacks the newest
rows. The featurizer stays the one that the training rows gave.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from crivo.core import artifacts
from crivo.core.blocks import Model
from crivo.core.errors import CrivoError
from crivo.core.params import TrainSettings
from crivo.core.schema import Schema
from crivo.core.stored_table import in_memory, shared_texts
from crivo.training.batches import fit_model
from crivo.training.fit_rows import WatchingOnDemand, fit_columns, stopping_mask


def refit_recipe(
    models: tuple[Model, Model], schema: Schema, seed: int, settings: TrainSettings
) -> tuple[Any, Any]:
    """Return model and baseline, fitted on training and validation rows."""
    splits = (_read(split, schema) for split in ("train", "valid"))
    return refit(models, schema, splits, seed, settings)


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
    rows, features = _together(splits)
    target = shared_texts(rows[schema.target])
    training = WatchingOnDemand(
        lambda: stopping_mask(rows, schema, settings.early_stopping_fraction), lambda _: None
    )
    model, baseline = models
    fitted = fit_model(model, model.build(schema.task, seed), features, target, training)
    return fitted, baseline.build(schema.task, seed).fit(features, target)


def _read(split: str, schema: Schema) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return of a split's rows what a fit needs, and their features."""
    rows = artifacts.open_table(artifacts.prepared(split), fit_columns(schema))
    return in_memory(rows), artifacts.read_features(split)


def _together(
    splits: Iterable[tuple[pd.DataFrame, pd.DataFrame]],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows and features of all splits, one below the other; the parts are forgotten."""
    rows, features = zip(*splits, strict=True)
    kinds = features[0].dtypes
    alike = [one.astype(kinds) for one in features]
    return pd.concat(rows, ignore_index=True), pd.concat(alike, ignore_index=True)
