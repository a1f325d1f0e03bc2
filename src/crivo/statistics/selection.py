"""Inference after selection, for a model that was chosen by its result on the same rows.

The best of many equals was lucky: its value is too optimistic, and its own interval misses
the truth far more often than it says. The interval here is simultaneous over all models that it was
chosen among, so that it holds whichever of them is chosen. The estimate is empirical Bayes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
from scipy.special import polygamma

from crivo.statistics.departures import times_as_wide
from crivo.statistics.intervals import FRACTION, LEVEL, Estimate, interval, log_odds, t_quantile
from crivo.statistics.jackknife import standard_error, standard_errors
from crivo.statistics.max_t import critical_value
from crivo.statistics.scale import Scale

# The distribution of the models' true values has its points around each value, in its errors. Of
# many models' points, which lie close together, so many are enough.
POINTS = np.linspace(-2, 2, 17)
MAX_POINTS = 1_500
STEPS = 200


class AfterSelection(NamedTuple):
    """An estimate and its interval that allow for how a model was chosen."""

    value: float
    low: float
    high: float


def after_selection(
    metric: Scale,
    chosen: Estimate,
    others: Sequence[Estimate],
    *,
    decided: bool,
    unknown: int,
) -> AfterSelection:
    """Return a metric of a model that was chosen among itself and `others`, on the same rows.

    `decided`: it is the best of them in this metric, and was chosen for that. Luck then made its
    value better than it is, never worse: the interval reaches further to the worse side only, and
    the estimate is shrunk. Without that the interval is widened on both sides and the estimate
    stays. `unknown`: how many more models there were whose numbers are lost. It is never narrower
    than the model's own interval. If all clusters of this model are alike, the others say nothing
    about its error, and it is widened as if they were independent.
    """
    own = interval(chosen, metric.bounds)
    measured = (np.isfinite([one.value, *one.deleted]).all() for one in others)
    family = [chosen, *compress(others, measured)]
    odds = metric.bounds == FRACTION and all(0 < one.value < 1 for one in family)
    numbers = [
        log_odds(one.value, one.deleted) if odds else (one.value, one.deleted) for one in family
    ]
    values = np.array([value for value, _ in numbers])
    deleted = np.column_stack([column for _, column in numbers])
    turn = -1 if metric.direction == "lower" else 1
    one_sided = decided and metric.best is None
    level = 1 - (1 - LEVEL) * len(family) / (len(family) + unknown)
    reach = critical_value(deleted, effective=chosen.effective, level=level, upper=one_sided)
    single = t_quantile((1 + LEVEL) / 2, chosen.clusters)
    reach = max(reach, single)
    se = standard_error(deleted[:, 0])
    if chosen.in_order:
        se *= times_as_wide(deleted[:, 0], chosen.clusters)
    worse, better = values[0] - turn * reach * se, values[0] + turn * reach * se
    estimate = float(values[0])
    if one_sided:
        better = values[0] + turn * single * se
        estimate = float(np.clip(shrunk(values, deleted)[0], *sorted((worse, better))))
    low, high = sorted((worse, better))
    if odds:
        estimate, low, high = (float(1 / (1 + np.exp(-end))) for end in (estimate, low, high))
    ends = min(low, own.low), max(high, own.high)
    if not se > 0:
        count = len(family) + unknown
        ends = widened(chosen.value, own.low, own.high, count, chosen.clusters)
    return AfterSelection(estimate, *np.clip(ends, *metric.bounds).tolist())


def shrunk(values: np.ndarray, deleted: np.ndarray) -> np.ndarray:
    """Return the values as they are to be expected of models whose error is known.

    Empirical Bayes: the models' true distances from their mean are draws from one distribution of
    any shape, the likeliest one (Kiefer & Wolfowitz 1956; Jiang & Zhang 2009), found by the EM
    algorithm. Equals are drawn together, and one that is truly better stays where it is.
    `values`: shape (models,), `deleted`: (G, models), in one unit. What all models have in common
    doesn't count as error.
    """
    middle = values.mean()
    own = deleted - deleted.mean(axis=1, keepdims=True)
    errors = standard_errors(own.T)
    unit = float(np.median(errors))
    if not unit > 0:
        return values
    each = moderated(errors / unit, len(deleted) - 1)
    return np.asarray(middle + unit * _expected((values - middle) / unit, each))


def moderated(errors: np.ndarray, freedom: int) -> np.ndarray:
    """Return each model's error, drawn to 1, the median, as far as they differ by chance alone.

    Single ones vary with few clusters, and the smallest would be trusted most. Squared errors are
    averaged with the median's; its weight is the degrees of freedom of the distribution that true
    ones seem to have, infinite if they differ no more than by chance (Smyth 2004).
    """
    floor = np.maximum(errors, 1e-3)
    beyond = float(np.log(floor**2).var(ddof=1) - polygamma(1, freedom / 2))
    if not beyond > 0:
        return np.ones_like(errors)
    from scipy.optimize import brentq  # slow to import

    # The trigamma function's inverse: it is about 1 / x + 1 / (2 x²).
    weight = 2 * float(brentq(lambda half: polygamma(1, half) - beyond, 1e-8, 1 + 2 / beyond))
    return np.asarray(np.sqrt((weight + freedom * floor**2) / (weight + freedom)))


def _expected(far: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Return each distance's expectation under the likeliest distribution of the true ones."""
    points = np.sort((far[:, None] + errors[:, None] * POINTS).clip(far.min(), far.max()).ravel())
    points = points[:: -(-len(points) // MAX_POINTS)]
    likelihood = np.exp(-(((far[:, None] - points) / errors[:, None]) ** 2) / 2)
    share = np.full(len(points), 1 / len(points))
    for _ in range(STEPS):
        share = share * (1 / (likelihood @ share) @ likelihood) / len(far)
    return np.asarray(likelihood @ (share * points) / (likelihood @ share))


def widened(
    value: float, low: float, high: float, models: int, clusters: float
) -> tuple[float, float]:
    """Return the ends of an interval for a model that was chosen among so many.

    For numbers of which the other models' aren't kept: Šidák's (1967) level for as many
    independent models, which is never too narrow.
    """
    level = LEVEL ** (1 / models)
    ratio = t_quantile((1 + level) / 2, clusters) / t_quantile((1 + LEVEL) / 2, clusters)
    return value - ratio * (value - low), value + ratio * (high - value)
