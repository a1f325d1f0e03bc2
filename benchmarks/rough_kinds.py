"""Kinds of worlds drawn at random, for `rough.py`: sharing no code with the method it judges.

A kind fixes the laws of losses, ties, the clusters' sizes, what models have in common and how
clusters follow each other. Each model's loss of a row is the quantile of its law at a normal
number. So all have the same expected loss, whatever depends on what.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, gamma, log, pi, sqrt

import numpy as np
from scipy.special import ndtr

Law = Callable[[np.ndarray], np.ndarray]
# Sums of losses of all models per cluster, the clusters' sizes, and the losses of each row.
Losses = tuple[np.ndarray, np.ndarray, np.ndarray]


def between(kind: np.random.Generator, low: float, high: float) -> float:
    """Return a number between two, each of its digits before and behind the point as likely."""
    return exp(kind.uniform(log(low), log(high)))


def law(kind: np.random.Generator) -> tuple[Law, bool]:
    """Return a law of losses with the mean 1, as its quantiles, and whether they are 0 or 1."""
    name = kind.choice(["log-normal", "Weibull", "Pareto", "spikes", "mistakes"])
    if name == "log-normal":
        spread = kind.uniform(0.2, 1.5)
        return lambda normal: np.exp(spread * normal - spread**2 / 2), False
    if name == "Weibull":
        shape = between(kind, 0.4, 3)
        return lambda normal: (-np.log(ndtr(-normal))) ** (1 / shape) / gamma(1 + 1 / shape), False
    if name == "Pareto":
        power = between(kind, 2.3, 10)
        return lambda normal: ndtr(-normal) ** (-1 / power) * (1 - 1 / power), False
    rare = between(kind, 0.004, 0.2) if name == "spikes" else kind.uniform(0.05, 0.5)
    return lambda normal: (ndtr(-normal) < rare) / rare, name == "mistakes"


def sizes_of(kind: np.random.Generator, clusters: int) -> np.ndarray:
    """Return the clusters' sizes: equal, unequal, or one that is much larger."""
    mean, name = between(kind, 1, 50), kind.choice(["equal", "unequal", "one"])
    shares = np.ones(clusters)
    if name == "unequal":
        shares = kind.gamma(between(kind, 0.5, 8), size=clusters)
    elif name == "one":
        shares[kind.integers(clusters)] = clusters * kind.uniform(0.05, 0.4)
    return np.maximum(1, np.rint(mean * shares / shares.mean())).astype(int)


def course(kind: np.random.Generator) -> Callable[[np.random.Generator, int, int], np.ndarray]:
    """Return how clusters follow each other: normal numbers of variance 1, a row per model."""
    name, strength = kind.choice(["autoregression", "moving mean", "week"]), kind.uniform(0.1, 0.7)

    def draw(random: np.random.Generator, models: int, clusters: int) -> np.ndarray:
        new = random.standard_normal((models, clusters + 3))
        if name == "week":
            phase = random.uniform(0, 2 * pi, (models, 1))
            wave = np.sqrt(2) * np.sin(2 * pi * np.arange(clusters) / 7 + phase)
            return sqrt(strength) * wave + sqrt(1 - strength) * new[:, 3:]
        if name == "moving mean":
            parts = [strength**lag * new[:, 3 - lag : clusters + 3 - lag] for lag in range(4)]
            return sum(parts) / sqrt(sum(strength ** (2 * lag) for lag in range(4)))
        for place in range(1, clusters):
            fresh = sqrt(1 - strength**2) * new[:, place]
            new[:, place] = strength * new[:, place - 1] + fresh
        return new[:, :clusters]

    return draw


def random_kind(
    kind: np.random.Generator, trials: int
) -> tuple[Callable[[np.random.Generator], Losses], dict[str, bool]]:
    """Return a kind of worlds, and what is known of it.

    `root`: the metric is the root of the mean loss; `ordered`: clusters are in an order; `ends`:
    losses are 0 or 1.
    """
    clusters = round(between(kind, 10, 150))
    sizes = sizes_of(kind, clusters)
    (first, ends), (others, others_end) = law(kind), law(kind)
    alike = kind.random() < 0.4
    if alike:
        others, others_end = first, ends
    digits = int(kind.choice([0, 1, 12])) if alike else 12
    shared, daily = kind.uniform(0, 0.9), kind.uniform(0, 0.5)
    serial = course(kind) if kind.random() < 0.5 else None
    known = {
        "root": bool(kind.random() < 0.3),
        "ordered": serial is not None or bool(kind.random() < 0.5),
        "ends": ends and others_end,
    }

    def draw(random: np.random.Generator) -> Losses:
        models, place = 1 + trials, np.repeat(np.arange(clusters), sizes)
        days = random.standard_normal((models, clusters))
        if serial is not None:
            days = serial(random, models, clusters)
        own = random.standard_normal((models, len(place)))
        common = random.standard_normal(len(place))
        rest = sqrt(1 - daily) * (sqrt(shared) * common + sqrt(1 - shared) * own)
        normal = rest + sqrt(daily) * days[:, place]
        losses = np.vstack([first(normal[:1]), others(normal[1:])]).round(digits)
        return np.array([np.bincount(place, one, clusters) for one in losses]), sizes, losses

    return draw, known
