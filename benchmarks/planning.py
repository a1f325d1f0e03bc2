"""How often the number of clusters that `crivo plan` names decides a comparison.

In each world a difference is measured on some clusters and is undecided; then so many more clusters
are drawn as the plan asks for. Each world has its own true difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, sqrt

import numpy as np
from scipy.special import stdtrit
from simulated import main, table

from crivo.statistics.intervals import t_quantile
from crivo.statistics.planning import clusters_for, clusters_needed

# What the first trial of an open sequence may spend.
LEVEL = 0.0146
TRIALS = 10
# True differences, in standard errors of the comparison that is undecided: their spread, and the
# share of those that aren't zero.
SIZES = {
    "of any size": (20.0, 1.0),
    "typically 1.5 standard errors": (1.5, 1.0),
    "typically half a standard error": (0.5, 1.0),
    "zero in nine of ten, otherwise typically 3 standard errors": (3.0, 0.1),
}
HEAD = ("clusters", "true differences", "as seen", "at least", "for the margin")


def shares(clusters: int, spread: float, real: float, worlds: int) -> list[float]:
    """Return how often each number decides that is said to do so in 80 %.

    All trials are compared with one reference; one that is undecided is planned. For the margin,
    its true difference is two of its errors.
    """
    random = np.random.default_rng(clusters)
    decided: list[list[float]] = [[], [], []]
    while len(decided[0]) < worlds:
        true = sqrt(2 / clusters) * random.normal(0, spread, TRIALS)
        if real < 1:
            true *= random.random(TRIALS) < real
        models = random.standard_normal((TRIALS + 1, clusters))
        now = models[1:] - models[0] + true[:, None]
        values, errors = now.mean(axis=1), now.std(axis=1, ddof=1) / sqrt(clusters)
        reach = -stdtrit(clusters - 1, LEVEL / 2)
        undecided = np.flatnonzero(np.abs(values) < reach * errors)
        if not len(undecided):
            continue
        one, margin = undecided[0], 2 * sqrt(2 / clusters)
        value, se, more = float(values[one]), float(errors[one]), now[one] - true[one]
        numbers = (
            (clusters_needed(value, se, reach, clusters, 0), now[one], true[one]),
            (clusters_for(0.8, value, se, clusters, LEVEL, 0), now[one], true[one]),
            (clusters_needed(margin, se, reach, clusters, 0), more + margin, margin),
        )
        for found, (count, rows, mean) in zip(decided, numbers, strict=True):
            found.append(_decides(count, rows, mean, random))
    return [float(np.nanmean(found)) for found in decided]


def _decides(count: float, rows: np.ndarray, true: float, random: np.random.Generator) -> float:
    """Return whether rows decide with new ones; missing if there is no such number."""
    if not isfinite(count):
        return np.nan
    rows = np.append(rows, random.normal(true, sqrt(2), int(count) - len(rows)))
    limit = t_quantile(1 - LEVEL / 2, count) * rows.std(ddof=1) / sqrt(count)
    return float(abs(rows.mean()) >= limit)


def rows_of(worlds: int) -> Iterator[list[object]]:
    """Give a row for each number of clusters and size of the true differences."""
    for clusters in (12, 40):
        for title, size in SIZES.items():
            found = shares(clusters, *size, worlds)
            yield [clusters, title, *(f"{100 * one:.0f}" for one in found)]


if __name__ == "__main__":
    parts = {"numbers that decide": lambda times: table(HEAD, rows_of(times), (0, 1), times)}
    main(__doc__, 300, parts)
