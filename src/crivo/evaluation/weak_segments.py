"""Weak segments: rows, described by one or two features, with a higher loss than the others.

A tree of depth two finds them on half of the clusters, and the jackknife tests on the other half
whether they are really weak. If other rows of the same clusters confirmed them, a segment that had
only met bad days would usually look weak, too. With few clusters, eight are kept for the
confirmation, and fewer are searched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from crivo.core.inputs import texts_of
from crivo.evaluation.metrics import Metric
from crivo.evaluation.slices import MIN_CLUSTERS, MIN_ROWS, Slice, columns_of, slice_rows
from crivo.evaluation.tasks import Evaluated

DEPTH = 2
# The smallest number of searched clusters, and the smallest share of their rows in a segment.
SEEKING_CLUSTERS = 4
SMALLEST_SHARE = 0.02
# Losses are cut off at this many times the mean, so that the tree finds many rows instead of a few
# outliers.
LARGEST_LOSS = 20


def weak_segments(
    evaluated: Evaluated, metrics: Sequence[Metric], features: pd.DataFrame
) -> tuple[list[Slice], pd.DataFrame]:
    """Return the segments that seem to be weak, and a line for each.

    `features` are numbers, categories and text (which is left out), in the order of the
    predictions. With fewer than twelve clusters or without features, there are no segments. A
    segment is really weak if the verdict is `worse`. Rows, clusters, metrics and the difference of
    the loss are from the confirming clusters.
    """
    features = features.drop(columns=texts_of(features))
    groups, loss, found = evaluated.groups, evaluated.loss, list[Slice]()
    seeking = seeking_clusters(len(groups.categories))
    seeks = np.isin(groups.codes, seeking)
    if len(seeking) and features.shape[1]:
        found = suspects(features, evaluated.losses, groups, seeks)
    if not found:
        return [], pd.DataFrame(columns=columns_of(metrics))
    confirming = [replace(one, inside=one.inside[~seeks]) for one in found]
    measured = list({metric.name: metric for metric in (*metrics, loss)}.values())
    left = groups[~seeks].remove_unused_categories()
    table = slice_rows(confirming, evaluated.rows.only(~seeks), left, measured, loss)
    return found, table[columns_of(metrics)]


def seeking_clusters(count: int) -> np.ndarray:
    """Return the clusters to search, spread evenly: half of them, but eight must remain.

    >>> seeking_clusters(12), seeking_clusters(20)[:4], seeking_clusters(11)
    (array([ 1,  4,  7, 10]), array([1, 3, 5, 7]), array([], dtype=int64))
    """
    seeking = min(count // 2, count - MIN_CLUSTERS)
    some = np.arange(seeking if seeking >= SEEKING_CLUSTERS else 0)
    return ((some + 0.5) * count / seeking).astype(int)


def suspects(
    features: pd.DataFrame, losses: np.ndarray, groups: pd.Categorical, seeks: np.ndarray
) -> list[Slice]:
    """Return the nodes of a tree, grown on the rows that seek, whose loss is above the mean.

    Each cluster's mean is taken out of the losses first. What is the same for a whole cluster,
    such as a day's weather, would else lead the tree to the few clusters that had bad luck.
    """
    from sklearn.tree import DecisionTreeRegressor

    leaf = max(MIN_ROWS, int(SMALLEST_SHARE * seeks.sum()))
    capped = pd.Series(np.minimum(losses, LARGEST_LOSS * losses[seeks].mean()))
    excess = (capped - capped.groupby(groups.codes).transform("mean")).to_numpy()
    coded = [_code(features[name], excess, seeks) for name in features]
    codes = np.stack([one.codes[seeks] for one in coded], axis=1, dtype=np.float32)
    tree = DecisionTreeRegressor(max_depth=DEPTH, min_samples_leaf=leaf, random_state=0)
    return list(_nodes(tree.fit(codes, excess[seeks]).tree_, coded))


def _nodes(tree: Any, coded: Sequence[Coded]) -> Iterator[Slice]:
    """Give each node below the root with a loss above the mean, called by its rule."""
    # By node, from which code of a feature to which it goes; a node is before its children.
    ranges: dict[int, dict[int, tuple[int, int]]] = {0: {}}
    for node in range(tree.node_count):
        own = [(coded[feature], *ends) for feature, ends in ranges[node].items()]
        if own and tree.value[node, 0, 0] > 0:
            rule = " and ".join(one.words(low, high) for one, low, high in own)
            inside = [(low <= one.codes) & (one.codes <= high) for one, low, high in own]
            yield Slice(rule, "", np.logical_and.reduce(inside), "segment")
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left != right:
            feature, code = int(tree.feature[node]), int(np.floor(tree.threshold[node]))
            low, high = ranges[node].get(feature, (MISSING, HIGHEST))
            ranges[left] = ranges[node] | {feature: (low, min(high, code))}
            ranges[right] = ranges[node] | {feature: (max(low, code + 1), high)}


MISSING, HIGHEST = -1, 10**9  # the lowest code, and one above all others
BINS = 32
# A rule names so many categories at most.
MAX_NAMES = 5


@dataclass(frozen=True)
class Coded:
    """A feature as a code per row, -1 if it is missing, and the meaning of the codes.

    `ends`: of a number the highest value of each bin but the last; `levels`: of a category the
    names.
    """

    name: str
    codes: np.ndarray
    ends: Sequence[float] = ()
    levels: Sequence[str] | None = None

    def words(self, low: int, high: int) -> str:
        """Return in words which values have the codes from `low` to `high`."""
        if high == MISSING:
            return f"{self.name} is missing"
        missing = " or missing" if low == MISSING and (self.codes == MISSING).any() else ""
        if self.levels is not None:
            names = sorted(self.levels[max(low, 0) : high + 1])
            more = [f"{len(names) - MAX_NAMES} more"] if len(names) > MAX_NAMES else []
            return f"{self.name} = {' or '.join(names[:MAX_NAMES] + more)}{missing}"
        above = [f"> {self.ends[low - 1]:.6g}"] if low > 0 else []
        below = [f"<= {self.ends[high]:.6g}"] if high < len(self.ends) else []
        return f"{self.name} {' and '.join(above + below) or 'is known'}{missing}"


def _code(values: pd.Series, losses: np.ndarray, seeks: np.ndarray) -> Coded:
    """Return a feature as codes, which depend only on the searched rows.

    A number by bins of equally many rows, a category by its mean loss; one that none of these rows
    has comes last.
    """
    name = str(values.name)
    if is_numeric_dtype(values.dtype):
        numbers = values.to_numpy(float, na_value=np.nan)
        seen = numbers[seeks & ~np.isnan(numbers)]
        steps = np.arange(1, BINS) / BINS
        ends = np.unique(np.quantile(seen, steps, method="lower")) if len(seen) else seen
        codes = np.where(np.isnan(numbers), MISSING, np.searchsorted(ends, numbers))
        return Coded(name, codes, ends.tolist())
    codes, found = pd.factorize(values)
    means = pd.Series(losses[seeks]).groupby(codes[seeks]).mean().reindex(range(len(found)))
    levels = pd.Index(found).astype("str")
    order = np.lexsort((levels.to_numpy(str), means.fillna(np.inf)))
    place = np.append(np.argsort(order), MISSING)  # the last: missing
    return Coded(name, place[codes], levels=levels[order].tolist())
