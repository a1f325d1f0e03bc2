"""Distances from a best value that lies inside a metric's range."""

from __future__ import annotations

from math import copysign


def either_side(gap: tuple[float, float], total: tuple[float, float]) -> tuple[float, float]:
    """Return the interval of a difference of distances whose sides aren't known for sure.

    `gap` and `total` are the intervals of their difference and of their sum, the sides taken as
    they look. With a and b the signed distances, these are a - b and a + b or the other way round,
    and |a| - |b| is the smaller of the two with the sign of their product. It is monotone in each,
    so its ends are at those of the intervals, and it excludes 0 only when both do.

    >>> either_side((0.1, 0.3), (1.0, 2.0)), either_side((0.1, 0.3), (-0.2, 2.0))
    ((0.1, 0.3), (-0.2, 0.3))
    """
    ends = [copysign(min(abs(one), abs(both)), one * both) for one in gap for both in total]
    return min(ends), max(ends)
