"""The jackknife by clusters: sums and ratios without each cluster, standard errors, covariances.

Tukey 1958 and Efron & Stein 1981; by clusters, MacKinnon, Nielsen & Webb 2023
(arXiv:2301.04527). `codes` gives each row's cluster as a number from 0 to G - 1.
"""

from __future__ import annotations

import numpy as np

# Without a cluster, so much of the weight must remain: the difference of two sums that are almost
# equal has few correct digits.
LEAST = 1e-6


def standard_errors(deleted: np.ndarray) -> np.ndarray:
    """Return the jackknife's standard errors; missing below two clusters or with a gap.

    `deleted`: shape (..., G); the result has the shape of what stands before G. It is the root of
    (G - 1) / G Σ (deleted - their mean)² (Tukey 1958; Efron & Stein 1981).
    """
    count = deleted.shape[-1]
    if count < 2:
        return np.full(deleted.shape[:-1], np.nan)
    # Each estimate's values lie together in memory, so that their sum is that of them alone.
    deleted = np.ascontiguousarray(deleted, dtype=float)
    spread = deleted - deleted.mean(axis=-1, keepdims=True)
    return np.asarray(np.sqrt((count - 1) / count * (spread**2).sum(axis=-1)))


def standard_error(deleted: np.ndarray) -> float:
    """Return the jackknife's standard error of one estimate; `deleted`: shape (G,)."""
    return float(standard_errors(deleted))


def covariances(deleted: np.ndarray) -> np.ndarray:
    """Return the jackknife's covariances of several estimates; missing below two clusters.

    `deleted`: shape (estimates, G); the result: (estimates, estimates), in squared units.
    """
    count = deleted.shape[1]
    if count < 2:
        return np.full((len(deleted), len(deleted)), np.nan)
    spread = deleted - deleted.mean(axis=1, keepdims=True)
    return np.asarray((count - 1) / count * spread @ spread.T)


def sums_without(values: np.ndarray, codes: np.ndarray, groups: int) -> np.ndarray:
    """Return the sum of rows' values, none below 0, without each cluster; `values`: shape (rows,).

    Shape (groups,), in the unit of the values; NaN where almost nothing is left.
    """
    total = values.sum()
    left = total - np.bincount(codes, values, minlength=groups)
    return np.where(left > LEAST * total, left, np.nan)


def ratios_without(
    above: np.ndarray, below: np.ndarray, codes: np.ndarray, groups: int
) -> np.ndarray:
    """Return a ratio of two sums over the rows without each cluster; a weighted mean is one.

    `above`, `below`: shape (rows,), none of `below` less than 0. Shape (groups,); NaN where almost
    nothing is left to divide by.
    """
    sums = np.bincount(codes, above, minlength=groups)
    return np.asarray((sums.sum() - sums) / sums_without(below, codes, groups))


def effective_clusters(codes: np.ndarray, weight: np.ndarray) -> float:
    """Return how many equal clusters would say as much as these; 0 without any weight.

    One over the sum of the squared shares (Kish 1965; Carter, Schnepel & Steigerwald 2017). A
    cluster's share is its part of the weight. Where single rows weigh much it is its part of the
    squared weights, if these leave fewer. `codes`, `weight`: shape (rows,).

    >>> effective_clusters(np.array([0, 0, 0, 0, 1]), np.ones(5))
    1.4705882352941178
    """
    found = []
    for values in (weight, weight**2):
        parts = np.bincount(codes, values)
        squares = float((parts**2).sum())
        found.append(float(parts.sum()) ** 2 / squares if squares > 0 else 0.0)
    return min(found)
