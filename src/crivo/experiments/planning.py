"""How many clusters would decide a comparison that these rows leave undecided.

What is stored is enough: the difference, its standard error and the clusters that it comes from.
"""

from __future__ import annotations

from math import ceil, inf, isfinite, nan, sqrt
from typing import TYPE_CHECKING

from scipy.special import stdtr

from crivo.evaluation.intervals import POWER, t_quantile

if TYPE_CHECKING:
    from crivo.experiments.families import Difference

# More than so many times the clusters is no plan: the answer is that it can't be decided.
MAX_TIMES = 100


def clusters_needed(
    difference: Difference, critical: float, clusters: float, margin: float = 0
) -> float:
    """Return with how many clusters an undecided difference would be decided 4 times of 5.

    The true difference is taken to be the one seen, and the standard error to fall as 1/√n. With n
    clusters the difference is to be as far from 0 as (critical + the 80 % quantile of t) standard
    errors, or that far inside the margin, whichever takes fewer; both have n - 1 degrees of
    freedom, and the level stays that of `critical`. Missing where the verdict isn't `undecided`;
    infinite beyond a hundred times the clusters.
    """
    se, value = difference.interval.se, abs(difference.value)
    if difference.verdict != "undecided" or not (se > 0 and isfinite(critical)):
        return nan
    distance = max(value, margin - value)
    level = 2 * float(stdtr(clusters - 1, -critical))

    def enough(count: float) -> bool:
        reach = t_quantile(1 - level / 2, count) + t_quantile(POWER, count)
        return distance >= reach * se * sqrt(clusters / count)

    low, high = ceil(clusters), ceil(MAX_TIMES * clusters)
    if not enough(high):
        return inf
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return float(low)
