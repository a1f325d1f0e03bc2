"""What a fit is like on the rows that taught it: its loss, iteration by iteration if it has any."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from dvclive import Live

# Rows that the training loss is measured on, at equal steps through the training rows.
SAMPLE = 4_000
# Points of a curve at most: each costs a trial several milliseconds.
POINTS = 50


def log_iteration(live: Live) -> Callable[[Mapping[str, float]], None]:
    """Return a function that logs the metrics of one iteration while a model is being fitted."""

    def log(metrics: Mapping[str, float]) -> None:
        for name, value in metrics.items():
            live.log_metric(name, float(f"{value:.10g}"))
        live.next_step()

    return log


def log_training(live: Live, estimator: Any, features: pd.DataFrame, target: pd.Series) -> None:
    """Log `train_loss`: log loss of a classifier, root mean squared error of a regressor.

    Estimators with stages (boosting) get a learning curve: at most `POINTS` of their
    iterations, at equal steps, the last among them.
    """
    outputs = max(1, len(getattr(estimator, "classes_", ())) - 1)
    chosen = np.linspace(0, len(features) - 1, min(SAMPLE // outputs, len(features))).astype(int)
    features, target = features.iloc[chosen], target.iloc[chosen]
    first = live.step
    for iteration, loss in training_losses(estimator, features, target):
        live.step = first + iteration
        live.log_metric("train_loss", float(f"{loss:.10g}"))
    live.next_step()


def training_losses(
    estimator: Any, features: pd.DataFrame, target: pd.Series
) -> Iterator[tuple[int, float]]:
    """Give iterations, counted from 0, and the loss after each; just the final loss without."""
    from sklearn.metrics import accuracy_score, log_loss, root_mean_squared_error

    if hasattr(estimator, "staged_predict_proba"):
        for iteration, scores in _some(lambda: estimator.staged_predict_proba(features)):
            yield iteration, log_loss(target, scores, labels=estimator.classes_)
    elif hasattr(estimator, "predict_proba"):
        yield 0, log_loss(target, estimator.predict_proba(features), labels=estimator.classes_)
    elif hasattr(estimator, "classes_"):
        yield 0, 1 - accuracy_score(target, estimator.predict(features))
    elif hasattr(estimator, "staged_predict"):
        for iteration, prediction in _some(lambda: estimator.staged_predict(features)):
            yield iteration, root_mean_squared_error(target, prediction)
    else:
        yield 0, root_mean_squared_error(target, estimator.predict(features))


def _some(stages: Callable[[], Iterator[np.ndarray]]) -> Iterator[tuple[int, np.ndarray]]:
    """Give at most `POINTS` of the stages with their numbers, the last one always."""
    count = sum(1 for _ in stages())  # the stages are cheap, the loss of each is not
    step = -(-count // POINTS)
    for number, stage in enumerate(stages()):
        if (count - 1 - number) % step == 0:
            yield number, stage
