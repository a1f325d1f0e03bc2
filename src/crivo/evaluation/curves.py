"""The data of the plots: ROC, precision-recall, calibration, scores, confusion; small tables.

The first columns are the curve; then come the ends of its points' 95 % intervals, the baseline's
curve and the score from which on rows are counted, as far as the plot has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from crivo.statistics.intervals import LEVEL, t_quantile
from crivo.statistics.jackknife import effective_clusters, standard_errors

# Points of a curve: more would not show.
POINTS = 200
BINS = 10
BARS = 20

COLUMNS = {
    "roc": [
        "false_positive_rate",
        "true_positive_rate",
        "true_positive_rate_low",
        "true_positive_rate_high",
        "baseline",
        "threshold",
    ],
    "precision_recall": [
        "recall",
        "precision",
        "precision_low",
        "precision_high",
        "baseline",
        "threshold",
    ],
    "calibration": [
        "mean_score",
        "observed_rate",
        "rows",
        "observed_rate_low",
        "observed_rate_high",
    ],
    "scores": ["low", "high", "negative", "positive"],
    "confusion": ["actual", "predicted", "rows"],
}


class Scored(NamedTuple):
    """Rows of a binary task: 1 for a positive one, the scores, the weights and the clusters."""

    happened: np.ndarray
    score: np.ndarray
    weight: np.ndarray
    groups: pd.Categorical

    def counts(self) -> Counts:
        """Return what reaches each of at most 199 scores, evenly spread over the rows."""
        found = np.sort(self.score)
        chosen = np.linspace(0, len(found) - 1, POINTS - 1).astype(int)
        scores = np.unique(found[chosen] if len(found) > POINTS else found)
        return count_reaching(*self, scores)


def roc(counts: Counts, baseline: Counts | None) -> pd.DataFrame:
    """Return the true positive rate over the false positive rate, from (0, 0) on."""
    false, true = _from_none(_shares(counts.negatives)), _from_none(_shares(counts.positives))
    at = false[0]
    without = np.array([np.interp(at, *pair) for pair in zip(false[1:], true[1:], strict=True)])
    ends = band(np.vstack([true[:1], without.reshape(-1, len(at))]), counts.clusters, fraction=True)
    beside = np.full(len(at), np.nan)
    if baseline is not None:
        shares = (_from_none(_shares(part))[0] for part in (baseline.negatives, baseline.positives))
        beside = np.interp(at, *shares)
    columns = [at, true[0], *ends, beside, np.append(np.nan, counts.scores)]
    return pd.DataFrame(np.column_stack(columns), columns=COLUMNS["roc"])


def precision_recall(counts: Counts, baseline: Counts | None) -> pd.DataFrame:
    """Return the precision over the recall, from (0, 1) on."""
    recall, precision = _shares(counts.positives), _precision(counts)
    without = [np.interp(recall[0], *pair) for pair in zip(recall[1:], precision[1:], strict=True)]
    curves = np.vstack([precision[:1], np.reshape(without, (-1, recall.shape[1]))])
    ends = band(curves, counts.clusters, fraction=True)
    beside = np.full(recall.shape[1], np.nan)
    if baseline is not None:
        beside = np.interp(recall[0], _shares(baseline.positives)[0], _precision(baseline)[0])
    columns = [recall[0], precision[0], *ends, beside, counts.scores]
    start = [0, 1, np.nan, np.nan, np.nan, np.nan]
    return pd.DataFrame(
        np.vstack([start, np.column_stack(columns)]), columns=COLUMNS["precision_recall"]
    )


def calibration(rows: Scored) -> pd.DataFrame:
    """Return the mean score and the observed rate in bins of equally many rows, lowest first.

    Rows of equal score share a bin.
    """
    bins = pd.qcut(rows.score, BINS, labels=False, duplicates="drop")
    bins = np.zeros(len(rows.score), int) if np.isnan(bins).all() else bins
    bins = np.unique(bins, return_inverse=True)[1]  # few rows leave bins empty
    rates = per_bin(rows.happened, rows.weight, bins, rows.groups)
    low, high = band(rates, effective_clusters(rows.groups.codes, rows.weight), fraction=True)
    curve = {
        "mean_score": per_bin(rows.score, rows.weight, bins, rows.groups)[0],
        "observed_rate": rates[0],
        "rows": np.bincount(bins),
        "observed_rate_low": low,
        "observed_rate_high": high,
    }
    return pd.DataFrame(curve)


def scores(rows: Scored) -> pd.DataFrame:
    """Return the weight of negative and positive rows by their score, in steps of 0.05."""
    bins = np.clip((rows.score * BARS).astype(int), 0, BARS - 1)
    ends = np.arange(BARS + 1) / BARS
    parts = [
        np.bincount(bins, rows.weight * part, minlength=BARS)
        for part in (1 - rows.happened, rows.happened)
    ]
    columns = [ends[:-1], ends[1:], *parts]
    return pd.DataFrame(np.column_stack(columns), columns=COLUMNS["scores"])


def confusion(predictions: pd.DataFrame) -> pd.DataFrame:
    """Return how many rows of each class were given each class."""
    pairs = predictions.groupby(["target", "prediction"]).size()
    return pairs.reset_index().set_axis(COLUMNS["confusion"], axis="columns")


def _shares(reached: np.ndarray) -> np.ndarray:
    """Return the share of the rows that is reached; missing where there are none."""
    total = reached[:, -1:]
    return np.divide(reached, total, out=np.full(reached.shape, np.nan), where=total > 0)


def _precision(counts: Counts) -> np.ndarray:
    acted = counts.positives + counts.negatives
    return np.divide(
        counts.positives, acted, out=np.full(acted.shape, np.nan), where=acted > 1e-9 * acted[:1]
    )


def _from_none(shares: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros((len(shares), 1)), shares], axis=1)


@dataclass(frozen=True)
class Counts:
    """The weight of the positive and of the negative rows whose score reaches each of some scores.

    `scores` fall. `positives`, `negatives`: a column per score; the first row is that of all rows,
    each other one that of the rows without one group. `clusters`: how many of them count.
    """

    scores: np.ndarray
    positives: np.ndarray
    negatives: np.ndarray
    clusters: float


def count_reaching(
    happened: np.ndarray,
    score: np.ndarray,
    weight: np.ndarray,
    groups: pd.Categorical,
    scores: np.ndarray,
) -> Counts:
    """Return what reaches each score; `scores` rise, and the first is the lowest of all."""
    place = np.searchsorted(scores, score, side="right") - 1
    size = len(scores)
    cell = groups.codes.astype(int) * size + place
    total = len(groups.categories) * size
    reached = [
        np.bincount(cell, part, minlength=total).reshape(-1, size)[:, ::-1].cumsum(axis=1)
        for part in (weight * happened, weight * (1 - happened))
    ]
    positives, negatives = (_whole_and_without(each, groups) for each in reached)
    return Counts(scores[::-1], positives, negatives, effective_clusters(groups.codes, weight))


def _whole_and_without(parts: np.ndarray, groups: pd.Categorical) -> np.ndarray:
    """Return the sum over groups, and below it that without each group that has rows."""
    whole = parts.sum(axis=0, keepdims=True)
    present = np.bincount(groups.codes, minlength=len(parts)) > 0
    return np.concatenate([whole, whole - parts[present]])


def per_bin(
    values: np.ndarray, weight: np.ndarray, bins: np.ndarray, groups: pd.Categorical
) -> np.ndarray:
    """Return the mean of the values in each bin: of all rows first, then without each group."""
    size = int(bins.max()) + 1
    cell = groups.codes.astype(int) * size + bins
    total = len(groups.categories) * size
    sums, weights = (
        _whole_and_without(np.bincount(cell, part, minlength=total).reshape(-1, size), groups)
        for part in (weight * values, weight)
    )
    # What is left of a bin after subtracting all its rows is rounding.
    left = weights > 1e-9 * weights[:1]
    return np.divide(sums, weights, out=np.full(sums.shape, np.nan), where=left)


def band(values: np.ndarray, clusters: float, *, fraction: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of each point's own 95 % interval; missing where there is none.

    `values`: a curve of all rows, then one without each group. Those of a `fraction` stay between
    0 and 1, by the log odds (delta method).
    """
    whole, deleted = values[0], values[1:]
    count = max(2.0, min(clusters, len(deleted)))
    reach = t_quantile((1 + LEVEL) / 2, count) * standard_errors(deleted.T)
    if not fraction:
        return whole - reach, whole + reach
    inside = (whole > 0) & (whole < 1) & ~np.isnan(reach)
    share = np.where(inside, whole, 0.5)
    middle = np.log(share / (1 - share))
    step = np.where(inside, reach, 0) / (share * (1 - share))
    with np.errstate(over="ignore"):
        low, high = (1 / (1 + np.exp(-(middle + sign * step))) for sign in (-1, 1))
    return np.where(inside, low, np.nan), np.where(inside, high, np.nan)
