"""How often verdicts are wrong where clusters are skewed or alike, and who else breaks there.

    python benchmarks/rough.py                     # 400 worlds of each kind: ten minutes
    python benchmarks/rough.py --times 200 --publish
    python benchmarks/rough.py --only "random kinds" --publish  # a hundred kinds drawn at random

A world is a reference and twenty candidates with the same expected loss, as sums per cluster, of
which no model is fitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import log, sqrt
from textwrap import wrap

import numpy as np
from rough_kinds import random_kind
from scipy.stats import t, wilcoxon
from simulated import GOAL, autoregression, main, percent, table

from crivo.comparison.families import MORE
from crivo.statistics.departures import (
    NONE,
    all_of,
    of_clusters,
    of_neighbours,
    of_skewness,
    times_as_wide,
)
from crivo.statistics.intervals import SKEWED, Estimate, interval, skewness_of_mean, t_quantile
from crivo.statistics.max_t import critical_at
from crivo.statistics.sequence import Spending

TRIALS, SAMPLE = 20, 1_000


@dataclass(frozen=True)
class Drawn:
    """Sums of losses: per cluster of the reference (G,), and of the candidates (trials, G).

    `sizes`: the clusters' rows; `losses`: by how much single rows differ, where there are rows.
    `root`: the metric is the root of the mean. `ordered`: clusters follow each other.
    """

    sums: np.ndarray
    others: np.ndarray
    sizes: np.ndarray
    losses: np.ndarray | None = None
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


def few_rows(
    random: np.random.Generator, clusters: int, rows: int, far: float, root=False
) -> Drawn:
    """Candidates are exact but in a few rows, where they are as far off as to be equal in all."""
    count = clusters * rows
    reference = random.standard_normal(count) ** 2
    losses = np.where(random.random((TRIALS, count)) < far, 1 / far, 0.0)
    sums = losses.reshape(TRIALS, clusters, rows).sum(axis=2)
    places = np.linspace(0, count - 1, min(count, SAMPLE)).astype(int)
    seen = (losses - reference)[:, places]
    own = reference.reshape(clusters, rows).sum(axis=1)
    return Drawn(own, sums, np.full(clusters, float(rows)), seen, root)


def skewed(random: np.random.Generator, clusters: int, spread: float) -> Drawn:
    """Clusters' differences are log-normal around 0."""
    values = np.exp(spread * random.standard_normal((TRIALS, clusters))) - np.exp(spread**2 / 2)
    return Drawn(np.zeros(clusters), values, np.ones(clusters))


def following(random: np.random.Generator, clusters: int, strength: float) -> Drawn:
    """Each model's clusters follow each other as an autoregression."""
    values = autoregression(random.standard_normal((1 + TRIALS, clusters)), strength)
    return Drawn(values[0], values[1:], np.ones(clusters), ordered=True)


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
    "the same with RMSE": partial(few_rows, clusters=12, rows=50, far=0.02, root=True),
    "far off in 2 % of 50 × 10 rows": partial(few_rows, clusters=50, rows=10, far=0.02),
    "the same with 50 × 10 rows and RMSE": partial(
        few_rows, clusters=50, rows=10, far=0.02, root=True
    ),
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

# Nearly every method holds its error here; the table of other methods leaves them out.
EASY = {
    "12 normal clusters in order",
    "40 normal clusters in order",
    "200 normal clusters",
    "far off in 2 % of 200 × 10 rows",
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


def sequence(
    draw: Callable[[np.random.Generator], Drawn], worlds: int, first: int = 7
) -> np.ndarray:
    """Return shares of worlds: some equal called different by t, by crivo, said of these; powers.

    Powers are those of the first trial, better by what one t comparison finds in 80 %.
    """
    drawn = [draw(np.random.default_rng([first, number])) for number in range(worlds)]
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


# --- kinds of worlds that are drawn themselves ----------------------------------------------------

KINDS, REPLICATES = 100, 200


def kind_of(number: int) -> Callable[[np.random.Generator], Drawn]:
    """Return a kind of world that is drawn at random."""
    draw, known = random_kind(np.random.default_rng([37, number]), TRIALS)

    def drawn(random: np.random.Generator) -> Drawn:
        sums, sizes, losses = draw(random)
        places = np.linspace(0, losses.shape[1] - 1, min(losses.shape[1], SAMPLE)).astype(int)
        seen = None if known["ends"] else (losses[1:] - losses[0])[:, places]
        return Drawn(sums[0], sums[1:], sizes.astype(float), seen, known["root"], known["ordered"])

    return drawn


def random_line() -> str:
    """Return how many kinds go beyond the goal, and how many of them without a note."""
    found = []
    for number in range(KINDS):
        found.append(sequence(kind_of(number), REPLICATES, first=31)[:3])
    before, now, said = np.array(found).T
    beyond, unsaid = now > GOAL, percent(float((now * (1 - said)).mean()))
    lines = (
        f"Of {KINDS} kinds, with {REPLICATES} data sets each, {(before > GOAL).sum()} have more "
        f"than 6 % wrong verdicts with t alone, and {beyond.sum()} do now. In "
        f"{(beyond & (said < 0.8)).sum()} of those {beyond.sum()}, fewer than 80 % of the wrong "
        f"verdicts have a note. On average, {percent(before.mean())} % of the data sets get a "
        f"wrong verdict with t alone, and {percent(now.mean())} % now; {unsaid} % get one without "
        "a note."
    )
    return "\n".join(wrap(lines, 100))


# --- what each protection costs -------------------------------------------------------------------

PRICED = ("12 normal clusters in order", "40 normal clusters in order", "200 normal clusters",
          "far off in 2 % of 50 × 10 rows", "far off in 2 % of 200 × 10 rows",
          "50 log-normal clusters", "200 log-normal clusters")  # fmt: skip


def prices(draw: Callable[[np.random.Generator], Drawn], worlds: int) -> dict[str, float]:
    """Return how many times as many clusters a first trial needs to be found in 80 %.

    A gain is found that is larger than the end of the interval without it; clusters count by the
    square of the gain. `own`: those by which a metric's own interval gets as narrow.
    """
    needed: dict[str, list[float]] = {}
    wider = []
    for number in range(worlds):
        drawn = draw(np.random.default_rng([17, number]))
        own = drawn.differences()[0]
        limit = criticals(own.clusters)[0]
        shown = shapes(drawn, [own], 0)
        kinds = {"t": NONE, **shown, "all": all_of(shown)}
        for kind, one in kinds.items():
            high = interval(own._replace(departures=one), critical=limit).high
            needed.setdefault(kind, []).append(high)
        single = t_quantile(0.975, own.clusters)
        needed.setdefault("once", []).append(interval(own, critical=single).high)
        wider.append(times_as_wide(own.deleted, own.clusters) if drawn.ordered else 1.0)
    gain = {kind: float(np.quantile(values, 0.8)) for kind, values in needed.items()}
    found = {kind: (value / gain["t"]) ** 2 for kind, value in gain.items()}
    return found | {"trials": 1 / found["once"], "own": float(np.mean(wider)) ** 2}


def price_rows(worlds: int) -> Iterator[list[str]]:
    """Give a row for each kind of world that has a price."""
    for name in PRICED:
        found = prices(WORLDS[name], worlds)
        cells = (f"{found[kind]:.2f}" if kind in found else "–" for kind in PRICES)
        yield [name, *cells]


# --- other methods --------------------------------------------------------------------------------


def anchors(drawn: Drawn, gain: float, seed: int) -> dict[str, bool]:
    """Return which methods call the first candidate different at 5 %, in one comparison."""
    random, found = np.random.default_rng(seed), drawn.differences(gain)[:1]
    values = (drawn.others[0] - drawn.sums) / drawn.sizes.mean() - gain
    count, mean = len(values), values.mean()
    one = mean / (values.std(ddof=1) / sqrt(count))
    signs = random.integers(0, 2, (999, count)) * 2 - 1
    resampled = values[random.integers(0, count, (999, count))].mean(axis=1)
    low, high = np.quantile(resampled, [0.025, 0.975])
    skewness = float(((values - mean) ** 3).mean() / values.std() ** 3) / 6 / sqrt(count)
    hall = one + skewness * (2 * one**2 + 1) + 4 / 3 * skewness**2 * one**3
    return {
        "crivo": judged(drawn, 0, found, t_quantile(0.975, found[0].clusters))[1],
        "t": abs(one) > t.ppf(0.975, count - 1),
        "Hall": abs(hall) > t.ppf(0.975, count - 1),
        "sign flips": (np.abs(signs @ values / count) >= abs(mean) * (1 - 1e-12)).mean() < 0.05,
        "Wilcoxon": wilcoxon(values, method="approx").pvalue < 0.05,
        "bootstrap": low > 0 or high < 0,
        "folds": folds(values, random) > t.ppf(0.975, 9),
        "halves": halves(values, random) > t.ppf(0.975, 5),
        "sequence": abs(mean) > confidence_sequence(count) * values.std(ddof=1),
    }


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
        if "RMSE" in name or name in EASY:
            continue
        drawn = [draw(np.random.default_rng([13, number])) for number in range(worlds)]
        count = drawn[0].differences()[0].clusters
        spread = float(np.std([each.differences()[0].value for each in drawn]))
        gain = (t_quantile(0.975, count) + t_quantile(0.8, count)) * spread
        shares = [
            np.mean([[*anchors(one, size, number).values()] for number, one in enumerate(drawn)], 0)
            for size in (0.0, gain)
        ]
        cells = [f"{percent(a)}/{100 * b:.0f}" for a, b in zip(*shares, strict=True)]
        print(name, "sign flips, Wilcoxon:", *cells[3:5], flush=True)
        yield [name, *cells[:3], *cells[5:]]


PRICES = {"trials": "trials", "rows": "rows", "clusters": "clusters", "neighbours": "neighbours",
          "all": "these three", "own": "own interval"}  # fmt: skip
HEAD = ("data", "t alone", "now", "wrong, noted, %", "power, t alone", "now", "right, noted, %")
ANCHORS = ("one comparison at 5 %", "crivo", "t", "Hall", "bootstrap", "folds", "5×2cv",
           "confidence sequence")  # fmt: skip


PARTS = {
    "rough": lambda times: table(HEAD, sequence_rows(times), times=times),
    "anchors": lambda times: table(ANCHORS, anchor_rows(times), times=times),
    "prices": lambda times: table(["data", *PRICES.values()], price_rows(times)),
    "random kinds": lambda times: [random_line()],
}

if __name__ == "__main__":
    main(__doc__, 400, PARTS)
