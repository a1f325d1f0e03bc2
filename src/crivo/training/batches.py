"""Fits XGBoost on features that stay on disk, by its external memory."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from crivo.core import artifacts
from crivo.core.blocks import Training

Batches = Callable[[], Iterator[pd.DataFrame]]


def fit_xgboost(
    pipeline: Any,
    batches: Batches,
    target: pd.Series,
    watching: Training | None,
    callback: Any,
) -> Any:
    """Fit a pipeline of `NumberedColumns` and XGBoost, and return it.

    XGBoost bins the features and keeps the bins on disk. `watching` marks the rows to stop early
    by; `callback` is called with the losses of each iteration, by the names that `fit` gives them.
    """
    from crivo.core.boosters import NumberedClasses

    columns, final = pipeline[0].fit(next(batches())), pipeline[-1]
    inner, labels, objective = final, np.asarray(target), {}
    if isinstance(final, NumberedClasses):
        inner, labels = final.take_classes(target)
        objective = _objective(len(final.classes_))
    masks = [np.ones(len(target), dtype=bool)]
    if watching is not None:
        masks = [teach := watching.fit_mask(final, target), ~teach]
    sets = (partial(_batches_of, columns, batches, labels, mask) for mask in masks)
    shutil.rmtree(artifacts.BATCHES, ignore_errors=True)  # of a run that was killed
    artifacts.BATCHES.mkdir(parents=True)
    try:
        inner._Booster = _train(inner, inner.get_xgb_params() | objective, [*sets], callback)
    finally:
        shutil.rmtree(artifacts.BATCHES, ignore_errors=True)
    if objective:
        inner.n_classes_, inner.objective = len(final.classes_), objective["objective"]
    return pipeline


def _train(
    estimator: Any, params: dict[str, Any], sets: Sequence[Callable[[str], Any]], callback: Any
) -> Any:
    """Return a booster that is trained on the first of the sets and watches all of them."""
    import xgboost

    matrices: list[xgboost.DMatrix] = []
    for number, batches_of in enumerate(sets):
        matrices.append(
            xgboost.ExtMemQuantileDMatrix(
                batches_of(str(artifacts.BATCHES / str(number))),
                ref=matrices[0] if matrices else None,
                enable_categorical=True,
                max_bin=estimator.max_bin,
            )
        )
    return xgboost.train(
        params,
        matrices[0],
        estimator.get_num_boosting_rounds(),
        evals=[(matrix, f"validation_{number}") for number, matrix in enumerate(matrices)],
        early_stopping_rounds=estimator.early_stopping_rounds,
        callbacks=[callback],
        verbose_eval=False,
    )


def _objective(classes: int) -> dict[str, Any]:
    """Return what XGBoost's own classifier sets for so many classes."""
    if classes > 2:
        return {"objective": "multi:softprob", "num_class": classes}
    return {"objective": "binary:logistic"}


def _batches_of(
    columns: Any, batches: Batches, labels: np.ndarray, mask: np.ndarray, cache: str
) -> Any:
    """Return XGBoost's iterator of the marked rows, which it keeps in files of a name."""
    import xgboost

    class Marked(xgboost.DataIter):
        def __init__(self) -> None:
            super().__init__(cache_prefix=cache)
            self.batches = batches()

        def reset(self) -> None:
            self.batches = batches()

        def next(self, input_data: Callable[..., None]) -> bool:
            for batch in self.batches:
                places = batch.index.to_numpy()
                if (here := mask[places]).any():
                    rows = columns.transform(batch)[here]
                    input_data(data=rows, label=labels[places[here]])
                    return True
            return False

    return Marked()
