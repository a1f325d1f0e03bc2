"""The data of the plots: ROC, precision-recall, calibration, scores, confusion; small tables.

The first columns are the curve; then come the ends of its points' 95 % intervals, the baseline's
curve and the score from which on rows are counted, as far as the plot has them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from crivo.evaluation.bands import Counts, band, count_reaching, per_bin
from crivo.evaluation.clusters import effective_clusters

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
    low, high = band(rates, effective_clusters(rows.groups, rows.weight), fraction=True)
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
