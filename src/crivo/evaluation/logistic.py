"""A logistic regression with one feature, fast enough to be fitted without each cluster."""

from __future__ import annotations

import numpy as np

from crivo.evaluation.weighting import NotDefined

# So many numbers stay in a processor's cache.
PIECE = 2**14

# Ten are the rule; weights that differ by a factor of a million need more.
STEPS = 100

UNCLEAR = "the logistic regression has no clear slope"


def logistic_slope(x: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> float:
    """Return the maximum-likelihood slope of `x`, for groups of rows with equal `x`.

    `weight` is a group's weight and `positive` that of its positive rows. Newton's method;
    a step that makes the gradient steeper is halved.
    """
    middle, spread = _middle_and_spread(x, weight)
    line, step, steepness = np.zeros(2), np.zeros(2), np.inf
    for _ in range(STEPS):
        gradient, curvature = _derivatives(line, (x, positive, weight), middle, spread)
        if (norm := float(np.hypot(*gradient))) > steepness:
            step = step / 2
            line = line - step
            continue
        steepness, step = norm, _solve(curvature, gradient)
        line = line + step
        if np.abs(step).max() < 1e-10:
            return float(line[1] / spread)
    raise NotDefined("the logistic regression doesn't converge")


def _middle_and_spread(x: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Return what brings `x` to mean 0 and spread 1, lest the equations be nearly singular."""
    total = weight.sum()
    middle = np.einsum("i,i->", x, weight) / total
    spread = float(np.sqrt(np.einsum("i,i->", (x - middle) ** 2, weight) / total))
    if not spread > 0:
        raise NotDefined(UNCLEAR)
    return float(middle), spread


def _derivatives(
    line: np.ndarray,
    groups: tuple[np.ndarray, np.ndarray, np.ndarray],
    middle: float,
    spread: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the log likelihood's gradient, and its curvature as sums over 1, x and x²."""
    sums = np.zeros(5)
    for start in range(0, len(groups[0]), PIECE):
        x, positive, weight = (column[start : start + PIECE] for column in groups)
        x = (x - middle) / spread
        with np.errstate(over="ignore"):
            probability = 1 / (1 + np.exp(-(line[0] + line[1] * x)))
        expected = weight * probability
        residual = positive - expected
        curvature = expected * (1 - probability)
        slant = curvature * x
        sums += [
            residual.sum(),
            (residual * x).sum(),
            curvature.sum(),
            slant.sum(),
            (slant * x).sum(),
        ]
    return sums[:2], sums[2:]


def _solve(curvature: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    zeroth, first, second = curvature
    determinant = zeroth * second - first**2
    if not determinant > 0:
        raise NotDefined(UNCLEAR)
    return (
        np.array(
            [
                second * gradient[0] - first * gradient[1],
                zeroth * gradient[1] - first * gradient[0],
            ]
        )
        / determinant
    )
