"""Fits model and baseline (train), and both again with validation rows (`evaluate.refit`)."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pandas as pd

from crivo.core import artifacts
from crivo.core.blocks import Model, Training
from crivo.core.errors import CrivoError
from crivo.core.params import TrainSettings
from crivo.core.schema import Schema
from crivo.modelfile.canonical import save_model
from crivo.training.fit_rows import LazyTraining, fit_columns, stopping_mask

log = logging.getLogger("crivo.train")

# What is told the metrics of an iteration.
Log = Callable[[Mapping[str, float]], None]


def fit_model(
    block: Model,
    schema: Schema,
    rows: pd.DataFrame,
    features: pd.DataFrame,
    settings: TrainSettings,
    seed: int,
    tell: Log = lambda _: None,
) -> Any:
    """Return a block's estimator, fitted on training rows."""
    training = LazyTraining(
        lambda: stopping_mask(rows, schema, settings.early_stopping_fraction), tell
    )
    estimator = block.build(schema.task, seed)
    return fit_estimator(block, estimator, features, rows[schema.target], training)


def fit_baseline(
    block: Model, schema: Schema, rows: pd.DataFrame, features: pd.DataFrame, seed: int
) -> Any:
    """Return a baseline's estimator, fitted on all rows."""
    return block.build(schema.task, seed).fit(features, rows[schema.target])


def fit_estimator(
    block: Model, estimator: Any, features: pd.DataFrame, target: pd.Series, training: Training
) -> Any:
    """Return a block's estimator, fitted."""
    with _told_unconverged():
        return block.fit(estimator, features, target, training)


@contextmanager
def _told_unconverged() -> Iterator[None]:
    """Say in one sentence that a solver stopped early, in place of scikit-learn's warnings."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        yield
    for one in caught:
        if not issubclass(one.category, ConvergenceWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    if any(issubclass(one.category, ConvergenceWarning) for one in caught):
        log.warning(
            "The model's solver stopped before it converged; raise its number of iterations "
            "(max_iter), or shrink its coefficients more."
        )


def read_splits(schema: Schema) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """Give what a fit needs of the training rows, then of the validation rows; features beside."""
    for split in ("train", "valid"):
        rows = artifacts.read_table(artifacts.prepared(split), fit_columns(schema))
        yield rows, artifacts.read_features(split)


# What `evaluation.json` says of a refitted model, and of one that isn't.
FITTED_ON = {"fitted_on": "training and validation rows"}
NOT_REFITTED = {"fitted_on": "training rows"}


def write_refitted(model: Any | None) -> dict[str, Any]:
    """Write `models/refit`, with a model if there is a refitted one; return facts of what is used.

    They are what the evaluated model was fitted on, and the size of its file.
    """
    artifacts.remake_folder(artifacts.REFIT)
    fitted_on = NOT_REFITTED if model is None else FITTED_ON
    artifacts.write_json(artifacts.REFIT / "fitted_on.json", fitted_on)
    if model is None:
        return fitted_on | artifacts.size_in_mb(artifacts.MODEL)
    save_model(artifacts.REFIT_MODEL, model)
    return fitted_on | artifacts.size_in_mb(artifacts.REFIT_MODEL)


def refit(
    models: tuple[Model, Model],
    schema: Schema,
    splits: Iterable[tuple[pd.DataFrame, pd.DataFrame]],
    seed: int,
    settings: TrainSettings,
) -> tuple[Any, Any]:
    """Return model and baseline, fitted on the rows of all splits as `train` fits on its own.

    When the test rows are opened, nothing is chosen on the validation rows any more, and the
    trial's model lacks the newest rows. The featurizer stays the one that the training rows gave.
    CrivoError: only a part of the rows is to be fitted.
    """
    if settings.fraction != 1:
        raise CrivoError(
            "evaluate.refit fits on all training and validation rows, and train.fraction is "
            f"{settings.fraction}; remove train.fraction, or set evaluate.refit to false."
        )
    parts, inputs = zip(*splits, strict=True)
    kinds = inputs[0].dtypes
    features = pd.concat([part.astype(kinds) for part in inputs], ignore_index=True)
    rows = pd.concat(parts, ignore_index=True)
    fitted = fit_model(models[0], schema, rows, features, settings, seed)
    return fitted, fit_baseline(models[1], schema, rows, features, seed)
