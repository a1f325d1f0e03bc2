"""Fits model and baseline (train), and both again with validation rows (`evaluate.refit`).

`train.fraction` selects a part of the training rows, for learning curves. Early stopping watches
training rows, so that no validation row enters a fit.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from crivo.core import artifacts
from crivo.core.blocks import Model, Training
from crivo.core.errors import CrivoError
from crivo.core.params import TrainSettings
from crivo.core.predictions import stable_hash
from crivo.core.schema import Schema
from crivo.modelfile.canonical import save_model

log = logging.getLogger(__name__)

# What is told the metrics of an iteration.
Log = Callable[[Mapping[str, float]], None]

# A piece is used when its size is not less than this part of the share asked for, nor more than
# so many times the share.
MIN_PART, MAX_TIMES = 0.25, 2.0


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
    estimator = block.build(schema.task, seed)
    return block.fit(estimator, features, rows[schema.target], training)


def read_fit_rows(split: str, schema: Schema) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what a fit needs of a split's rows: their target and the columns that may cut them.

    Their features come beside them.
    """
    needed = (schema.id, schema.target, schema.time, schema.group)
    columns = list(dict.fromkeys(name for name in needed if name is not None))
    return artifacts.read_table(artifacts.prepared(split), columns), artifacts.read_features(split)


def write_refitted(model: Any | None) -> dict[str, Any]:
    """Write `models/refit`, with a model if there is a refitted one; return facts of what is used.

    They are what the evaluated model was fitted on, and the size of its file.
    """
    artifacts.REFIT_MODEL.unlink(missing_ok=True)  # of an earlier run
    file, rows = artifacts.MODEL, "training rows"
    if model is not None:
        file, rows = artifacts.REFIT_MODEL, "training and validation rows"
        save_model(file, model)
    artifacts.write_json(artifacts.REFIT / "fitted_on.json", {"fitted_on": rows})
    return {"fitted_on": rows, "model_mb": file.stat().st_size / 1e6}


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


def read_training_fraction(schema: Schema, fraction: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a fraction of the training rows, and the features beside them.

    It is the latest rows, or whole groups or single rows by a hash, so that a smaller fraction's
    rows are among those of a larger one. CrivoError: fewer than two classes or rows are left.
    """
    rows, features = read_fit_rows("train", schema)
    if fraction == 1:
        return rows, features
    mask, name = select_fraction(rows, schema, fraction, "teach")
    if rows[schema.target][mask].nunique() < 2:
        raise CrivoError(
            f"train.fraction is {fraction}, which leaves {int(mask.sum())} of {len(rows)} "
            "training rows, with only one target value; make it larger."
        )
    log.info("Fitting on %d of %d training rows, by %s", mask.sum(), len(rows), name)
    return rows[mask].reset_index(drop=True), features[mask].reset_index(drop=True)


def stopping_mask(rows: pd.DataFrame, schema: Schema, share: float) -> np.ndarray:
    """Return a mask of the rows for early stopping: the latest, whole groups, or by a hash of ids.

    They are cut as a split would be: rows of one moment or of one group stay together. Where
    moments are too coarse for that (years), groups are tried, and then single rows.
    """
    if not share:
        return np.zeros(len(rows), dtype=bool)
    return select_fraction(rows, schema, share, "watch")[0]


def select_fraction(
    rows: pd.DataFrame, schema: Schema, share: float, salt: str
) -> tuple[np.ndarray, str]:
    """Return a mask of a share of the rows, and by which column it is.

    Of two shares the rows of the smaller are among those of the larger, if they are by the same
    column. `salt`: two masks by a hash with different ones have nothing to do with each other.
    """
    cuts = ((schema.time, _latest), (schema.group, _hashed), (schema.id, _hashed))
    for name, cut in ((name, cut) for name, cut in cuts if name is not None):
        mask = cut(rows[name], share, salt)
        if name == schema.id or MIN_PART * share <= mask.mean() <= MAX_TIMES * share:
            break
    return mask, name


class LazyTraining(Training):
    """What a fit may know; the rows to watch are chosen, and told, when a model asks for them."""

    def __init__(self, rows: pd.DataFrame, schema: Schema, share: float, log: Log) -> None:
        self.__dict__.update(_share=(rows, schema, share), log=log)

    @cached_property
    def stopping_mask(self) -> np.ndarray:
        """The mask of the rows to watch."""
        return stopping_mask(*self.__dict__["_share"])


def _latest(times: pd.Series, share: float, _: str) -> np.ndarray:
    """Return the latest whole periods that hold the share of the rows, or the last one if less."""
    if not (is_numeric_dtype(times.dtype) or is_datetime64_any_dtype(times.dtype)):
        raise CrivoError(
            f"The time column {times.name!r} holds neither dates nor numbers, so the latest rows "
            "aren't known; correct its type, or choose another time column."
        )
    latest = times > times.quantile(1 - share, interpolation="lower")
    if latest.mean() < MIN_PART * share:
        latest = times >= times[~latest].max()
    return latest.to_numpy()


def _hashed(values: pd.Series, share: float, salt: str) -> np.ndarray:
    names = values.astype("str")
    # Salted: an at-random split by the same hash would otherwise give no row, or all.
    marks = {name: stable_hash(f"{salt} {name}") / 2**64 for name in names.unique()}
    # Of few names the first one is taken, so that there is something to watch.
    return (names.map(marks) <= max(share, min(marks.values(), default=0))).to_numpy()
