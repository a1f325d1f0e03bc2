"""Loss on held-out rows by iteration, and permutation importances, with standard errors.

The errors are by cluster jackknife. They include the noise of shuffling, as a row's shuffled value
is drawn anew for each row and repeat. The report shows both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from crivo.statistics.intervals import LEVEL, t_quantile
from crivo.statistics.jackknife import effective_clusters, ratios_without, standard_errors

# Every trial pays for `evaluate`: both explanations use few rows, chosen by position, and fewer if
# many classes or many features make each row more expensive.
CURVE_ROWS = 4_000
IMPORTANCE_ROWS = 1_000
MIN_ROWS = 50
PREDICTED_ROWS = 50_000
MOST_SHUFFLES = 2
# Features add nothing if losing them costs less than this part of the model's gain.
IDLE = 0.01
# Digits that don't depend on the number of threads that add up.
DIGITS = 10

# Makes the loss of the rows' mean loss: a root, for squares.
LossOfMean = Callable[[np.ndarray], np.ndarray]


class Loss:
    """The loss of an estimator's rows: log loss, 1 for a wrong label, or the squared error.

    `method`: that of the estimator whose outputs are judged; `of_mean`: the loss of the rows' mean.
    """

    def __init__(self, estimator: Any, target: pd.Series) -> None:
        self._estimator, self._has_classes = estimator, hasattr(estimator, "classes_")
        scored = self._has_classes and hasattr(estimator, "predict_proba")
        self.method = "predict_proba" if scored else "predict"
        self.of_mean: LossOfMean = np.asarray if self._has_classes else np.sqrt
        self._actual = target.to_numpy(None if self._has_classes else float)
        if scored:  # the column of each row's class; -1 for a class never learnt
            known = pd.Index(estimator.classes_.tolist(), dtype=object)
            self._actual = known.get_indexer(pd.Index(target.tolist(), dtype=object))

    def of(self, outputs: np.ndarray) -> np.ndarray:
        """Return the loss of each row, of the target's rows or of copies below each other."""
        actual = np.resize(self._actual, len(outputs))
        if not self._has_classes:
            return np.asarray((outputs - actual) ** 2)
        if self.method == "predict":
            return np.asarray(outputs != actual, dtype=float)
        own = np.where(actual < 0, 0, outputs[np.arange(len(outputs)), actual])
        return -np.log(np.clip(own, np.finfo(float).eps, 1))

    def of_rows(self, features: pd.DataFrame, places: Any = slice(None)) -> np.ndarray:
        """Return the loss of each row of features; `places`: which of them to take, in order."""
        return self.of(getattr(self._estimator, self.method)(features)[places])

    @property
    def of_constant(self) -> float:
        """The loss of the rows' mean, or of their classes' shares."""
        if not self._has_classes:
            return float(self._actual.std())
        shares = pd.Series(self._actual).value_counts(normalize=True).to_numpy()
        scored = self.method == "predict_proba"
        return float(-(shares * np.log(shares)).sum() if scored else 1 - shares.max())


def learning_curve(estimator: Any, features: pd.DataFrame, target: pd.Series) -> pd.DataFrame:
    """Return the held-out loss after each iteration; no rows if the model has no iterations.

    Log loss for classifiers, the share of errors without probabilities, and root mean squared
    error for regressors.
    """
    chosen = _chosen(len(features), max(MIN_ROWS, CURVE_ROWS // _outputs(estimator)))
    loss = Loss(estimator, target.iloc[chosen])
    staged = getattr(estimator, f"staged_{loss.method}", lambda rows: ())
    losses = [float(loss.of_mean(loss.of(one).mean())) for one in staged(features.iloc[chosen])]
    return pd.DataFrame({"iteration": range(len(losses)), "loss": losses})


def permutation_importance(
    estimator: Any,
    features: pd.DataFrame,
    target: pd.Series,
    seed: int,
    groups: pd.Categorical | None = None,
) -> pd.DataFrame:
    """Return how much the loss grows when a feature's values are shuffled, largest first.

    The loss is that of `learning_curve` (Breiman 2001). Each feature is shuffled once, or twice if
    there are few rows: with a given number of predictions, more rows reduce the error more than
    more shuffles. All are predicted in one call, because each call has a fixed cost. `groups`: the
    rows' clusters, for the errors; without them, rows count as independent. Columns: those of
    `importance_table`, and `idle`: whether the feature is among those that are shown to add
    nothing, even all together.
    """
    clusters: Any = pd.Categorical(np.arange(len(features))) if groups is None else groups
    rows = PREDICTED_ROWS // (features.shape[1] * _outputs(estimator))
    rows = min(max(rows, MIN_ROWS), IMPORTANCE_ROWS)
    chosen = _chosen(len(features), rows)
    clusters, features, target = clusters[chosen], features.iloc[chosen], target.iloc[chosen]
    loss, shuffles = Loss(estimator, target), min(MOST_SHUFFLES, rows // len(features))
    asked, places = _shuffled(features, shuffles, seed)
    losses = loss.of_rows(asked, places.ravel()).reshape(places.shape)
    table = importance_table(features.columns, losses, clusters, loss.of_mean)
    limit = IDLE * (loss.of_constant - float(loss.of_mean(losses[0].mean())))
    shuffled = features.iloc[np.random.default_rng(seed).permutation(len(features))]

    def costs_nothing(names: list[str]) -> bool:
        """Whether these features, shuffled together, are shown to cost less than the limit."""
        without = features.assign(**{name: shuffled[name].array for name in names})
        lost = np.vstack([losses[0], loss.of_rows(without)])
        together = importance_table(pd.Index([""]), lost, clusters, loss.of_mean)
        return bool(together["loss_increase_high"].iloc[0] < limit)

    return table.assign(idle=table["feature"].isin(_idle(table, limit, costs_nothing)))


def _idle(
    table: pd.DataFrame, limit: float, costs_nothing: Callable[[list[str]], bool]
) -> list[str]:
    """Return the features that are shown to cost less than the limit, each and all together.

    Features that can replace each other cost little one by one. As long as they cost too much
    together, the more important half of them is kept.
    """
    value, high = table["loss_increase"], table["loss_increase_high"]
    all_at_once = ndtri(1 - (1 - LEVEL) / (2 * len(table))) / ndtri((1 + LEVEL) / 2)
    small = table[value + (high - value) * float(all_at_once) < limit]
    names = [str(name) for name in small["feature"]]
    while names and not costs_nothing(names):
        names = names[(len(names) + 1) // 2 :]
    return names


def _shuffled(features: pd.DataFrame, shuffles: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the rows and, below them, those that change when each feature in turn is shuffled.

    Also, where the rows of each copy are among them, from the original on: shape (copies, rows).
    """
    own, random = np.arange(len(features)), np.random.default_rng(seed)
    shuffled = np.repeat(np.arange(features.shape[1]), shuffles)
    donors = np.array([random.permutation(own) for _ in shuffled])
    codes = np.array([pd.factorize(features[name])[0] for name in features])[shuffled]
    new = np.take_along_axis(codes, donors, axis=1) != codes
    copies, rows = np.nonzero(new)
    columns = {}
    for number, name in enumerate(features):
        sources = np.append(own, np.where(shuffled[copies] == number, donors[new], rows))
        columns[name] = features[name].array.take(sources)
    places = np.tile(own, (1 + len(donors), 1))
    places[1:][new] = len(own) + np.arange(len(rows))
    return pd.DataFrame(columns, copy=False), places


def _outputs(estimator: Any) -> int:
    """Return how many numbers the estimator computes for a row: one, or one for each class."""
    classes = len(getattr(estimator, "classes_", ()))
    return classes if classes > 2 else 1


def _chosen(count: int, size: int) -> np.ndarray:
    """Return the positions of `size` rows at equal steps from the first to the last."""
    return np.linspace(0, count - 1, min(size, count)).astype(int)


def importance_table(
    names: pd.Index, losses: np.ndarray, groups: pd.Categorical, loss_of_mean: LossOfMean
) -> pd.DataFrame:
    """Return each feature's importance with its interval at 95 %, largest first.

    `losses`: a row per copy of the rows (first the original, then the same number of copies for
    each shuffled feature), and a column per row. `groups`: the rows' clusters.

    Columns: `feature loss_increase se loss_increase_low loss_increase_high`.
    """
    codes, ones = np.unique(groups.codes, return_inverse=True)[1], np.ones(len(groups))
    left = np.stack([ratios_without(one, ones, codes, int(codes.max()) + 1) for one in losses])
    found = loss_of_mean(np.column_stack([losses.mean(axis=1), left]))
    grown = (found[1:] - found[0]).reshape(len(names), -1, found.shape[1]).mean(axis=1)
    value, se = grown[:, 0], standard_errors(grown[:, 1:])
    reach = t_quantile((1 + LEVEL) / 2, effective_clusters(codes, ones)) * se
    table = pd.DataFrame({"feature": names, "loss_increase": value, "se": se})
    table = table.assign(loss_increase_low=value - reach, loss_increase_high=value + reach)
    return table.round(DIGITS).sort_values(["loss_increase", "feature"], ascending=[False, True])
