"""Weak segments: where, by one or two features, the loss is higher than elsewhere.

A tree of depth two seeks them on half of the clusters, and the jackknife says on the other half
whether they are weak indeed. Confirmed on other rows of the same clusters, a segment that just
met bad days would look weak in most worlds that have none. With few clusters eight are kept
for the confirmation and fewer seek.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from crivo.core.inputs import texts_of
from crivo.evaluation.evaluated import Evaluated
from crivo.evaluation.metrics import Metric
from crivo.evaluation.slices import MIN_CLUSTERS, MIN_ROWS, Slice, columns_of, slice_rows
from crivo.evaluation.weighting import only

DEPTH = 2
# So many clusters at least must seek; and a segment holds this share of their rows.
SEEKING_CLUSTERS = 4
SMALLEST_SHARE = 0.02
# A loss of more than this many times the mean counts as that: the tree is after many rows, not
# after a few wild ones.
LARGEST_LOSS = 20


class Suspects(NamedTuple):
    """Segments that some clusters suspect to be weak, and which rows sought them."""

    segments: list[Slice]
    seeks: np.ndarray


def weak_segments(
    evaluated: Evaluated,
    features: pd.DataFrame,
    metrics: Sequence[Metric],
    suspected: Suspects | None = None,
) -> pd.DataFrame:
    """Return a line per suspected segment; it is weak indeed where the verdict is `worse`.

    `features` are numbers, categories and text, which is left out, in the order of the predictions.
    Rows, clusters, metrics and the difference of the loss are those of the confirming clusters. No
    lines where there are fewer than twelve clusters or no features. `suspected`: what
    `find_suspects` gave, where it has been asked already.
    """
    found = suspected or find_suspects(evaluated, features)
    if not found.segments:
        return pd.DataFrame(columns=columns_of(metrics))
    confirms = ~found.seeks
    confirming = [replace(one, inside=one.inside[confirms]) for one in found.segments]
    loss = evaluated.loss
    measured = list({metric.name: metric for metric in (*metrics, loss)}.values())
    left = evaluated.groups[confirms].remove_unused_categories()
    rows = only(evaluated.rows, confirms)
    table = slice_rows(confirming, rows, left, measured, loss)
    return table[columns_of(metrics)]


def find_suspects(evaluated: Evaluated, features: pd.DataFrame) -> Suspects:
    """Return the segments that half of the clusters suspect to be weak."""
    features = features.drop(columns=texts_of(features))
    groups = evaluated.groups
    seeking = seeking_clusters(len(groups.categories))
    seeks = np.isin(groups.codes, seeking)
    if not len(seeking) or not features.shape[1]:
        return Suspects([], seeks)
    return Suspects(suspects(features, evaluated.losses, groups, seeks), seeks)


def seeking_clusters(count: int) -> np.ndarray:
    """Return the clusters that seek, spread evenly: half of them, but eight must remain.

    >>> seeking_clusters(12), seeking_clusters(20)[:4], seeking_clusters(11)
    (array([ 1,  4,  7, 10]), array([1, 3, 5, 7]), array([], dtype=int64))
    """
    seeking = count - max(MIN_CLUSTERS, count - count // 2)
    if seeking < SEEKING_CLUSTERS:
        return np.arange(0)
    return ((np.arange(seeking) + 0.5) * count / seeking).astype(int)


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
    bins = bin_features(features, excess, seeks)
    tree = DecisionTreeRegressor(max_depth=DEPTH, min_samples_leaf=leaf, random_state=0)
    tree.fit(bins.codes, excess[seeks])
    return [
        Slice(_rule(path, bins), "", _inside(path, bins), "segment")
        for node, path in _nodes(tree.tree_)
        if path and tree.tree_.value[node, 0, 0] > 0
    ]


# A step on the way to a node: the feature's number, up to which code, and whether below it.
Step = tuple[int, int, bool]


def _nodes(tree: Any, node: int = 0, path: tuple[Step, ...] = ()) -> Iterator[tuple[int, Any]]:
    """Give each node with the steps that lead to it."""
    yield node, path
    if tree.children_left[node] != tree.children_right[node]:
        split = int(tree.feature[node]), int(np.floor(tree.threshold[node]))
        yield from _nodes(tree, tree.children_left[node], (*path, (*split, True)))
        yield from _nodes(tree, tree.children_right[node], (*path, (*split, False)))


def _inside(path: Sequence[Step], bins: Bins) -> np.ndarray:
    """Return which rows the steps lead to the node."""
    return np.logical_and.reduce(
        [bins.up_to(feature, code) == below for feature, code, below in path]
    )


def _rule(path: Sequence[Step], bins: Bins) -> str:
    """Return the steps in words, one part for each feature."""
    ranges: dict[int, tuple[int, int]] = {}
    for feature, code, below in path:
        low, high = ranges.get(feature, (-1, bins.highest(feature)))
        ranges[feature] = (low, min(high, code)) if below else (max(low, code + 1), high)
    return " and ".join(bins.words(feature, *ends) for feature, ends in ranges.items())


MISSING = -1
BINS = 32
# A rule names so many categories at most.
MAX_NAMES = 5


@dataclass(frozen=True)
class Bins:
    """Coded features, and what the codes of each mean.

    `codes` has a row per row that seeks and a column per feature. `meanings` holds for each
    feature the upper ends of its bins (numbers) or the names of its categories (text).
    """

    features: pd.DataFrame
    codes: np.ndarray
    meanings: tuple[np.ndarray | tuple[str, ...], ...]

    def up_to(self, feature: int, code: int) -> np.ndarray:
        """Return which of all rows have at most this code."""
        values, meaning = self.features.iloc[:, feature], self.meanings[feature]
        if isinstance(meaning, tuple):
            codes, names = _named(values)
            return np.append(~names.isin(meaning[code + 1 :]), True)[codes]
        numbers = _numbers(values)
        return np.isnan(numbers) if code == MISSING else ~(numbers > meaning[code])

    def has_gaps(self, feature: int) -> bool:
        """Return whether some values of a feature are missing."""
        return bool(self.features.iloc[:, feature].isna().any())

    def highest(self, feature: int) -> int:
        """Return the highest code of a feature."""
        meaning = self.meanings[feature]
        return len(meaning) - isinstance(meaning, tuple)

    def words(self, feature: int, low: int, high: int) -> str:
        """Return which values have the codes from `low` to `high`."""
        name, meaning = self.features.columns[feature], self.meanings[feature]
        if high == MISSING:
            return f"{name} is missing"
        missing = " or missing" if low == MISSING and self.has_gaps(feature) else ""
        if isinstance(meaning, tuple):
            return f"{name} = {_some(sorted(meaning[max(low, 0) : high + 1]))}{missing}"
        parts = []
        if low > 0:
            parts.append(f"> {meaning[low - 1]:.6g}")
        if high < len(meaning):
            parts.append(f"<= {meaning[high]:.6g}")
        return f"{name} {' and '.join(parts) or 'is known'}{missing}"


def bin_features(features: pd.DataFrame, losses: np.ndarray, seeks: np.ndarray) -> Bins:
    """Return the features coded by what the rows that seek look like."""
    codes = np.empty((int(seeks.sum()), features.shape[1]), dtype=np.float32, order="F")
    meanings: list[np.ndarray | tuple[str, ...]] = []
    for column, name in enumerate(features):
        values = features[name]
        meaning: np.ndarray | tuple[str, ...]
        if is_numeric_dtype(values.dtype):
            column_codes, meaning = _bin_number(_numbers(values)[seeks])
        else:
            column_codes, meaning = _rank_category(values, losses, seeks)
        codes[:, column] = column_codes
        meanings.append(meaning)
    return Bins(features, codes, tuple(meanings))


def _numbers(values: pd.Series) -> np.ndarray:
    return values.to_numpy(float, na_value=np.nan)


def _named(values: pd.Series) -> tuple[np.ndarray, pd.Index]:
    """Return each row's place among the names of the categories, -1 where it is missing."""
    codes, found = pd.factorize(values)
    return codes, pd.Index(found).astype("str")


def _bin_number(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bin of each value, and the highest value of each bin but the last."""
    known = ~np.isnan(values)
    seen = values[known]
    if not len(seen):
        return np.where(known, 0, MISSING), seen
    places = (len(seen) - 1) * np.arange(1, BINS) // BINS
    ends = np.unique(np.sort(seen)[places])
    codes = np.zeros(len(values), dtype=np.int8)
    for end in ends:  # a search for each value takes five times as long
        codes += values > end
    return np.where(known, codes, MISSING), ends


def _rank_category(
    values: pd.Series, losses: np.ndarray, seeks: np.ndarray
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the place of each row that seeks by its category's mean loss.

    A category that none of them has comes last.
    """
    codes, names = _named(values)
    seen = seeks & (codes >= 0)
    counts = np.bincount(codes[seen], minlength=len(names))
    total = np.bincount(codes[seen], losses[seen], minlength=len(names))
    mean = np.divide(total, counts, out=np.full(len(names), np.inf), where=counts > 0)
    order = np.lexsort((np.asarray(names, dtype=str), mean))
    place = np.append(np.argsort(order), MISSING)
    return place[codes[seeks]], tuple(str(name) for name in names[order])


def _some(names: Sequence[str]) -> str:
    if len(names) <= MAX_NAMES:
        return " or ".join(names)
    return f"{' or '.join(names[:MAX_NAMES])} or {len(names) - MAX_NAMES} more"
