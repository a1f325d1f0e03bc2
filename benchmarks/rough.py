"""How often verdicts are wrong where clusters are skewed or alike.

    python benchmarks/rough.py                     # 400 worlds of each kind: ten minutes
    python benchmarks/rough.py --worlds 200 --publish

A world is a reference and twenty candidates with the same expected loss, as sums per cluster, of
which no model is fitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np
from simulated import percent, run

from crivo.comparison.differences import MORE
from crivo.statistics.departures import all_of, of_clusters, of_neighbours, of_skewness
from crivo.statistics.intervals import SKEWED, Estimate, interval, skewness_of_mean, t_quantile
from crivo.statistics.max_t import critical_at
from crivo.statistics.sequence import Spending

TRIALS, SAMPLE = 20, 1_000


@dataclass(frozen=True)
class Drawn:
    """Sums of losses: per cluster of the reference (G,), and of the candidates (trials, G).

    `sizes`: the clusters' rows; `losses`: by how much single rows differ, where there are rows.
    `ordered`: clusters follow each other.
    """

    sums: np.ndarray
    others: np.ndarray
    sizes: np.ndarray
    losses: np.ndarray | None = None
    ordered: bool = False

    def differences(self, gain: float = 0.0) -> list[Estimate]:
        """Return how each candidate differs, less a gain."""
        one, other = self._metric(self.others), self._metric(self.sums[None])
        effective = float(self.sizes.sum() ** 2 / (self.sizes**2).sum())
        found = (each - other[0] - gain for each in one)
        return [Estimate(float(each[0]), each[1:], effective) for each in found]

    def _metric(self, sums: np.ndarray) -> np.ndarray:
        """Return the metric of all clusters, then without each."""
        without = sums.sum(axis=1, keepdims=True) - np.column_stack([0 * sums[:, 0], sums])
        return np.asarray(without / (self.sizes.sum() - np.append(0, self.sizes)))


def few_rows(random: np.random.Generator, clusters: int, rows: int, far: float) -> Drawn:
    """Candidates are exact but in a few rows, where they are as far off as to be equal in all."""
    count = clusters * rows
    reference = random.standard_normal(count) ** 2
    losses = np.where(random.random((TRIALS, count)) < far, 1 / far, 0.0)
    sums = losses.reshape(TRIALS, clusters, rows).sum(axis=2)
    places = np.linspace(0, count - 1, min(count, SAMPLE)).astype(int)
    seen = (losses - reference)[:, places]
    own = reference.reshape(clusters, rows).sum(axis=1)
    return Drawn(own, sums, np.full(clusters, float(rows)), seen)


def skewed(random: np.random.Generator, clusters: int, spread: float) -> Drawn:
    """Clusters' differences are log-normal around 0."""
    values = np.exp(spread * random.standard_normal((TRIALS, clusters))) - np.exp(spread**2 / 2)
    return Drawn(np.zeros(clusters), values, np.ones(clusters))


def following(random: np.random.Generator, clusters: int, strength: float) -> Drawn:
    """Each model's clusters follow each other as an autoregression."""
    values = autoregression(random, (1 + TRIALS, clusters), strength)
    return Drawn(values[0], values[1:], np.ones(clusters), ordered=True)


def autoregression(
    random: np.random.Generator, shape: tuple[int, int], strength: float
) -> np.ndarray:
    """Return rows of an autoregression of first order, of variance 1."""
    values = random.standard_normal(shape)
    for place in range(1, shape[1]):
        new = sqrt(1 - strength**2) * values[:, place]
        values[:, place] = strength * values[:, place - 1] + new
    return values


def plain(random: np.random.Generator, clusters: int) -> Drawn:
    """Independent normal clusters without an order."""
    values = random.standard_normal((1 + TRIALS, clusters))
    return Drawn(values[0], values[1:], np.ones(clusters))


WORLDS: dict[str, Callable[[np.random.Generator], Drawn]] = {
    "12 normal clusters": partial(plain, clusters=12),
    "12 normal clusters in order": partial(following, clusters=12, strength=0),
    "40 normal clusters in order": partial(following, clusters=40, strength=0),
    "200 normal clusters": partial(plain, clusters=200),
    "far off in 2 % of 12 × 50 rows": partial(few_rows, clusters=12, rows=50, far=0.02),
    "far off in 2 % of 50 × 10 rows": partial(few_rows, clusters=50, rows=10, far=0.02),
    "far off in 2 % of 200 × 10 rows": partial(few_rows, clusters=200, rows=10, far=0.02),
    "far off in 0.5 % of 12 × 50 rows": partial(few_rows, clusters=12, rows=50, far=0.005),
    "far off in 0.5 % of 50 × 10 rows": partial(few_rows, clusters=50, rows=10, far=0.005),
    "far off in 0.5 % of 200 × 10 rows": partial(few_rows, clusters=200, rows=10, far=0.005),
    "12 log-normal clusters": partial(skewed, clusters=12, spread=1),
    "50 log-normal clusters": partial(skewed, clusters=50, spread=1),
    "200 log-normal clusters": partial(skewed, clusters=200, spread=1),
    "12 clusters, autocorrelation 0.2": partial(following, clusters=12, strength=0.2),
    "12 clusters, autocorrelation 0.5": partial(following, clusters=12, strength=0.5),
    "40 clusters, autocorrelation 0.2": partial(following, clusters=40, strength=0.2),
    "40 clusters, autocorrelation 0.5": partial(following, clusters=40, strength=0.5),
}

# --- crivo's rule ---------------------------------------------------------------------------------


def shapes(drawn: Drawn, found: list[Estimate], more: float) -> dict[str, object]:
    """Return what the last difference is to allow for, as `crivo compare` does."""
    deleted = np.array([one.deleted for one in found[-1 - 24 :]])
    seen = {"clusters": of_clusters(deleted, found[-1].clusters, more)}
    if drawn.ordered:
        seen["neighbours"] = of_neighbours(deleted, more)
    if drawn.losses is not None:
        losses = drawn.losses[len(found) - 1]
        seen["rows"] = of_skewness(skewness_of_mean(losses, int(drawn.sizes.sum())))
    return seen


def judged(drawn: Drawn, place: int, found: list[Estimate], critical: float) -> tuple[bool, ...]:
    """Return whether a trial is called different by t, by crivo, and with a sentence."""
    own = found[place]
    if not decided(own, critical):
        return False, False, False
    departures = all_of(shapes(drawn, found[: place + 1], 0))
    if not decided(own._replace(departures=departures), critical):
        return True, False, False
    said = any(
        (kind == "rows" and max(one.below, one.above) > SKEWED)
        or not decided(own._replace(departures=one), critical)
        for kind, one in shapes(drawn, found[: place + 1], MORE).items()
    )
    return True, True, said


def decided(one: Estimate, critical: float) -> bool:
    """Whether an interval excludes 0."""
    limits = interval(one, critical=critical)
    return limits.low > 0 or limits.high < 0


def criticals(clusters: float) -> list[float]:
    """Return each trial's critical value in an open sequence, by the part it may spend alone.

    What trials have in common lowers it a little; to draw that for each world takes hours.
    """
    rule = Spending()
    return [critical_at(rule.level(place), clusters - 1) for place in range(1, TRIALS + 1)]


def sequence(draw: Callable[[np.random.Generator], Drawn], worlds: int) -> np.ndarray:
    """Return shares of worlds: some equal called different by t, by crivo, said of these; powers.

    Powers are those of the first trial, better by what one t comparison finds in 80 %.
    """
    drawn = [draw(np.random.default_rng([7, number])) for number in range(worlds)]
    values = [[one.value for one in each.differences()] for each in drawn]
    count = drawn[0].differences()[0].clusters
    gain = (t_quantile(0.975, count) + t_quantile(0.8, count)) * float(np.std(values))
    rows = []
    for each in drawn:
        found = each.differences()
        limits = criticals(found[0].clusters)
        said = np.array([judged(each, place, found, limits[place]) for place in range(TRIALS)])
        power = judged(each, 0, each.differences(gain), limits[0])
        rows.append((*said.any(axis=0), *power))
    shares = np.mean(rows, axis=0)
    return np.array([shares[0], shares[1], shares[2] / max(shares[1], 1e-9), *shares[3:]])


def sequence_rows(worlds: int) -> Iterator[list[str]]:
    """Give a row for each kind of world."""
    for name, draw in WORLDS.items():
        before, now, said, power, left, beside = sequence(draw, worlds)
        cells = [percent(before), percent(now), f"{100 * said:.0f}" if now > 0 else "–"]
        loss = f"{100 * beside / max(left, 1e-9):.0f}"
        yield [name, *cells, f"{100 * power:.0f}", f"{100 * left:.0f}", loss]


HEAD = ("data", "t alone", "now", "said, %", "power, t alone", "now", "noted, %")


if __name__ == "__main__":
    run(__doc__, 400, "rough", HEAD, sequence_rows)
