"""How often verdicts are wrong where clusters are skewed or alike, and who else breaks there.

A world is a reference and twenty candidates with the same expected loss, as sums per cluster, of
which no model is fitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import log, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd
from rough_kinds import random_kind
from scipy.stats import skew, t
from simulated import GOAL, autoregression, main, percent, table

from crivo.comparison.families import LATEST, MORE
from crivo.evaluation.allowances import allowances
from crivo.evaluation.assess import LOSS_ROWS
from crivo.statistics.departures import NONE, Departures, all_of, times_as_wide
from crivo.statistics.intervals import SKEWED, Estimate, interval, t_quantile
from crivo.statistics.max_t import critical_at
from crivo.statistics.sequence import Spending

TRIALS = 20
NO_LOSSES = np.empty((TRIALS, 0))


class Drawn(NamedTuple):
    """Sums of losses: per cluster of the reference (G,), and of the candidates (trials, G).

    `sizes`: the clusters' rows; `losses`: by how much single rows differ, where there are rows.
    `root`: the metric is the root of the mean. `ordered`: clusters follow each other.
    """

    sums: np.ndarray
    others: np.ndarray
    sizes: np.ndarray
    losses: np.ndarray = NO_LOSSES
    root: bool = False
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
        means = without / (self.sizes.sum() - np.append(0, self.sizes))
        return np.asarray(np.sqrt(means) if self.root else means)


Draw = Callable[[np.random.Generator], Drawn]


def few_rows(
    random: np.random.Generator, clusters: int, rows: int, far: float, root: bool
) -> Drawn:
    """Candidates are exact but in a few rows, where they are as far off as to be equal in all."""
    count = clusters * rows
    reference = random.standard_normal(count) ** 2
    losses = np.where(random.random((TRIALS, count)) < far, 1 / far, 0.0)
    sums = losses.reshape(TRIALS, clusters, rows).sum(axis=2)
    own = reference.reshape(clusters, rows).sum(axis=1)
    return Drawn(own, sums, np.full(clusters, float(rows)), losses - reference, root)


def skewed(random: np.random.Generator, clusters: int) -> Drawn:
    """Clusters' differences are log-normal around 0."""
    values = np.exp(random.standard_normal((TRIALS, clusters))) - np.exp(1 / 2)
    return Drawn(np.zeros(clusters), values, np.ones(clusters))


def following(
    random: np.random.Generator, clusters: int, strength: float = 0.0, ordered: bool = True
) -> Drawn:
    """Each model's clusters are normal, and follow each other as an autoregression if in order."""
    values = autoregression(random.standard_normal((1 + TRIALS, clusters)), strength)
    return Drawn(values[0], values[1:], np.ones(clusters), ordered=ordered)


def far_off(clusters: int, rows: int, far: float, root: bool = False) -> tuple[str, Draw]:
    """Return a kind of world with few rows that matter, after its name."""
    name = f"far off in {100 * far:g} % of {clusters} × {rows} rows{', RMSE' if root else ''}"
    return name, partial(few_rows, clusters=clusters, rows=rows, far=far, root=root)


WORLDS: dict[str, Draw] = {
    "12 normal clusters": partial(following, clusters=12, ordered=False),
    "12 normal clusters in order": partial(following, clusters=12),
    "40 normal clusters in order": partial(following, clusters=40),
    "200 normal clusters": partial(following, clusters=200, ordered=False),
    **dict(far_off(*size, 0.02, root) for size in ((12, 50), (50, 10)) for root in (False, True)),
    **dict([far_off(200, 10, 0.02)]),
    **dict(far_off(*size, 0.005) for size in ((12, 50), (50, 10), (200, 10))),
    **{f"{n} log-normal clusters": partial(skewed, clusters=n) for n in (12, 50, 200)},
    **{
        f"{n} clusters, autocorrelation {strength}": partial(
            following, clusters=n, strength=strength
        )
        for n in (12, 40)
        for strength in (0.2, 0.5)
    },
}


# --- crivo's rule ---------------------------------------------------------------------------------


def allowed(drawn: Drawn, found: list[Estimate], more: float = 0.0) -> dict[str, Departures]:
    """Return what the last difference has to allow for, as `crivo compare` does."""
    losses = drawn.losses[len(found) - 1]
    places = np.linspace(0, len(losses) - 1, min(len(losses), LOSS_ROWS)).astype(int)
    return allowances(
        np.array([one.deleted for one in found[-1 - LATEST :]]),
        found[-1].clusters,
        in_order=drawn.ordered,
        losses=losses[places],
        rows=int(drawn.sizes.sum()),
        more=more,
    )


def judged(drawn: Drawn, found: list[Estimate], critical: float) -> tuple[bool, bool, bool]:
    """Return whether the last trial is called different by t, by crivo, and with a note."""
    own = found[-1]
    if not decided(own, critical):
        return False, False, False
    if not decided(own._replace(departures=all_of(allowed(drawn, found))), critical):
        return True, False, False
    said = any(
        (kind == "rows" and max(one.below, one.above) > SKEWED)
        or not decided(own._replace(departures=one), critical)
        for kind, one in allowed(drawn, found, MORE).items()
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


def detectable(found: list[Estimate]) -> float:
    """Return the gain that one t comparison finds in 80 %, if these differences are of equals."""
    count = found[0].clusters
    spread = float(np.std([one.value for one in found]))
    return (t_quantile(0.975, count) + t_quantile(0.8, count)) * spread


def sequence(draw: Draw, worlds: int, first: int = 7) -> np.ndarray:
    """Return shares of worlds: some equal called different by t, by crivo, said of these; powers.

    Powers are those of the first trial, better by what one t comparison finds in 80 %.
    """
    drawn = [draw(np.random.default_rng([first, number])) for number in range(worlds)]
    gain = detectable([one for each in drawn for one in each.differences()])
    rows = []
    for each in drawn:
        found = each.differences()
        limits = criticals(found[0].clusters)
        said = [judged(each, found[: place + 1], one) for place, one in enumerate(limits)]
        power = judged(each, each.differences(gain)[:1], limits[0])
        rows.append((*np.any(said, axis=0), *power))
    shares = np.mean(rows, axis=0)
    return np.array([shares[0], shares[1], shares[2] / max(shares[1], 1e-9), *shares[3:]])


def sequence_rows(worlds: int) -> Iterator[list[str]]:
    """Give a row for each kind of world."""
    for name, draw in WORLDS.items():
        before, now, said, power, left, beside = sequence(draw, worlds)
        cells = [percent(before), percent(now), f"{100 * said:.0f}" if now > 0 else "–"]
        loss = f"{100 * beside / max(left, 1e-9):.0f}"
        yield [name, *cells, f"{100 * power:.0f}", f"{100 * left:.0f}", loss]


# --- kinds of worlds that are drawn themselves ----------------------------------------------------

KINDS, REPLICATES = 100, 200


def kind_of(number: int) -> Draw:
    """Return a kind of world that is drawn at random."""
    draw, known = random_kind(np.random.default_rng([37, number]), TRIALS)

    def drawn(random: np.random.Generator) -> Drawn:
        sums, sizes, losses = draw(random)
        seen = NO_LOSSES if known["ends"] else losses[1:] - losses[0]
        return Drawn(sums[0], sums[1:], sizes.astype(float), seen, known["root"], known["ordered"])

    return drawn


def random_rows() -> Iterator[list[str]]:
    """Give how many kinds go beyond the goal and how often that is noted, of all and the worst."""
    found = [sequence(kind_of(number), REPLICATES, first=31)[:3] for number in range(KINDS)]
    before, now, said = np.array(found).T
    beyond = now > GOAL
    few, unsaid = (beyond & (said < 0.8)).sum(), (now * (1 - said)).mean()
    yield ["kinds with more than 6 % wrong verdicts", f"{(before > GOAL).sum()}", f"{beyond.sum()}"]
    yield ["of these, kinds with a note on fewer than 80 % of the wrong verdicts", "", f"{few}"]
    yield ["wrong verdicts in all kinds, %", percent(before.mean()), percent(now.mean())]
    yield ["wrong verdicts without a note in all kinds, %", "", percent(unsaid)]
    for what, kind in zip(("worst", "second worst"), np.argsort(-now), strict=False):
        yield [f"wrong verdicts in the {what} kind, %", "", f"{100 * now[kind]:.0f}"]
        yield ["of these, with a note, %", "", f"{100 * said[kind]:.0f}"]


# --- what each protection costs -------------------------------------------------------------------

PRICED = ("12 normal clusters in order", "40 normal clusters in order", "200 normal clusters",
          "far off in 2 % of 50 × 10 rows", "far off in 2 % of 200 × 10 rows",
          "50 log-normal clusters", "200 log-normal clusters")  # fmt: skip
PRICES = ("trials", "rows", "clusters", "neighbours", "these three", "own interval")


def prices(draw: Draw, worlds: int) -> dict[str, float]:
    """Return how many times as many clusters a first trial needs to be found in 80 %.

    A gain is found that is larger than the end of the interval without it; clusters count by the
    square of the gain. `own interval`: those by which a metric's own interval gets as narrow.
    """
    ends, wider = [], []
    for number in range(worlds):
        drawn = draw(np.random.default_rng([17, number]))
        own = drawn.differences()[0]
        limit = criticals(own.clusters)[0]
        shown = allowed(drawn, [own])
        kinds = {"t": NONE, **shown, "these three": all_of(shown)}
        high = {
            kind: interval(own._replace(departures=one), critical=limit).high
            for kind, one in kinds.items()
        }
        once = interval(own, critical=t_quantile(0.975, own.clusters)).high
        ends.append(high | {"once": once})
        wider.append(times_as_wide(own.deleted, own.clusters) if drawn.ordered else 1.0)
    gain = pd.DataFrame(ends).quantile(0.8)
    found = (gain / gain["t"]) ** 2
    return {**found, "trials": 1 / found["once"], "own interval": float(np.mean(wider)) ** 2}


def price_rows(worlds: int) -> Iterator[list[str]]:
    """Give a row for each kind of world that has a price."""
    for name in PRICED:
        found = prices(WORLDS[name], worlds)
        yield [name, *(f"{found[kind]:.2f}" if kind in found else "–" for kind in PRICES)]


# --- other methods --------------------------------------------------------------------------------


def anchors(drawn: Drawn, gain: float, seed: int) -> list[bool]:
    """Return which methods call the first candidate different at 5 %, in one comparison."""
    random, found = np.random.default_rng(seed), drawn.differences(gain)[:1]
    values = (drawn.others[0] - drawn.sums) / drawn.sizes.mean() - gain
    count, mean = len(values), values.mean()
    one = mean / (values.std(ddof=1) / sqrt(count))
    resampled = values[random.integers(0, count, (999, count))].mean(axis=1)
    low, high = np.quantile(resampled, [0.025, 0.975])
    skewness = float(skew(values)) / 6 / sqrt(count)
    hall = one + skewness * (2 * one**2 + 1) + 4 / 3 * skewness**2 * one**3
    return [
        judged(drawn, found, t_quantile(0.975, found[0].clusters))[1],
        abs(one) > t.ppf(0.975, count - 1),
        abs(hall) > t.ppf(0.975, count - 1),
        low > 0 or high < 0,
        folds(values, random) > t.ppf(0.975, 9),
        halves(values, random) > t.ppf(0.975, 5),
        abs(mean) > confidence_sequence(count) * values.std(ddof=1),
    ]


def folds(values: np.ndarray, random: np.random.Generator) -> float:
    """Return |T| of Nadeau & Bengio (2003) over ten folds of clusters, of models that stay."""
    means = [part.mean() for part in np.array_split(random.permutation(values), 10)]
    return float(abs(np.mean(means)) / sqrt((1 / 10 + 1 / 9) * np.var(means, ddof=1)))


def halves(values: np.ndarray, random: np.random.Generator) -> float:
    """Return |T| of Dietterich's (1998) 5×2cv over halves of the clusters."""
    pairs = [np.array_split(random.permutation(values), 2) for _ in range(5)]
    means = np.array([[part.mean() for part in pair] for pair in pairs])
    return float(abs(means[0, 0]) / sqrt(means.var(axis=1, ddof=1).mean()))


def confidence_sequence(count: int) -> float:
    """Return the half width, in standard deviations, of an asymptotic confidence sequence.

    Waudby-Smith et al. (2024), tuned to be narrowest at this count.
    """
    square = -2 * log(0.05) + log(-2 * log(0.05) + 1)
    return sqrt((square + 1) / (square * count) * log((square + 1) / 0.05**2))


def anchor_rows(worlds: int) -> Iterator[list[str]]:
    """Give a row for each kind of world: false verdicts / power."""
    for name, draw in WORLDS.items():
        drawn = [draw(np.random.default_rng([13, number])) for number in range(worlds)]
        if drawn[0].root:
            continue  # these methods compare means
        gain = detectable([each.differences()[0] for each in drawn])
        shares = [
            np.mean([anchors(one, size, number) for number, one in enumerate(drawn)], axis=0)
            for size in (0.0, gain)
        ]
        yield [name, *(f"{percent(a)}/{100 * b:.0f}" for a, b in zip(*shares, strict=True))]


RANDOM = (f"{KINDS} kinds, {REPLICATES} data sets each", "t alone", "now")
HEAD = ("data", "t alone", "now", "wrong, noted, %", "power, t alone", "now", "right, noted, %")
ANCHORS = ("one comparison at 5 %", "crivo", "t", "Hall", "bootstrap", "folds", "5×2cv",
           "confidence sequence")  # fmt: skip
PARTS = {
    "rough": lambda times: table(HEAD, sequence_rows(times), times=times),
    "anchors": lambda times: table(ANCHORS, anchor_rows(times), times=times),
    "prices": lambda times: table(["data", *PRICES], price_rows(times)),
    "random kinds": lambda _: table(RANDOM, random_rows()),
}

if __name__ == "__main__":
    main(__doc__, 400, PARTS)
