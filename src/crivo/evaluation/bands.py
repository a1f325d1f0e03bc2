"""Bands around curves: how far each point moves when each cluster is left out in turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from crivo.evaluation.clusters import effective_clusters
from crivo.evaluation.intervals import LEVEL, t_quantile


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
    return Counts(scores[::-1], positives, negatives, effective_clusters(groups, weight))


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
    count = len(deleted)
    nothing = np.full(len(whole), np.nan)
    if count < 2:
        return nothing, nothing
    spread = deleted - deleted.mean(axis=0)
    se = np.sqrt((count - 1) / count * (spread**2).sum(axis=0))
    reach = t_quantile((1 + LEVEL) / 2, max(2.0, min(clusters, count))) * se
    if not fraction:
        return whole - reach, whole + reach
    inside = (whole > 0) & (whole < 1) & ~np.isnan(reach)
    share = np.where(inside, whole, 0.5)
    middle = np.log(share / (1 - share))
    step = np.where(inside, reach, 0) / (share * (1 - share))
    with np.errstate(over="ignore"):
        low, high = (1 / (1 + np.exp(-(middle + sign * step))) for sign in (-1, 1))
    return np.where(inside, low, np.nan), np.where(inside, high, np.nan)
