"""How often the number of clusters that `crivo plan` names decides a comparison.

    python benchmarks/planning.py --worlds 1000 --publish

In each world a difference is measured on some clusters and is undecided; then so many more clusters
are drawn as the plan asks for. Each world has its own true difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, sqrt

import numpy as np
from scipy.special import stdtrit
from simulated import run

from crivo.statistics.intervals import t_quantile
from crivo.statistics.planning import clusters_for, clusters_needed

# What the first trial of an open sequence may spend.
LEVEL = 0.0146
CHANCES = (0.5, 0.8)
# How large true differences are, in standard errors of the comparison that is undecided.
SPREADS = {
    "of any size": 20.0,
    "often 1.5 standard errors": 1.5,
    "often half a standard error": 0.5,
}
HEAD = ("clusters", "true differences", "decided, of 50 %", "decided, of 80 %", "as seen, of 80 %")


def shares(clusters: int, spread: float, worlds: int) -> list[float]:
    """Return how often a comparison is decided with the numbers for each chance, and as seen."""
    random = np.random.default_rng(clusters)
    decided: list[list[float]] = [[], [], []]
    while min(map(len, decided)) < worlds:
        true = random.normal(0, spread / sqrt(clusters))
        now = random.normal(true, 1, clusters)
        se = now.std(ddof=1) / sqrt(clusters)
        reach = -stdtrit(clusters - 1, LEVEL / 2)
        if abs(now.mean()) >= reach * se:
            continue
        for place, count in enumerate(_numbers(now.mean(), se, clusters, reach)):
            if isfinite(count) and len(decided[place]) < worlds:
                rows = np.append(now, random.normal(true, 1, int(count) - clusters))
                limit = t_quantile(1 - LEVEL / 2, count) * rows.std(ddof=1) / sqrt(count)
                decided[place].append(abs(rows.mean()) >= limit)
    return [float(np.mean(each)) for each in decided]


def _numbers(value: float, se: float, clusters: int, reach: float) -> Iterator[float]:
    for chance in CHANCES:
        yield clusters_for(chance, value, se, clusters, LEVEL)
    yield clusters_needed(value, se, reach, clusters)


def rows_of(worlds: int) -> Iterator[list[object]]:
    """Give a row for each number of clusters and spread of the true differences."""
    for clusters in (12, 40):
        for title, spread in SPREADS.items():
            found = shares(clusters, spread, worlds)
            yield [clusters, title, *(f"{100 * one:.0f}" for one in found)]


if __name__ == "__main__":
    run(__doc__, 1_000, "numbers that decide", HEAD, rows_of, 2)
