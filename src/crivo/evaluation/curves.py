"""The data of the plots: ROC, precision-recall, calibration, confusion; small tables."""

from __future__ import annotations

import numpy as np
import pandas as pd

# Points of a curve: more would not show.
POINTS = 200
BINS = 10

COLUMNS = {
    "roc": ["false_positive_rate", "true_positive_rate"],
    "precision_recall": ["recall", "precision"],
    "calibration": ["mean_score", "observed_rate", "rows"],
    "confusion": ["actual", "predicted", "rows"],
}


def roc(happened: np.ndarray, score: np.ndarray, weight: np.ndarray) -> pd.DataFrame:
    """Return the true positive rate over the false positive rate."""
    from sklearn.metrics import roc_curve

    false, true, _ = roc_curve(happened, score, sample_weight=weight)
    return _thinned(pd.DataFrame(np.column_stack((false, true)), columns=COLUMNS["roc"]))


def precision_recall(happened: np.ndarray, score: np.ndarray, weight: np.ndarray) -> pd.DataFrame:
    """Return the precision over the recall."""
    from sklearn.metrics import precision_recall_curve

    precision, recall, _ = precision_recall_curve(happened, score, sample_weight=weight)
    points = np.column_stack((recall, precision))[::-1]
    return _thinned(pd.DataFrame(points, columns=COLUMNS["precision_recall"]))


def calibration(happened: np.ndarray, score: np.ndarray, weight: np.ndarray) -> pd.DataFrame:
    """Return the mean score and the observed rate in bins of equally many rows, lowest first.

    Rows of equal score share a bin.
    """
    bins = pd.qcut(score, BINS, labels=False, duplicates="drop")
    bins = np.zeros(len(score), int) if np.isnan(bins).all() else bins
    rows = np.bincount(bins)
    filled = rows > 0  # few rows leave bins empty
    total = np.bincount(bins, weight)[filled]
    curve = {
        "mean_score": np.bincount(bins, weight * score)[filled] / total,
        "observed_rate": np.bincount(bins, weight * happened)[filled] / total,
        "rows": rows[filled],
    }
    return pd.DataFrame(curve)


def confusion(predictions: pd.DataFrame) -> pd.DataFrame:
    """Return how many rows of each class were given each class."""
    pairs = predictions.groupby(["target", "prediction"]).size()
    return pairs.reset_index().set_axis(COLUMNS["confusion"], axis="columns")


def _thinned(curve: pd.DataFrame) -> pd.DataFrame:
    chosen = np.linspace(0, len(curve) - 1, min(POINTS, len(curve))).astype(int)
    return curve.iloc[chosen].reset_index(drop=True)
