"""What a model is like on the evaluated rows: its loss by iteration, what it listens to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from crivo.evaluation.encoding import encoding_once
from crivo.evaluation.importances import importance_table

# `evaluate` is paid for by every trial: both explanations use few rows, chosen by position,
# and fewer where many classes or many features make each row dearer.
CURVE_ROWS = 4_000
IMPORTANCE_ROWS = 1_000
MIN_ROWS = 50
PREDICTED_ROWS = 50_000
MOST_SHUFFLES = 2


def model_curves(
    estimator: Any,
    features: pd.DataFrame,
    target: pd.Series,
    seed: int,
    groups: pd.Categorical,
) -> dict[str, pd.DataFrame]:
    """Return what a model is like as plots' tables by name; `groups`: the rows' clusters."""
    estimator = encoding_once(estimator)
    return {
        "learning": learning_curve(estimator, features, target),
        "importance": permutation_importance(estimator, features, target, seed, groups),
    }


def learning_curve(estimator: Any, features: pd.DataFrame, target: pd.Series) -> pd.DataFrame:
    """Return the held-out loss after each iteration; no rows when the model has none.

    Log loss for classifiers, root mean squared error for regressors.
    """
    rows = max(MIN_ROWS, CURVE_ROWS // _outputs(estimator))
    features, target = _sample(features, target, rows)
    actual, losses = target.to_numpy(), []
    if hasattr(estimator, "staged_predict_proba"):
        columns = _columns(estimator, actual)
        stages = estimator.staged_predict_proba(features)
        losses = [_surprise(scores, columns).mean() for scores in stages]
    elif hasattr(estimator, "staged_predict") and not hasattr(estimator, "classes_"):
        stages = estimator.staged_predict(features)
        losses = [np.sqrt(np.mean((prediction - actual) ** 2)) for prediction in stages]
    return pd.DataFrame({"iteration": range(len(losses)), "loss": losses})


def permutation_importance(
    estimator: Any,
    features: pd.DataFrame,
    target: pd.Series,
    seed: int,
    groups: pd.Categorical | None = None,
) -> pd.DataFrame:
    """Return how much the loss grows when a feature's values are shuffled, largest first.

    The loss is that of `learning_curve`; the error rate for a classifier without
    probabilities (Breiman 2001). Each feature is shuffled once, twice where there are few rows: of
    as many predictions, more rows leave a smaller error than more shuffles. All are predicted in
    one call: a call's own cost would otherwise be paid for every feature. `groups`: the rows'
    clusters, for the errors; without them the rows are independent. Columns: those of
    `importance_table`.
    """
    clusters: Any = pd.Categorical(np.arange(len(features))) if groups is None else groups
    rows = PREDICTED_ROWS // (features.shape[1] * _outputs(estimator))
    rows = min(max(rows, MIN_ROWS), IMPORTANCE_ROWS)
    clusters = clusters[_chosen(len(features), rows)]
    features, target = _sample(features, target, rows)
    shuffles = min(MOST_SHUFFLES, rows // len(features))
    asked, changed = _shuffled(features, shuffles, np.random.default_rng(seed))
    actual = target.to_numpy()
    found = _losses(estimator, asked, np.append(actual, actual[np.nonzero(changed)[1]]))
    losses = np.tile(found[: len(features)], (1 + len(changed), 1))
    losses[1:][changed] = found[len(features) :]
    of_mean = np.asarray if hasattr(estimator, "classes_") else np.sqrt
    return importance_table(features.columns, losses, clusters, of_mean)


def _shuffled(
    features: pd.DataFrame, shuffles: int, random: np.random.Generator
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the rows and, below them, those that shuffling each feature in turn has changed.

    Which these are is marked in a row per shuffle: the prediction of a row whose new value is like
    its own is known.
    """
    count, width = features.shape
    donors = np.array([random.permutation(count) for _ in range(width * shuffles)])
    codes = np.array([pd.factorize(features[name])[0] for name in features])
    codes = np.repeat(codes, shuffles, axis=0)
    changed = np.take_along_axis(codes, donors, axis=1) != codes
    shuffle, row = np.nonzero(changed)
    columns = {}
    for number, name in enumerate(features):
        places = np.where(shuffle // shuffles == number, donors[changed], row)
        columns[name] = features[name].array.take(np.append(np.arange(count), places))
    return pd.DataFrame(columns, copy=False), changed


def _losses(estimator: Any, rows: pd.DataFrame, actual: np.ndarray) -> np.ndarray:
    """Return the loss of each row: squared for numbers, 0 or 1 for labels without scores."""
    if not hasattr(estimator, "classes_"):
        return np.asarray((estimator.predict(rows) - actual.astype(float)) ** 2)
    if not hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict(rows) != actual, dtype=float)
    return _surprise(estimator.predict_proba(rows), _columns(estimator, actual))


def _columns(estimator: Any, actual: np.ndarray) -> np.ndarray:
    """Return the column of each row's class among the scores; -1 for a class never learnt."""
    place = {name: i for i, name in enumerate(estimator.classes_.tolist())}
    codes, names = pd.factorize(actual)
    return np.array([place.get(name, -1) for name in names.tolist()])[codes]


def _surprise(scores: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the log loss of each row, bounded where the score is 0."""
    own = np.where(columns < 0, 0, scores[np.arange(len(scores)), columns])
    return -np.log(np.clip(own, np.finfo(float).eps, 1))


def _outputs(estimator: Any) -> int:
    """Return how many numbers the estimator works out for a row: one, or one for each class."""
    classes = len(getattr(estimator, "classes_", ()))
    return classes if classes > 2 else 1


def _sample(features: pd.DataFrame, target: pd.Series, size: int) -> tuple[pd.DataFrame, pd.Series]:
    chosen = _chosen(len(features), size)
    return features.iloc[chosen], target.iloc[chosen]


def _chosen(count: int, size: int) -> np.ndarray:
    """Return the places of so many rows, evenly from the first to the last."""
    return np.linspace(0, count - 1, min(size, count)).astype(int)
