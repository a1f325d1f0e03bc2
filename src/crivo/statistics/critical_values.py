"""Critical values of simultaneous intervals for several candidates (max-T)."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from crivo.statistics.intervals import LEVEL, Estimate, t_quantile
from crivo.statistics.max_t import root_of, wishart_roots

# Draws of the greatest |T|: fewer where many candidates make each of them dear. They are made
# in batches, which bound the memory.
DRAWS, MIN_DRAWS, MAX_BINS, BATCH = 40_000, 3_000, 40_000_000, 250


def critical_value(
    differences: np.ndarray,
    seed: int = 0,
    *,
    effective: float | None = None,
    level: float = LEVEL,
    upper: bool = False,
) -> float:
    """Return how many standard errors an interval must reach when there are many candidates.

    `differences`: shape (G, candidates), in any unit for each. The 95 % quantile of the
    greatest |T| of candidates with the same correlation (Dunnett 1955; Hothorn, Bretz &
    Westfall 2008), each T with a standard error of its own, as the intervals have. One error
    common to all, as in a multivariate t, would be too narrow with few clusters. Candidates
    without any difference don't count. For one candidate it is the quantile of t. `effective`:
    the effective clusters, where they aren't all equal. `upper`: of the greatest T, not |T|.
    """
    clusters = Estimate(0.0, np.zeros(len(differences)), effective).clusters
    single = t_quantile(level if upper else (1 + level) / 2, clusters)
    known = np.ascontiguousarray(differences[:, ~np.isnan(differences).any(axis=0)].T)
    spread = (known - known.mean(axis=1, keepdims=True)).T
    length = np.sqrt((spread**2).sum(axis=0))
    unit = spread[:, length > 0] / length[length > 0]
    if unit.shape[1] < 2:
        return single
    # Sorted, because the candidates' order is no matter; rounded, so that ties stay ties.
    root = root_of(unit[:, np.lexsort(np.round(unit, 9))])
    greatest = _greatest(root, clusters - 1, np.random.default_rng(seed), upper)
    return max(single, float(np.quantile(greatest, level)))


class Critical(NamedTuple):
    """A critical value, and the clusters whose degrees of freedom it is for."""

    value: float
    clusters: float

    def for_clusters(self, clusters: float) -> float:
        """Return the critical value of the same level where other clusters count."""
        if clusters == self.clusters:
            return self.value
        return float(stdtrit(clusters - 1, stdtr(self.clusters - 1, self.value)))


def _greatest(
    root: np.ndarray, freedom: float, random: np.random.Generator, upper: bool
) -> np.ndarray:
    """Return draws of the greatest |T|, or T (`upper`), of candidates with a root's correlation."""
    size = len(root)
    draws = min(DRAWS, max(MIN_DRAWS, MAX_BINS // root.size))
    maxima = []
    for start in range(0, draws, BATCH):
        count = min(BATCH, draws - start)
        squares = _squares(root, freedom, count, random)
        drawn = (random.standard_normal((count, size)) @ root) / np.sqrt(squares / freedom)
        maxima.append((drawn if upper else np.abs(drawn)).max(axis=1))
    return np.concatenate(maxima)


def _squares(
    root: np.ndarray, freedom: float, count: int, random: np.random.Generator
) -> np.ndarray:
    """Return draws of the sums of squares of correlated candidates: a Wishart matrix's diagonal.

    With fewer degrees of freedom than candidates, by the squares themselves; the last of them
    counts in part.
    """
    size = len(root)
    if freedom <= size - 1:
        part = np.ones(ceil(freedom))
        part[-1] = freedom - len(part) + 1
        drawn = random.standard_normal((count, len(part), size)) @ root
        return np.einsum("k,nkj->nj", part, drawn**2)
    drawn = root.T @ wishart_roots(np.empty((count, size, size)), freedom, random)
    return np.einsum("nik,nik->ni", drawn, drawn)
