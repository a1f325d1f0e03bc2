"""Fits model and baseline (train), and both again with validation rows (`evaluate.refit`)."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pandas as pd

from crivo.core import artifacts
from crivo.core.blocks import Model
from crivo.core.errors import CrivoError
from crivo.core.params import TrainSettings
from crivo.core.schema import Schema
from crivo.modelfile.canonical import save_model
from crivo.training.fit_rows import LazyTraining, Log, fit_columns

log = logging.getLogger("crivo.train")


def fit_model(
    block: Model,
    schema: Schema,
    rows: pd.DataFrame,
    features: pd.DataFrame,
    settings: TrainSettings,
    seed: int,
    tell: Log = lambda _: None,
) -> Any:
    """Return the estimator of a block, a model or a baseline, fitted on training rows."""
    training = LazyTraining(rows, schema, settings.early_stopping_fraction, tell)
    estimator, target = block.build(schema.task, seed), rows[schema.target]
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


def write_refitted(model: Any | None) -> dict[str, Any]:
    """Write `models/refit`, with a model if there is a refitted one; return facts of what is used.

    They are what the evaluated model was fitted on, and the size of its file.
    """
    artifacts.remake_folder(artifacts.REFIT)
    file, rows = artifacts.MODEL, "training rows"
    if model is not None:
        file, rows = artifacts.REFIT_MODEL, "training and validation rows"
        save_model(file, model)
    artifacts.write_json(artifacts.REFIT / "fitted_on.json", {"fitted_on": rows})
    return {"fitted_on": rows} | artifacts.size_in_mb(file)


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
    model, baseline = (fit_model(one, schema, rows, features, settings, seed) for one in models)
    return model, baseline
