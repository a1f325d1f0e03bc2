"""Permutation importances with their errors, and which ranks these leave open.

The jackknife leaves out whole clusters, as everywhere. A row's shuffled value is drawn anew for
each row and repeat, so what the shuffling adds is in the rows' spread, and so in the error.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from crivo.evaluation.clusters import effective_clusters
from crivo.evaluation.intervals import LEVEL, t_quantile

# Digits that are the same however many threads have summed.
DIGITS = 10


def importance_table(
    names: pd.Index,
    losses: np.ndarray,
    groups: pd.Categorical,
    loss_of_mean: Callable[[np.ndarray], np.ndarray],
) -> pd.DataFrame:
    """Return each feature's importance with its interval and the ranks it may have, largest first.

    `losses`: a row per copy of the rows, first the untouched one, then equally many for each
    feature with its values shuffled; a column per row. `groups`: the rows' clusters.
    `loss_of_mean` makes the loss of the rows' mean loss (a root, for squares).

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
    clusters = effective_clusters(groups, np.ones(len(groups)))
    covariance = _covariance(spread)
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


def _covariance(left: np.ndarray) -> np.ndarray:
    """Return the jackknife's covariances of the features; missing below two clusters."""
    count = left.shape[1]
    if count < 2:
        return np.full((len(left), len(left)), np.nan)
    spread = left - left.mean(axis=1, keepdims=True)
    return np.asarray((count - 1) / count * spread @ spread.T)


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


def leading(table: pd.DataFrame, most: int = 5) -> str:
    """Say which feature is the most important one, or among which it is."""
    if "rank_low" not in table:
        return "There are no standard errors, so the order may be chance."
    names = [str(name) for name in table["feature"][table["rank_low"] == 1]]
    if len(names) == 1:
        return f"The most important feature is {names[0]}."
    some = f"{', '.join(names[:most])}{f' and {len(names) - most} more' * (len(names) > most)}"
    return f"The most important feature is one of {some}; these rows can't tell which."
