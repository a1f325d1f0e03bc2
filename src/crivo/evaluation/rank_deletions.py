"""The areas under the ROC and precision-recall curves without each cluster, for all at once.

The pairs of a positive and a negative row can be counted by cluster, and the average precision
needs sums between positive rows only. `codes` gives each row's cluster as a number below `count`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crivo.statistics.jackknife import sums_without

if TYPE_CHECKING:
    from crivo.evaluation.rows import Binary, Multiclass

# Tables of groups and equal scores are made in parts of so many cells.
MOST_CELLS = 1_000_000

# Stands in for a weight of 0 as a divisor.
TINY = 1e-300


def average_precision_without(rows: Binary, codes: np.ndarray, count: int) -> np.ndarray:
    """Return the average precision without each group.

    Only what stands at or above each positive row counts. Those weights are added up in the same
    order with and without a group, so that exactly nothing remains where there are no others.
    """
    found, positive = np.empty(count), rows.tie_positives > 0
    parts = int(positive.sum())
    sizes = np.diff(rows.tie_starts, append=len(codes))
    part: np.ndarray = np.repeat(np.cumsum(positive) - positive, sizes)
    down = int(np.searchsorted(part, parts))  # to the last positive row
    part, codes_down = part[:down], codes[:down].astype(np.intp)
    positives = rows.weight * rows.target
    for groups in np.array_split(np.arange(count), 1 + count * parts // MOST_CELLS):
        here = np.flatnonzero((codes_down >= groups[0]) & (codes_down <= groups[-1]))
        cells = (codes_down[here] - groups[0]) * parts + part[here]
        size = len(groups), parts
        seen, hits = (
            np.bincount(part, weight[:down], parts)
            - np.bincount(cells, weight[here], len(groups) * parts).reshape(size)
            for weight in (rows.weight, positives)
        )
        precision = np.maximum(np.cumsum(seen, axis=1), TINY)
        np.divide(np.cumsum(hits, axis=1), precision, out=precision)
        found[groups] = np.einsum("gi,gi->g", precision, hits)
    return found / sums_without(positives, codes, count)


def areas_without(rows: Binary, codes: np.ndarray, count: int) -> np.ndarray:
    """Return the area under the ROC curve without each group.

    Without a group, the pairs of all rows lose those of its positives, those of its negatives, and
    get back those of both, which were taken away twice.
    """
    positives, negatives = rows.weight * rows.target, rows.weight * rows.negative
    ties = np.diff(rows.tie_starts, append=len(codes))
    beaten = rows.cumulative_positives - rows.tie_positives / 2
    by_negative = negatives * np.repeat(beaten, ties)
    below = rows.tie_negatives.sum() - np.cumsum(rows.tie_negatives) + rows.tie_negatives / 2
    by_positive = positives * np.repeat(below, ties)
    lost = np.bincount(codes, by_negative + by_positive, minlength=count)
    within = _pairs_within(positives, negatives, np.repeat(np.arange(len(ties)), ties), codes)
    pairs = by_negative.sum() - lost + np.bincount(*within, minlength=count)
    left = sums_without(positives, codes, count) * sums_without(negatives, codes, count)
    return np.asarray(pairs / left)


def mean_area_without(rows: Multiclass, codes: np.ndarray, count: int) -> np.ndarray:
    """Return the mean area of each class against the others without each group."""
    areas = [areas_without(task, codes[task.order], count) for task in rows.one_against_rest]
    return np.asarray(np.mean(areas, axis=0))


def _pairs_within(
    positives: np.ndarray, negatives: np.ndarray, tie: np.ndarray, codes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return groups and the ordered pairs of each one's own rows, in parts that add up."""
    order = np.argsort(codes, kind="stable")
    group, tie = codes[order], tie[order]
    first = np.append(True, np.diff(group) != 0)
    starts = np.flatnonzero(first | np.append(True, np.diff(tie) != 0))
    won, lost = (np.add.reduceat(values[order], starts) for values in (positives, negatives))
    before = np.cumsum(won) - won
    begins = first[starts]
    since = before - np.repeat(before[begins], np.diff(np.append(np.flatnonzero(begins), len(won))))
    return group[starts], lost * (since + won / 2)
