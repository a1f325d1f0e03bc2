"""Held-out loss by iteration, and permutation importances with their errors.

The jackknife leaves out whole clusters, as everywhere. A row's shuffled value is drawn anew for
each row and repeat, so what the shuffling adds is in the rows' spread, and so in the error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from crivo.statistics.intervals import LEVEL, t_quantile
from crivo.statistics.jackknife import covariances, effective_clusters

# `evaluate` is paid for by every trial: both explanations use few rows, chosen by position,
# and fewer where many classes or many features make each row dearer.
CURVE_ROWS = 4_000
IMPORTANCE_ROWS = 1_000
MIN_ROWS = 50
PREDICTED_ROWS = 50_000
MOST_SHUFFLES = 2
# Features add nothing if to lose them costs less than this part of what the model gains.
IDLE = 0.01


# Makes the loss of the rows' mean loss: a root, for squares.
LossOfMean = Callable[[np.ndarray], np.ndarray]


def model_curves(
    estimator: Any,
    features: pd.DataFrame,
    target: pd.Series,
    seed: int,
    groups: pd.Categorical,
) -> dict[str, pd.DataFrame]:
    """Return what a model is like as plots' tables by name; `groups`: the rows' clusters."""
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
    `importance_table`, and `idle`: whether the feature is one of those that are shown to add
    nothing, also all of them together.
    """
    clusters: Any = pd.Categorical(np.arange(len(features))) if groups is None else groups
    rows = PREDICTED_ROWS // (features.shape[1] * _outputs(estimator))
    rows = min(max(rows, MIN_ROWS), IMPORTANCE_ROWS)
    clusters = clusters[_chosen(len(features), rows)]
    features, target = _sample(features, target, rows)
    shuffles = min(MOST_SHUFFLES, rows // len(features))
    asked = _shuffled(features, shuffles, np.random.default_rng(seed))
    actual = np.tile(target.to_numpy(), len(asked) // len(features))
    losses = _losses(estimator, asked, actual).reshape(-1, len(features))
    of_mean = np.asarray if hasattr(estimator, "classes_") else np.sqrt
    table = importance_table(features.columns, losses, clusters, of_mean)
    limit = IDLE * _gain(estimator, target, losses[0], of_mean)
    shuffled = features.iloc[np.random.default_rng(seed).permutation(len(features))]

    def costs_nothing(names: list[str]) -> bool:
        """Whether these features, shuffled together, are shown to cost less than the limit."""
        without = features.copy(deep=False)
        for name in names:
            without[name] = shuffled[name].array
        lost = np.vstack([losses[0], _losses(estimator, without, target.to_numpy())])
        together = importance_table(pd.Index([""]), lost, clusters, of_mean)
        return bool(together["loss_increase_high"].iloc[0] < limit)

    return table.assign(idle=table["feature"].isin(_idle(table, limit, costs_nothing)))


def _idle(
    table: pd.DataFrame, limit: float, costs_nothing: Callable[[list[str]], bool]
) -> list[str]:
    """Return the features that are shown to cost less than the limit, each and all together.

    Features that replace each other cost little one by one. While they cost too much together,
    the more important half of them stays.
    """
    value, high = table["loss_increase"], table["loss_increase_high"]
    all_at_once = ndtri(1 - (1 - LEVEL) / (2 * len(table))) / ndtri((1 + LEVEL) / 2)
    small = table[value + (high - value) * float(all_at_once) < limit]
    names = [str(name) for name in small["feature"]]
    while names and not costs_nothing(names):
        names = names[(len(names) + 1) // 2 :]
    return names


def _gain(estimator: Any, target: pd.Series, losses: np.ndarray, loss_of_mean: LossOfMean) -> float:
    """Return by how much the loss is below that of the rows' mean, or of their classes' shares."""
    actual = target.to_numpy()
    if hasattr(estimator, "classes_"):
        shares = target.map(target.value_counts(normalize=True)).to_numpy(float)
        scored = hasattr(estimator, "predict_proba")
        blind = -np.log(shares) if scored else np.full(1, 1 - shares.max())
    else:
        blind = (actual.astype(float) - actual.astype(float).mean()) ** 2
    before, after = (loss_of_mean(np.asarray(one.mean())) for one in (blind, losses))
    return float(before - after)


def _shuffled(features: pd.DataFrame, shuffles: int, random: np.random.Generator) -> pd.DataFrame:
    """Return the rows and, below them, copies in which each feature in turn is shuffled."""
    count, width = features.shape
    donors = np.array([random.permutation(count) for _ in range(width * shuffles)])
    columns = {}
    for number, name in enumerate(features):
        places = np.tile(np.arange(count), (1 + width * shuffles, 1))
        mine = slice(number * shuffles, (number + 1) * shuffles)
        places[1:][mine] = donors[mine]
        columns[name] = features[name].array.take(places.ravel())
    return pd.DataFrame(columns, copy=False)


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


# Digits that are the same however many threads have summed.
DIGITS = 10


def importance_table(
    names: pd.Index, losses: np.ndarray, groups: pd.Categorical, loss_of_mean: LossOfMean
) -> pd.DataFrame:
    """Return each feature's importance with its interval and the ranks it may have, largest first.

    `losses`: a row per copy of the rows, first the untouched one, then equally many for each
    feature with its values shuffled; a column per row. `groups`: the rows' clusters.

    Columns: `feature loss_increase se loss_increase_low loss_increase_high rank_low rank_high`.
    The interval is the feature's own, at 95 %. The ranks are all those that are possible when two
    features are told apart only by a difference that is sure with allowance for all pairs.
    """
    sizes = np.bincount(groups.codes, minlength=len(groups.categories))
    present = sizes > 0
    member = np.eye(len(sizes))[groups.codes][:, present]
    total = losses.sum(axis=1, keepdims=True)
    left = (total - losses @ member) / np.maximum(losses.shape[1] - sizes[present], 1)
    grown = _growth(loss_of_mean(total / losses.shape[1]), len(names))[:, 0]
    spread = _growth(loss_of_mean(left), len(names))
    clusters = effective_clusters(groups.codes, np.ones(len(groups)))
    covariance = covariances(spread)
    se = np.sqrt(np.diag(covariance))
    reach = t_quantile((1 + LEVEL) / 2, clusters) * se
    above = _surely_above(grown, covariance, clusters)
    table = pd.DataFrame(
        {
            "feature": names,
            "loss_increase": grown.round(DIGITS),
            "se": se.round(DIGITS),
            "loss_increase_low": (grown - reach).round(DIGITS),
            "loss_increase_high": (grown + reach).round(DIGITS),
            "rank_low": 1 + above.sum(axis=0),
            "rank_high": len(names) - above.sum(axis=1),
        }
    )
    return table.sort_values(["loss_increase", "feature"], ascending=[False, True])


def _growth(losses: np.ndarray, features: int) -> np.ndarray:
    """Return by how much each feature's copies have a greater loss, on average: a row each."""
    grown = losses[1:] - losses[0]
    return np.asarray(grown.reshape(features, -1, losses.shape[1]).mean(axis=1))


def _surely_above(grown: np.ndarray, covariance: np.ndarray, clusters: float) -> np.ndarray:
    """Return whether each feature (row) is surely more important than each other one (column).

    The pairs share 5 % (Bonferroni), so that all ranks hold at once (Mohamad, Goeman & van Zwet
    2022, with t).
    """
    pairs = max(len(grown) * (len(grown) - 1) / 2, 1)
    variance = np.diag(covariance)
    variance = variance[:, None] + variance - 2 * covariance
    # What rounding leaves of equal features isn't an error.
    error = np.sqrt(np.where(variance > 1e-24, variance, np.nan))
    reach = t_quantile(1 - (1 - LEVEL) / (2 * pairs), clusters)
    with np.errstate(invalid="ignore"):
        return np.asarray((grown[:, None] - grown) / error > reach)
