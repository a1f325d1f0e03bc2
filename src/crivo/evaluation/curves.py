"""The data of the evaluation plots, one function each; `report/figures.j2` draws them.

A curve's x and y come first. They are followed by the ends of the points' 95 % intervals, the
baseline's curve and the threshold, as far as the plot has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from crivo.evaluation.rows import Binary
from crivo.statistics.intervals import FRACTION, Estimate, interval
from crivo.statistics.jackknife import effective_clusters

if TYPE_CHECKING:
    from crivo.evaluation.tasks import Evaluated

# Points of a curve; more wouldn't be visible.
POINTS, RESIDUALS = 200, 1000
BINS = 10
BARS = 20

Curve = Callable[["Evaluated"], pd.DataFrame]
CURVES: dict[str, Curve] = {}


def curve(*columns: str, of: Callable[[Evaluated], bool]) -> Callable[[Curve], Curve]:
    """Enter a function in the list of curves; `of`: whether predictions have such a curve.

    For predictions without it, the table has no rows, so that `dvc.yaml` can name the files once.
    """

    def enter(made: Curve) -> Curve:
        def table(evaluated: Evaluated) -> pd.DataFrame:
            if not of(evaluated):
                return pd.DataFrame(columns=columns)
            return made(evaluated).set_axis(columns, axis="columns")

        CURVES[made.__name__] = table
        return table

    return enter


def _has_both_classes(evaluated: Evaluated) -> bool:
    return evaluated.has_positive_scores and evaluated.predictions["target"].nunique() > 1


def _with_ends(x: str, y: str) -> list[str]:
    return [x, y, f"{y}_low", f"{y}_high", "baseline", "threshold"]


@dataclass(frozen=True)
class Counts:
    """The weight of the positive and of the negative rows whose score reaches each of some scores.

    `scores` are in falling order. `positives`, `negatives`: a column per score; the first row is
    for all rows, and each other row for the rows without one group. `clusters`: the effective
    number.
    """

    scores: np.ndarray
    positives: np.ndarray
    negatives: np.ndarray
    clusters: float


def count_reaching(
    rows: Binary, groups: pd.Categorical, scores: np.ndarray | None = None
) -> Counts:
    """Return what reaches each score; `groups`: those of the rows of the predictions table.

    `scores` rise, and the first is the lowest of all; without them at most 199 are taken, evenly
    spread over the rows.
    """
    groups = groups[rows.order]
    if scores is None:
        found = rows.score[::-1]
        chosen = np.linspace(0, len(found) - 1, min(POINTS - 1, len(found))).astype(int)
        scores = np.unique(found[chosen])
    place = np.searchsorted(scores, rows.score, side="right") - 1
    positives, negatives = (
        _sums(rows.weight * part, place, len(scores), groups)[:, ::-1].cumsum(axis=1)
        for part in (rows.target, rows.negative)
    )
    effective = effective_clusters(groups.codes, rows.weight)
    return Counts(scores[::-1], positives, negatives, effective)


@curve(*_with_ends("false_positive_rate", "true_positive_rate"), of=_has_both_classes)
def roc(evaluated: Evaluated) -> pd.DataFrame:
    """Return the true positive rate over the false positive rate, from (0, 0) on."""
    scores = np.append(np.nan, evaluated.reaching.scores)
    return pd.DataFrame(np.column_stack([*_with_band(_rates, evaluated), scores]))


@curve(*_with_ends("recall", "precision"), of=_has_both_classes)
def precision_recall(evaluated: Evaluated) -> pd.DataFrame:
    """Return the precision over the recall, from (0, 1) on."""
    start = [0, 1, np.nan, np.nan, np.nan, np.nan]
    points = [*_with_band(_precisions, evaluated), evaluated.reaching.scores]
    return pd.DataFrame(np.vstack([start, np.column_stack(points)]))


def _rates(counts: Counts) -> Sequence[np.ndarray]:
    """Return false and true positive rates, from 0 on."""
    reached = counts.negatives, counts.positives
    return [np.insert(_shares(part), 0, 0, axis=1) for part in reached]


def _precisions(counts: Counts) -> Sequence[np.ndarray]:
    """Return recalls, and the precisions with them."""
    hits, acted = counts.positives, counts.positives + counts.negatives
    return _shares(hits), _ratio(hits, acted, acted > 1e-9 * acted[:1])


def _with_band(
    points: Callable[[Counts], Sequence[np.ndarray]], evaluated: Evaluated
) -> list[np.ndarray]:
    """Return a curve's x and y, the ends of its band, and the baseline's y."""
    x, y = points(evaluated.reaching)
    without = [np.interp(x[0], *pair) for pair in zip(x[1:], y[1:], strict=True)]
    ends = band(np.vstack([y[:1], *without]), evaluated.reaching.clusters, FRACTION)
    known = evaluated.baseline
    beside = points(known.reaching) if known and known.rows.scored else np.full((2, 1, 1), np.nan)
    return [x[0], y[0], *ends, np.interp(x[0], *(part[0] for part in beside))]


@curve(
    *("mean_score", "observed_rate", "rows", "observed_rate_low", "observed_rate_high"),
    of=lambda evaluated: evaluated.rows.scored or not evaluated.task.has_classes,
)
def calibration(evaluated: Evaluated) -> pd.DataFrame:
    """Return the mean score and the observed rate in bins with equal numbers of rows, lowest first.

    The task's rows say what counts as score and outcome. Rows with equal scores are in the same
    bin.
    """
    rows, bounds = evaluated.rows, FRACTION if evaluated.task.has_classes else (-inf, inf)
    groups, (score, outcome) = evaluated.groups[rows.order], rows.level_and_outcome
    bins = pd.qcut(score, BINS, labels=False, duplicates="drop")
    bins = np.unique(np.nan_to_num(bins), return_inverse=True)[1]  # few rows leave bins empty
    size = int(bins.max()) + 1
    weight, scores, rates = (
        _sums(rows.weight * part, bins, size, groups)
        for part in (np.ones(len(bins)), score, outcome)
    )
    # After all rows of a bin are subtracted, only rounding errors are left.
    left = weight > 1e-9 * weight[:1]
    rates = _ratio(rates, weight, left)
    low, high = band(rates, effective_clusters(groups.codes, rows.weight), bounds)
    columns = [scores[0] / weight[0], rates[0], np.bincount(bins), low, high]
    return pd.DataFrame(dict(enumerate(columns)))


@curve("low", "high", "negative", "positive", of=_has_both_classes)
def scores(evaluated: Evaluated) -> pd.DataFrame:
    """Return the weight of negative and positive rows by their score, in steps of 0.05."""
    rows = evaluated.rows
    bins = np.clip((rows.score * BARS).astype(int), 0, BARS - 1)
    ends = np.arange(BARS + 1) / BARS
    parts = [
        np.bincount(bins, rows.weight * part, minlength=BARS)
        for part in (rows.negative, rows.target)
    ]
    return pd.DataFrame(np.column_stack([ends[:-1], ends[1:], *parts]))


@curve("actual", "predicted", "rows", of=lambda evaluated: evaluated.task.has_classes)
def confusion(evaluated: Evaluated) -> pd.DataFrame:
    """Return how many rows of each class were predicted as each class."""
    return evaluated.predictions.groupby(["target", "prediction"]).size().reset_index()


@curve("prediction", "residual", of=lambda evaluated: not evaluated.task.has_classes)
def residuals(evaluated: Evaluated) -> pd.DataFrame:
    """Return target minus prediction for 1,000 rows, evenly spread over the predictions."""
    rows = evaluated.predictions.sort_values(["prediction", "id"])
    rows = rows.iloc[np.unique(np.linspace(0, len(rows) - 1, RESIDUALS).astype(int))]
    return pd.concat([rows["prediction"], rows["target"] - rows["prediction"]], axis="columns")


def _shares(reached: np.ndarray) -> np.ndarray:
    """Return the share of the rows that is reached; missing if there are no rows."""
    return _ratio(reached, reached[:, -1:], reached[:, -1:] > 0)


def _ratio(above: np.ndarray, below: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return the ratio of two arrays; missing where it isn't defined."""
    return np.divide(above, below, out=np.full(above.shape, np.nan), where=known)


def _sums(values: np.ndarray, cells: np.ndarray, size: int, groups: pd.Categorical) -> np.ndarray:
    """Return the sum in each cell: of all rows first, then without each group that has rows."""
    codes, count = groups.codes.astype(int), len(groups.categories)
    parts = np.bincount(codes * size + cells, values, minlength=count * size).reshape(-1, size)
    present = np.bincount(codes, minlength=count) > 0
    whole = parts.sum(axis=0, keepdims=True)
    return np.concatenate([whole, whole - parts[present]])


def band(
    values: np.ndarray, clusters: float, bounds: tuple[float, float] = (-inf, inf)
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of each point's own 95 % interval; missing where nothing varies.

    `values`: a curve of all rows, then one without each group.
    """
    points = zip(values[0].tolist(), values[1:].T, strict=True)
    found = np.array([interval(Estimate(*point, clusters), bounds) for point in points])
    low, high = np.where(found[:, 0] > 0, found[:, 1:].T, np.nan)
    return low, high
