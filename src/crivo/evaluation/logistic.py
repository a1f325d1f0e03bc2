"""A logistic regression with one feature, fast enough to be fitted without each cluster."""

from __future__ import annotations

import numpy as np

from crivo.evaluation.weighting import NotDefined

# Ten are the rule; weights that differ by a factor of a million need more.
STEPS = 100

UNCLEAR = "the logistic regression has no clear slope"


def logistic_slope(x: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> float:
    """Return the maximum-likelihood slope of `x`, for groups of rows with equal `x`.

    `weight` is a group's weight and `positive` that of its positive rows. Newton's method;
    a step that makes the gradient steeper is halved.
    """
    # Imported here: each stage imports the metrics, to check the settings.
    from scipy.special import expit

    middle = np.average(x, weights=weight)
    spread = float(np.sqrt(np.average((x - middle) ** 2, weights=weight)))
    if not spread > 0:
        raise NotDefined(UNCLEAR)
    x = (x - middle) / spread  # lest the equations be nearly singular
    line, step, steepness = np.zeros(2), np.zeros(2), np.inf
    for _ in range(STEPS):
        probability = expit(line[0] + line[1] * x)
        residual = positive - weight * probability
        gradient = np.array([residual.sum(), (residual * x).sum()])
        if (norm := float(np.hypot(*gradient))) > steepness:
            step = step / 2
            line = line - step
            continue
        steepness, step = norm, _newton_step(x, weight * probability * (1 - probability), gradient)
        line = line + step
        if np.abs(step).max() < 1e-10:
            return float(line[1] / spread)
    raise NotDefined(UNCLEAR)


def _newton_step(x: np.ndarray, curvature: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    zeroth, first, second = curvature.sum(), (curvature * x).sum(), (curvature * x**2).sum()
    determinant = zeroth * second - first**2
    if not determinant > 0:
        raise NotDefined(UNCLEAR)
    inverse = np.array([[second, -first], [-first, zeroth]]) / determinant
    return inverse @ gradient
