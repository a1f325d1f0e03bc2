"""Random kinds of test sets on which the reference and all candidates are equally good in truth.

Two in five kinds are mild (mostly similar sizes, weak effects, three in ten serial dependence), and
the others draw each trouble at random, hard but not hopeless: rare failures are expected five times
or more, and a test set lasts at least ten times as long as the memory of its clusters.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, ndtri

Random = np.random.Generator
Losses = tuple[np.ndarray, np.ndarray, np.ndarray]  # clusters' sums, sizes, rows' losses
Draw = Callable[[Random, int], np.ndarray]  # models × that many rows or clusters
# Ways of `layer`: by cluster, by row (of all models, of some); mild, rough, and both for `ends`.
WAYS = "ESN ESN SN N", "ESSRFN ESSRRF SSTN TFNN", "EN EN N N", "ERN ER N N"


def between(kind: Random, low: float, high: float) -> float:
    """A number whose logarithm is drawn evenly (the lower bound if they are in wrong order)."""
    return float(np.exp(kind.uniform(np.log(low), np.log(max(low, high)))))


def who(kind: Random, models: int, rough: bool) -> np.ndarray:
    """Which models have a trouble: all (always if mild), the candidates, the reference or some."""
    which = kind.choice(4, p=[0.25, 0.35, 0.15, 0.25]) if rough else 0
    on = kind.random((models, 1)) < (0.5 if which == 3 else 1)
    on[:1], on[1:] = on[:1] & (which != 1), on[1:] & (which != 2)
    return on if on.any() else ~on


def size_table(kind: Random, clusters: int, rows: int, rough: bool) -> tuple[np.ndarray, str]:
    """The clusters' sizes, and what each world does with them: keep, shuffle or resample them."""
    odds = [0.2, 0.2, 0.25, 0.1, 0.15, 0.1] if rough else [0.4, 0.5, 0.05, 0, 0, 0.05]
    which = kind.choice(["equal", "varied", "power", "giant", "single", "growing"], p=odds)
    weights = kind.gamma(1e12 if which == "equal" else kind.uniform(2, 20), 1, clusters)
    if which == "power":
        weights = np.minimum(1 + kind.pareto(kind.uniform(0.8, 2.5), clusters), clusters / 4)
    elif which == "giant":
        weights[0] = weights.sum() * kind.uniform(0.1, 1)
    elif which == "single":
        weights[: int(clusters * kind.uniform(0.5, 0.85))] = 0
    elif which == "growing":
        weights *= np.geomspace(1, kind.uniform(2, 10), clusters)
    use = {"growing": "keep", "giant": "shuffle"}.get(which, kind.choice(["shuffle", "resample"]))
    return np.maximum(1, np.round(rows * weights / weights.sum())).astype(int), str(use)


def fixed_levels(
    kind: Random, models: int, table: np.ndarray, use: str, rough: bool, ages: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Factors by size (all losses depend on it, some models' otherwise than others') and by age."""
    large = np.log(table / table.min()) / max(np.log(table.max() / table.min()), 1e-9)
    tilt, ageing = kind.choice([-1, 1], 2) * kind.uniform(0.1, 0.6, 2)
    tilt *= rough and use != "keep" and kind.random() < 0.3
    slopes = kind.choice([0, kind.uniform(-0.6, 0.6)]) * rough + who(kind, models, rough) * tilt
    by_size = np.exp(slopes * large)
    by_size *= table.sum() / (by_size @ table)[:, None]
    by_age = np.exp(who(kind, models, True) * ages * ageing * np.linspace(0, 1, len(table)))
    weights = by_size[0] * table if use == "keep" else np.ones(len(table))
    return by_size, by_age * weights.sum() / (by_age @ weights)[:, None]


def time_matrix(kind: Random, clusters: int, serial: bool, rough: bool) -> np.ndarray:
    """What gives independent normals memory and seasons, and leaves each one's variance at 1."""
    gap = np.abs(np.subtract.outer(np.arange(clusters), np.arange(clusters)))
    memory = np.exp(-gap / between(kind, 0.5, clusters / 10))
    season = np.cos(2 * np.pi * gap / min(kind.choice([3, 4, 7, 12, 30]), clusters / 3))
    free, lasting, seasonal = kind.dirichlet([0.5, 2, 0.5] if rough else [2, 1, 0.5])
    values, vectors = np.linalg.eigh(free * np.eye(clusters) + lasting * memory + seasonal * season)
    root = vectors * np.sqrt(np.maximum(values, 0)) if serial else np.eye(clusters)
    return np.asarray(root.T / np.sqrt((root**2).sum(1)))


def normals(kind: Random, models: int, most: float) -> Draw:
    """Normals of variance 1: partly the same for all models, partly for all candidates."""
    everyone = kind.uniform(0, most)
    share = np.full((models, 1), (1 - everyone) * kind.choice([0, kind.random()]))
    share[0] = 0

    def draw(random: Random, length: int) -> np.ndarray:
        own = np.sqrt(1 - everyone - share) * random.standard_normal((models, length))
        own += np.sqrt(everyone) * random.standard_normal(length)
        return np.asarray(own + np.sqrt(share) * random.standard_normal(length))

    return draw


def layer(
    kind: Random, ways: str, on: np.ndarray, rough: bool, few: int, time: np.ndarray | None
) -> Draw:
    """Factors of mean 1 for clusters (with `time`) or rows, of a way that is drawn from `ways`.

    N: all 1. E: even. S: log-normal, perhaps wider in some places. R: two regimes. T: Pareto tail.
    F: rare failures, in `few` places expected five times or more. E and R are never above 1.75.
    """
    latent, way = normals(kind, len(on), 0.9), kind.choice(list(ways))
    part = kind.uniform(0.15, 0.5) if rough else kind.uniform(0.05, 0.35)
    often = kind.uniform(0.4, 0.6) if way == "R" else between(kind, 5 / few, 0.2)
    unlike, tail = kind.choice([0, 0, 2]) * rough, kind.uniform(1.8 if on.all() else 2.5, 5)

    def draw(random: Random, length: int) -> np.ndarray:
        level = latent(random, length)
        level = level if time is None or way == "F" else level @ time
        spread = part * (1 + unlike) * random.random(length) ** unlike
        if way in "RF":
            factors = 1 - part + part / often * (level > ndtri(1 - often))
        elif way == "T":
            factors = ndtr(-level) ** (-1 / tail) * (tail - 1) / tail
        elif way == "E":
            factors = 1 + part * (2 * ndtr(level) - 1)
        else:
            factors = np.exp(spread * level - spread**2 / 2)
        return np.where(on, factors, 1)

    return draw if way != "N" else lambda random, length: np.ones((1, 1))


def random_kind(kind: Random, trials: int) -> tuple[Callable[[Random], Losses], dict[str, bool]]:
    """A kind of world, as a function that draws one, and what a user would know of the kind.

    Each factor of a loss has the same mean given the others, so all models' mean losses are equal.
    """
    rough, models, clusters = bool(kind.random() < 0.6), 1 + trials, int(between(kind, 12, 300))
    name = kind.choice(["ends", "steps", "square", "size", "spread"], p=[0.25, 0.05, 0.3, 0.1, 0.3])
    binary, root = name in {"ends", "steps"}, {"ends": 0, "square": 0.65}.get(str(name), 0.25)
    serial, ages, ordered, root = kind.random(4) < (0.3 + 0.25 * rough, 0.2 * rough, 0.4, root)
    rows = int(between(kind, max(300, clusters), min(12_000, 150_000 / models)))
    table, use = size_table(kind, clusters, rows, rough)
    by_size, by_age = fixed_levels(kind, models, table, use, rough, ages)
    rate = kind.uniform(0.4, 0.95) / by_size.max() / by_age.max() / 1.75**2 if binary else 1
    every, some = np.ones((1, 1), bool), [who(kind, models, rough) for _ in range(4)]
    time, ways = time_matrix(kind, clusters, serial, rough), WAYS[2 * binary + rough].split()
    for_clusters = [layer(kind, ways.pop(0), on, rough, clusters, time) for on in (every, some[0])]
    for_rows = [layer(kind, ways.pop(0), on, rough, rows, None) for on in (every, some[1])]
    within = some[2] * kind.choice([0, kind.uniform(0.02, 0.3)])
    spread = kind.uniform(0.4, 1) + some[3] * rough * kind.uniform(0, 0.8)
    places, cases = normals(kind, models, 0.9), normals(kind, models, 0.8 if binary else 0.95)
    (copies, whole, alike), unit = kind.random(3) < 0.35, 10.0 ** kind.choice([0, 0, -2, 1, 3])
    changed = between(kind, max(10 / clusters * whole, 40 / rows / rate, 0.03), 0.8)

    def draw(random: Random) -> Losses:
        pick = np.arange(clusters) if use == "keep" else random.permutation(clusters)
        pick = random.integers(0, clusters, clusters) if use == "resample" else pick
        owner = np.repeat(np.arange(clusters), table[pick])
        factors = [draw_factors(random, clusters) for draw_factors in for_clusters]
        level = by_size[:, pick] * by_age * factors[0] * factors[1]
        latent = np.sqrt(within) * (places(random, clusters) @ time)[:, owner]
        latent += np.sqrt(1 - within) * cases(random, len(owner))
        if binary:
            losses = (latent < ndtri(rate * level)[:, owner]) * unit
            losses = losses * random.integers(1, 1 + 3 ** (name == "steps"), latent.shape)
        else:
            losses = np.abs(latent) if name == "size" else latent**2
            losses = np.exp(spread * latent - spread**2 / 2) if name == "spread" else losses
            factors = [draw_factors(random, len(owner)) for draw_factors in for_rows]
            losses = unit * losses * level[:, owner] * factors[0] * factors[1]
        if copies:
            lots = random.random((1 if alike else trials, clusters if whole else len(owner)))
            other = (lots[:, owner] if whole else lots) < changed
            losses[1:] = np.where(other, losses[1:], losses[0])
        sums = np.add.reduceat(losses, np.searchsorted(owner, np.arange(clusters)), axis=1)
        return sums, table[pick], losses

    ordered = ordered or serial or ages or use == "keep"
    return draw, {"root": bool(root), "ordered": bool(ordered), "ends": name == "ends"}
