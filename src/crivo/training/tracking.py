"""Logs the training loss of a fit with dvclive, by iteration if the model has iterations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from crivo.core.predictions import as_probabilities
from crivo.core.wording import four_digits

if TYPE_CHECKING:
    from dvclive import Live

# Rows that the training loss is measured on, at equal steps through the training rows.
SAMPLE = 4_000
# Points of a curve at most: each costs a trial some milliseconds.
POINTS = 50


@contextmanager
def tracker(folder: Path) -> Iterator[Live]:
    """Give a dvclive logger that writes to `folder`.

    Left to itself dvclive rewrites `dvc.yaml` and records an experiment of its own; both are
    DVC's work here, so both are off.
    """
    with _live()(str(folder), dvcyaml=None, save_dvc_exp=False, report=None) as live:
        yield live


def _live() -> type[Live]:
    from dvclive import Live

    class MetricsOnly(Live):
        """Doesn't open the project with DVC: only what is off needs it."""

        def _init_dvc(self) -> None:
            """Leave the repository alone; half a second, whatever the size of the table."""

        def post_data_to_studio(self) -> None:
            """Post nothing: a stage has no token, and all rows would be read again at each step."""

    return MetricsOnly


def log_iteration(live: Live, step: Callable[[str], None]) -> Callable[[Mapping[str, float]], None]:
    """Return a function that logs the metrics of one iteration while a model is being fitted.

    `step` is told the iteration and its metrics in words.
    """

    def log(metrics: Mapping[str, float]) -> None:
        for name, value in metrics.items():
            live.log_metric(name, _short(value))
        losses = "".join(f", {name} {four_digits(value)}" for name, value in metrics.items())
        step(f"fit, iteration {live.step + 1}{losses}")
        live.next_step()

    return log


def log_training(
    live: Live, estimator: Any, baseline: Any, features: pd.DataFrame, target: pd.Series
) -> None:
    """Log `train_loss`, and the baseline's beside it where it has the same kind.

    That is the log loss of a classifier (the share of errors of one without probabilities) and
    the root mean squared error of a regressor. Estimators with stages (boosting) get a learning
    curve: at most `POINTS` of their iterations, at equal steps, the last among them.
    """
    outputs = max(1, len(getattr(estimator, "classes_", ())) - 1)
    chosen = np.linspace(0, len(features) - 1, min(SAMPLE // outputs, len(features))).astype(int)
    some, target = features.take(chosen), target.iloc[chosen]
    first = live.step
    for iteration, loss in training_losses(estimator, some, target):
        live.step = first + iteration
        live.log_metric("train_loss", _short(loss))
    method, loss_of = _measured(estimator, target)
    if hasattr(baseline, method):  # one that has labels alone can't be compared
        baseline_loss = loss_of(getattr(baseline, method)(some))
        live.log_metric("baseline_train_loss", _short(baseline_loss), plot=False)
    live.next_step()


def training_losses(
    estimator: Any, features: pd.DataFrame, target: pd.Series
) -> Iterator[tuple[int, float]]:
    """Give iterations, counted from 0, and the loss after each; just the final loss without."""
    method, loss_of = _measured(estimator, target)
    staged = getattr(estimator, f"staged_{method}", None)
    if staged is None:
        yield 0, loss_of(getattr(estimator, method)(features))
        return
    stages = list(enumerate(staged(features)))
    step = -(-len(stages) // POINTS)
    for iteration, outputs in stages[::-step][::-1]:
        yield iteration, loss_of(outputs)


def _measured(estimator: Any, target: pd.Series) -> tuple[str, Callable[[np.ndarray], float]]:
    """Return the method whose result is measured, and the loss of such a result."""
    from sklearn.metrics import accuracy_score, root_mean_squared_error

    if not hasattr(estimator, "classes_"):
        return "predict", lambda outputs: root_mean_squared_error(target, outputs)
    if not hasattr(estimator, "predict_proba"):
        return "predict", lambda outputs: 1 - accuracy_score(target, outputs)
    # scikit-learn's log_loss would encode the target anew for each point of a curve.
    true = np.arange(len(target)), np.searchsorted(estimator.classes_, np.asarray(target))
    shape, eps = (len(target), len(estimator.classes_)), np.finfo(float).eps

    def log_loss(outputs: np.ndarray) -> Any:
        return -np.log(np.clip(as_probabilities(outputs, *shape)[true], eps, 1 - eps)).mean()

    return "predict_proba", log_loss


def _short(loss: float) -> float:
    return float(f"{loss:.10g}")
