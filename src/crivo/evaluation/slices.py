"""Metrics by slice: how well the model does on the rows with one value of a column, and elsewhere.

A slice is compared if it has 100 rows in 8 clusters; smaller slices are listed but not ranked. The
intervals of the differences are widened for the number of slices that are compared (max-T, as in
`max_t`); the intervals of a slice's own metrics are the usual ones. The degrees of freedom are
those of the slice's own clusters, no matter how many the whole table has.

Weak segments are slices that are found: rows, described by one or two features, with a higher loss
than the others. A tree of depth two finds them on half of the clusters, and the jackknife tests on
the other half whether they are really weak. If other rows of the same clusters confirmed them, a
segment that had only met bad days would usually look weak, too. With few clusters, eight are kept
for the confirmation, and fewer are searched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from crivo.core.inputs import texts_of
from crivo.evaluation.jackknife import measure_without_each
from crivo.evaluation.metrics import Metric, metrics_of
from crivo.evaluation.rows import Rows
from crivo.evaluation.tasks import Evaluated
from crivo.statistics.intervals import Estimate, difference, interval, verdict
from crivo.statistics.max_t import critical_value, for_clusters

MIN_ROWS = 100
MIN_CLUSTERS = 8

# A number with more distinct values than this is cut into bins with equal numbers of rows.
MAX_BINS = 10
BINS = 4
# If a column has more values than this, only the most frequent ones form slices of their own.
MAX_VALUES = 20

FIRST = ["slice", "kind", "column", "rows", "clusters", "status"]
LAST = ["judged_by", "difference", "difference_low", "difference_high", "verdict"]
JUDGED, WHOLE = "judged", "all"


@dataclass(frozen=True)
class Slice:
    """Some of the rows: their name, the column that defines them, and a mark per row."""

    name: str
    column: str
    inside: np.ndarray
    kind: str = "column"


def slice_table(
    evaluated: Evaluated, metrics: Sequence[Metric], slices: Iterable[Slice]
) -> pd.DataFrame:
    """Return a line for all rows and one per slice.

    The first metric is the judge: `difference` is its value on the slice minus its value on the
    other rows. Within each column, the worst slice comes first.
    """
    everything = Slice("all rows", "", np.ones(len(evaluated.predictions), dtype=bool), "all")
    chosen = [everything, *slices]
    own = evaluated.rows, evaluated.groups, evaluated.units
    return slice_rows(chosen, *own, metrics, metrics[0])


def columns_of(metrics: Sequence[Metric]) -> list[str]:
    """Return the columns of a table of slices."""
    values = [f"{metric.name}{end}" for metric in metrics for end in ("", "_low", "_high")]
    return [*FIRST, *values, *LAST]


def column_slices(predictions: pd.DataFrame) -> Iterator[Slice]:
    """Give the slices of each `slice_` column: its values or bins of numbers, and gaps."""
    for name in predictions:
        if str(name).startswith("slice_"):
            yield from _slices(predictions[name], str(name).removeprefix("slice_"))


def _slices(values: pd.Series, column: str) -> Iterator[Slice]:
    labels = _labels(values)
    codes, names = pd.factorize(labels)
    counts = np.bincount(codes[codes >= 0])
    order = np.argsort(-counts, kind="stable")
    for code in order[:MAX_VALUES]:
        yield Slice(f"{column} = {names[code]}", column, codes == code)
    if len(order) > MAX_VALUES:
        further_rows = np.isin(codes, order[MAX_VALUES:])
        yield Slice(f"{column}: {len(order) - MAX_VALUES} further values", column, further_rows)
    if (codes < 0).any():
        yield Slice(f"{column} is missing", column, codes < 0)


def _labels(values: pd.Series) -> pd.Series:
    """Return each row's value as text; for a number with many values, its bin."""
    ordered = is_numeric_dtype(values.dtype) or is_datetime64_any_dtype(values.dtype)
    if not ordered or values.nunique() <= MAX_BINS:
        return values.astype("str").where(values.notna())
    bins = pd.qcut(values, BINS, labels=False, duplicates="drop")
    ends, known = values.groupby(bins).agg(["min", "max"]), np.unique(values.dropna().to_numpy())
    names = {
        index: f"{_limit(low, known, ROUND_FLOOR)} to {_limit(high, known)}"
        for index, low, high in ends.itertuples()
    }
    return bins.map(names)


def _limit(value: Any, known: np.ndarray, way: str = ROUND_CEILING, digits: int = 6) -> str:
    """Return a limit in words, a number with so many digits that it selects the same known ones.

    `known` is sorted. Whole numbers aren't rounded, others to no fewer than `digits`.
    """
    if not isinstance(value, int | float):
        return str(value).removesuffix(" 00:00:00")
    side: Any = "right" if way == ROUND_CEILING else "left"
    exact = float(value)
    tried = range(digits, 17 if not exact.is_integer() else digits)
    rounded = (float(Context(most, way).create_decimal(repr(exact))) for most in tried)
    same = (one for one in rounded if not np.ptp(np.searchsorted(known, (exact, one), side)))
    text = repr(next(same, exact)).removesuffix(".0")
    return (f"{exact:.0f}" if "e+" in text else text).replace("-", "−")


def slice_rows(
    slices: Sequence[Slice],
    rows: Rows,
    groups: pd.Categorical,
    units: np.ndarray,
    metrics: Sequence[Metric],
    judged_by: Metric,
) -> pd.DataFrame:
    """Return a line per slice: its size, metrics with intervals, and its difference from the rest.

    `groups`, one for each row of the predictions table, are left out in turn; `units` are its
    independent parts. `judged_by` is the metric of the difference.
    """
    columns, lines = columns_of(metrics), list[dict[str, Any]]()
    measured = list({metric.name: metric for metric in (*metrics, judged_by)}.values())
    gaps: dict[int, Estimate] = {}
    for place, about in enumerate(slices):
        size, clusters = size_of(about.inside, groups)
        status = WHOLE if about.kind == WHOLE else too_small(size, clusters) or JUDGED
        known = [about.name, about.kind, about.column, size, clusters, status]
        line: dict[str, Any] = dict.fromkeys(columns, np.nan) | {"judged_by": "", "verdict": ""}
        line |= dict(zip(FIRST, known, strict=True))
        lines.append(line)
        if status not in (WHOLE, JUDGED):
            continue
        table, inside = rows.only(about.inside), about.inside
        own = measure_without_each(table, groups[inside], measured, units[inside])
        for metric in metrics:
            value, _, low, high = own.limits(metric)
            line |= _with_ends(metric.name, value, low, high)
        gap = _gap(about, own.estimate(judged_by), rows, groups, units, judged_by)
        if gap is not None:
            gaps[place] = gap
    if gaps:
        critical = critical_value(np.column_stack([gap.deleted for gap in gaps.values()]))
    for place, gap in gaps.items():
        reach = for_clusters(critical, len(gap.deleted), gap.clusters)
        limits = interval(gap, critical=reach)
        lines[place] |= _with_ends("difference", gap.value, limits.low, limits.high)
        lines[place] |= {"judged_by": judged_by.name, "verdict": verdict(limits, judged_by)}
    return _worst_first(pd.DataFrame(lines, columns=columns), judged_by)


def _with_ends(name: str, value: float, low: float, high: float) -> dict[str, Any]:
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def size_of(inside: np.ndarray, groups: pd.Categorical) -> tuple[int, int]:
    """Return the number of rows, and of groups with such rows."""
    return int(inside.sum()), int((np.bincount(groups.codes[inside]) > 0).sum())


def _gap(
    about: Slice,
    own: Estimate,
    rows: Rows,
    groups: pd.Categorical,
    units: np.ndarray,
    judged_by: Metric,
) -> Estimate | None:
    """Return a metric on a slice minus that on the other rows; None if one isn't defined."""
    rest = ~about.inside
    if too_small(*size_of(rest, groups)):
        return None
    found = measure_without_each(rows.only(rest), groups[rest], [judged_by], units[rest])
    gap = difference(judged_by, own, found.estimate(judged_by))
    return None if np.isnan(gap.value) or np.isnan(gap.deleted).any() else gap


def too_small(rows: int, clusters: int) -> str:
    """Return why a slice is too small to be compared, or an empty text."""
    if rows < MIN_ROWS:
        return f"too small: at least {MIN_ROWS} rows are needed"
    if clusters < MIN_CLUSTERS:
        return f"too small: at least {MIN_CLUSTERS} clusters are needed"
    return ""


def _worst_first(table: pd.DataFrame, judged_by: Metric) -> pd.DataFrame:
    """Sort the slices of each column: the compared ones by their difference, then the others."""
    gap = table["difference"].to_numpy(float)
    worse = gap if judged_by.direction == "higher" else -gap
    names = table["slice"].to_numpy(str)  # `x: 3 further values` is after `x = …`
    order = np.lexsort((names, worse, pd.factorize(table["column"])[0]))
    return table.iloc[order].reset_index(drop=True)


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
    groups, found = evaluated.groups, list[Slice]()
    seeking = seeking_clusters(len(groups.categories))
    seeks = np.isin(groups.codes, seeking)
    if len(seeking) and features.shape[1]:
        found = suspects(features, evaluated.losses, groups, seeks)
    if not found:
        return [], pd.DataFrame(columns=columns_of(metrics))
    confirming = [replace(one, inside=one.inside[~seeks]) for one in found]
    left = groups[~seeks].remove_unused_categories()
    loss = metrics_of(evaluated.context.task)[evaluated.rows.loss_metric]
    own = evaluated.rows.only(~seeks), left, evaluated.units[~seeks]
    return found, slice_rows(confirming, *own, metrics, loss)


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
            parts = [one.words(low, high) for one, low, high in own]
            if len(parts) > 1:
                parts = [f"({part})" if " or " in part else part for part in parts]
            rule = " and ".join(parts)
            inside = [(low <= one.codes) & (one.codes <= high) for one, low, high in own]
            yield Slice(rule, "", np.logical_and.reduce(inside), "segment")
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left != right:
            feature, code = int(tree.feature[node]), int(np.floor(tree.threshold[node]))
            low, high = ranges[node].get(feature, (MISSING, HIGHEST))
            ranges[left] = ranges[node] | {feature: (low, min(high, code))}
            ranges[right] = ranges[node] | {feature: (max(low, code + 1), high)}


MISSING, HIGHEST = -1, 10**9  # the lowest code, and one above all others
TREE_BINS = 32
# A rule names so many categories at most.
MAX_NAMES = 5


@dataclass(frozen=True)
class Coded:
    """A feature as a code per row, -1 if it is missing, and the meaning of the codes.

    `ends`: of a number the limit of each bin but the last; `levels`: of a category the names.
    """

    values: pd.Series
    codes: np.ndarray
    ends: Sequence[float] = ()
    levels: Sequence[str] | None = None

    def words(self, low: int, high: int) -> str:
        """Return in words which values have the codes from `low` to `high`."""
        name = self.values.name
        if high == MISSING:
            return f"{name} is missing"
        missing = " or missing" if low == MISSING and (self.codes == MISSING).any() else ""
        if self.levels is not None:
            names = sorted(self.levels[max(low, 0) : high + 1])
            more = [f"{len(names) - MAX_NAMES} more"] if len(names) > MAX_NAMES else []
            return f"{name} = {' or '.join(names[:MAX_NAMES] + more)}{missing}"
        known = np.unique(self.values.dropna().to_numpy(float))
        ends = self.ends[max(low - 1, 0) : high + 1]
        said = [_limit(end, known, digits=3) for end in ends]
        above = [f"> {said[0]}"] if low > 0 else []
        below = [f"≤ {said[-1]}"] if high < len(self.ends) else []
        return f"{name} {' and '.join(above + below) or 'is known'}{missing}"


def _code(values: pd.Series, losses: np.ndarray, seeks: np.ndarray) -> Coded:
    """Return a feature as codes, which depend only on the searched rows.

    A number by bins of equally many rows, a category by its mean loss; one that none of these rows
    has comes last.
    """
    if is_numeric_dtype(values.dtype):
        numbers = values.to_numpy(float, na_value=np.nan)
        seen = numbers[seeks & ~np.isnan(numbers)]
        steps = np.arange(1, TREE_BINS) / TREE_BINS
        ends = np.unique(np.quantile(seen, steps, method="lower")) if len(seen) else seen
        codes = np.where(np.isnan(numbers), MISSING, np.searchsorted(ends, numbers))
        return Coded(values, codes, ends.tolist())
    codes, found = pd.factorize(values)
    means = pd.Series(losses[seeks]).groupby(codes[seeks]).mean().reindex(range(len(found)))
    levels = pd.Index(found).astype("str")
    order = np.lexsort((levels.to_numpy(str), means.fillna(np.inf)))
    place = np.append(np.argsort(order), MISSING)  # the last: missing
    return Coded(values, place[codes], levels=levels[order].tolist())
