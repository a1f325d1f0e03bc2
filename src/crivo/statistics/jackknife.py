"""The jackknife by clusters: sums and ratios without each cluster, and standard errors.

Tukey 1958 and Efron & Stein 1981; by clusters, MacKinnon, Nielsen & Webb 2023
(arXiv:2301.04527). `codes` gives each row's cluster as a number from 0 to G - 1. A `Statistic`,
such as a `Ratio`, has a formula for its values without each cluster.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt

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


class NotDefined(Exception):
    """Raised if a metric isn't defined on these rows; the message says why."""


class Statistic(ABC):
    """A metric's value on weighted rows that has a formula for its values without each cluster."""

    most: float = inf  # the greatest value that these rows allow

    @abstractmethod
    def __float__(self) -> float:
        """Return the value; NotDefined where there is none."""

    @abstractmethod
    def without(self, codes: np.ndarray, groups: int) -> np.ndarray:
        """Return the value without each cluster (shape (groups,)), NaN where nothing is left.

        `codes`: each row's cluster as a number below `groups`.
        """

    @property
    def parts(self) -> Sequence[np.ndarray]:
        """The rows' weights in the sum that it divides by; none where that is pairs of classes."""
        return ()


@dataclass(frozen=True, eq=False)
class Ratio(Statistic):
    """A metric's value that is a ratio of two sums over the rows, such as a weighted mean.

    `above`, `below`: what each row adds to either sum, its weight included; `reason`: why there
    is no value where nothing is below; `root`: the value is the ratio's square root; `among`: the
    weights of the rows that it is a share of, if these aren't what is below; `most`: the greatest
    value that these rows allow.
    """

    above: np.ndarray
    below: np.ndarray
    reason: str = "it would divide by 0"
    root: bool = False
    among: np.ndarray | None = None
    most: float = inf

    def __float__(self) -> float:
        """Return the value; NotDefined where it would divide by 0."""
        below = float(self.below.sum())
        if not below > 0:
            raise NotDefined(self.reason)
        value = float(self.above.sum()) / below
        return sqrt(value) if self.root else value

    def without(self, codes: np.ndarray, groups: int) -> np.ndarray:
        """Return the value without each cluster."""
        found = ratios_without(self.above, self.below, codes, groups)
        return np.sqrt(np.maximum(found, 0)) if self.root else found

    @property
    def parts(self) -> Sequence[np.ndarray]:
        """The weights of the rows that it is a share of."""
        return [self.below if self.among is None else self.among]
