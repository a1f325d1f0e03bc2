"""Metrics by slice: how well the model does on the rows with one value of a column, and elsewhere.

A slice is compared if it has 100 rows in 8 clusters; smaller slices are listed but not ranked. The
intervals of the differences are widened for the number of slices that are compared (max-T, as in
`max_t`); the intervals of a slice's own metrics are the usual ones. The degrees of freedom are
those of the slice's own clusters, no matter how many the whole table has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from crivo.evaluation.jackknife import measure_without_each
from crivo.evaluation.metrics import Metric
from crivo.evaluation.rows import Rows
from crivo.evaluation.tasks import Evaluated
from crivo.statistics.intervals import Estimate, difference, interval, verdict
from crivo.statistics.max_t import critical_value, for_clusters

MIN_ROWS = 100
MIN_CLUSTERS = 8

# A number with more distinct values than this is cut into bins with equal numbers of rows.
MAX_BINS = 10
BINS = 4
# If a column has more values than this, only the most frequent ones form slices.
MAX_VALUES = 20

FIRST = ["slice", "kind", "column", "rows", "clusters", "status"]
LAST = ["judged_by", "difference", "difference_low", "difference_high", "verdict"]
JUDGED, WHOLE = "judged", "all"
# The status of slices that aren't judged, no matter how large they are.
KINDS = {
    "all": WHOLE,
    "further": f"not evaluated: only the {MAX_VALUES} most frequent values are",
}


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
    return slice_rows(chosen, evaluated.rows, evaluated.groups, metrics, metrics[0])


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
        yield Slice(f"{column} = {_short(names[code])}", column, codes == code)
    if len(order) > MAX_VALUES:
        further_rows = np.isin(codes, order[MAX_VALUES:])
        name = f"{column}: {len(order) - MAX_VALUES} further values"
        yield Slice(name, column, further_rows, "further")
    if (codes < 0).any():
        yield Slice(f"{column} is missing", column, codes < 0)


def _labels(values: pd.Series) -> pd.Series:
    """Return each row's value as text; for a number with many values, its bin."""
    ordered = is_numeric_dtype(values.dtype) or is_datetime64_any_dtype(values.dtype)
    if not ordered or values.nunique() <= MAX_BINS:
        return values.astype("str").where(values.notna())
    bins = pd.qcut(values, BINS, labels=False, duplicates="drop")
    ends = values.groupby(bins).agg(["min", "max"])
    names = {index: f"{_number(low)} to {_number(high)}" for index, low, high in ends.itertuples()}
    return bins.map(names)


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, int | float) else str(value)


def _short(name: Any, size: int = 60) -> str:
    text = str(name)
    return text if len(text) <= size else text[: size - 1] + "…"


def slice_rows(
    slices: Sequence[Slice],
    rows: Rows,
    groups: pd.Categorical,
    metrics: Sequence[Metric],
    judged_by: Metric,
) -> pd.DataFrame:
    """Return a line per slice: its size, metrics with intervals, and its difference from the rest.

    `groups`, one for each row of the predictions table, are left out in turn. `judged_by` is the
    metric of the difference.
    """
    lines: list[dict[str, Any]] = []
    gaps: dict[int, Estimate] = {}
    for place, about in enumerate(slices):
        size, clusters = size_of(about.inside, groups)
        status = KINDS.get(about.kind) or too_small(size, clusters) or JUDGED
        known = [about.name, about.kind, about.column, size, clusters, status]
        line = dict(zip(FIRST, known, strict=True)) | {"judged_by": "", "verdict": ""}
        lines.append(line)
        if status not in (WHOLE, JUDGED):
            continue
        own = measure_without_each(rows.only(about.inside), groups[about.inside], metrics)
        for metric in metrics:
            value, _, low, high = own.limits(metric)
            line |= _with_ends(metric.name, value, low, high)
        gap = _gap(about, own.estimate(judged_by), rows, groups, judged_by)
        if gap is not None:
            gaps[place] = gap
    if gaps:
        critical = critical_value(np.column_stack([gap.deleted for gap in gaps.values()]))
    for place, gap in gaps.items():
        reach = for_clusters(critical, len(gap.deleted), gap.clusters)
        limits = interval(gap, critical=reach)
        lines[place] |= _with_ends("difference", gap.value, limits.low, limits.high)
        lines[place] |= {"judged_by": judged_by.name, "verdict": verdict(limits, judged_by)}
    table = pd.DataFrame(lines, columns=columns_of(metrics))
    numbers = [name for name in table if name not in (*FIRST, "judged_by", "verdict")]
    return _worst_first(table.astype(dict.fromkeys(numbers, float)), judged_by)


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
    judged_by: Metric,
) -> Estimate | None:
    """Return a metric on a slice minus that on the other rows; None if one isn't defined."""
    rest = ~about.inside
    if too_small(*size_of(rest, groups)):
        return None
    found = measure_without_each(rows.only(rest), groups[rest], [judged_by])
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
    worse = table["difference"] * (1 if judged_by.direction == "higher" else -1)
    keys = {
        "column": pd.factorize(table["column"])[0],
        "unjudged": table["difference"].isna(),
        "worse": worse,
        "name": table["slice"],  # `x: 3 further values` is after `x = …`
    }
    order = pd.DataFrame(keys).sort_values(list(keys)).index
    return table.loc[order].reset_index(drop=True)
