"""Skewness of a mean: how far the t interval of a mean of skewed values is off."""

from __future__ import annotations

from math import sqrt

import numpy as np

# Above it, t intervals of equal models exclude 0 in more than 6 % of simulated data sets.
SKEWED = 0.1


def skewness_of_mean(sample: np.ndarray, count: int) -> float:
    """Return the skewness of the mean of `count` values, from a sample of them.

    It is the values' skewness divided by the root of their number; the first error of a t
    interval is proportional to it (Hall 1992, The Bootstrap and Edgeworth Expansion). 0 if all
    values are equal.

    >>> round(skewness_of_mean(np.array([0.0, 0, 0, 4]), 4), 4)
    0.5774
    """
    centred = sample - sample.mean()
    variance = float((centred**2).mean())
    return float((centred**3).mean()) / variance**1.5 / sqrt(count) if variance > 0 else 0.0
