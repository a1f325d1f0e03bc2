"""How often a verdict is wrong when trials come one after the other, or one was chosen.

    python benchmarks/sequences.py                           # 1,000 worlds of each kind: minutes
    python benchmarks/sequences.py --worlds 100
    python benchmarks/sequences.py --output docs/verdicts.md  # renews its part of that page

A world is a reference and twenty models, each with a number per cluster: its metric there, which
is the same for all but for noise. That is what a jackknife's deleted values hold, so no rows are
needed.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import t

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from pages import renew

from crivo.evaluation import intervals, max_t
from crivo.evaluation.intervals import critical_value
from crivo.evaluation.max_t import critical_at
from crivo.evaluation.sequence import Spending, Step, levels

TRIALS = 20
PLACES = (1, 5, 10, 20)
CLUSTERS = (12, 61)
GOAL = 0.06
# Fewer than for people: what a critical value lacks in precision averages out over the worlds.
intervals.DRAWS = 2_000
max_t.MAX_DRAWS, max_t.MIN_DRAWS, max_t.MAX_CELLS = 200, 100, 4_000

RULES = {"plan of 20": Spending(TRIALS), "open": Spending()}
START = "## Trials one after the other, and chosen incumbents\n"


def statistics(differences: np.ndarray) -> np.ndarray:
    """Return |T| of each column."""
    error = differences.std(axis=0, ddof=1) / sqrt(len(differences))
    return np.abs(differences.mean(axis=0) / error)


def all_at_once(differences: np.ndarray) -> np.ndarray:
    """Return the critical value of the family as large as it is at each trial's time."""
    table = pd.DataFrame(differences)
    return np.array([critical_value(table.iloc[:, : j + 1]) for j in range(table.shape[1])])


def in_sequence(differences: np.ndarray, rule: Spending) -> np.ndarray:
    """Return the critical value of each trial against a reference that was named beforehand."""
    found = levels([Step(differences[:, [j]]) for j in range(differences.shape[1])], rule)
    return np.array([critical_at(level, len(differences) - 1) for level in found])


def among_all(models: np.ndarray, rule: Spending) -> np.ndarray:
    """Return the critical value of each model, against all before it: the first has none."""
    steps = [Step(models[:, [j]] - models[:, :j]) for j in range(1, models.shape[1])]
    found = [critical_at(level, len(models) - 1) for level in levels(steps, rule)]
    return np.array([np.nan, *found])


def one_by_one(random: np.random.Generator, clusters: int) -> dict[str, np.ndarray]:
    """Return which trials are called different by each rule, then which are found when better.

    A better one is as much better as a single comparison finds four times in five.
    """
    models = random.standard_normal((clusters, 1 + TRIALS))
    differences = models[:, 1:] - models[:, :1]
    gain = (t.ppf(0.975, clusters - 1) + t.ppf(0.8, clusters - 1)) * sqrt(2 / clusters)
    values = {"at once": all_at_once(differences)}
    values |= {name: in_sequence(differences, rule) for name, rule in RULES.items()}
    equal, better = statistics(differences), statistics(differences + gain)
    values_at = [place - 1 for place in PLACES]
    found = {name: np.r_[(equal > c).any(), (better > c)[values_at]] for name, c in values.items()}
    last = values["at once"][-1]
    found["at once"] = np.r_[found["at once"][0], (better > last)[values_at]]
    return found


def best_as_incumbent(random: np.random.Generator, clusters: int) -> dict[str, np.ndarray]:
    """Return whether some other model is called different from the best of all, by each rule."""
    models = random.standard_normal((clusters, TRIALS))
    best = int(models.mean(axis=0).argmax())
    others = np.delete(np.arange(TRIALS), best)
    differences = models[:, others] - models[:, [best]]
    found = {"at once": statistics(differences) > critical_value(pd.DataFrame(differences))}
    for name, rule in RULES.items():
        values = among_all(models, rule)
        found[name] = statistics(differences) > values[np.maximum(others, best)]
    return {name: np.array([called.any()]) for name, called in found.items()}


def stage(random: np.random.Generator, clusters: int) -> dict[str, np.ndarray]:
    """Return whether the stage calls a new equal different from the best of twenty."""
    models = random.standard_normal((clusters, 1 + TRIALS))
    best = models[:, 1 + int(models[:, 1:].mean(axis=0).argmax())]
    statistic = statistics(models[:, :1] - best[:, None])
    level = 1 - 0.95 ** (1 / TRIALS)
    return {
        "at once": statistic > critical_at(0.05, clusters - 1),
        "stage": statistic > critical_at(level, clusters - 1),
    }


@dataclass(frozen=True)
class Row:
    """A kind of world: shares of worlds by rule, the first of them that of a wrong verdict."""

    name: str
    shares: dict[str, np.ndarray]


def unequal(random: np.random.Generator, sizes: np.ndarray) -> dict[str, np.ndarray]:
    """Return whether any of the trials is called different when clusters have these sizes.

    Each rule but the one from before counts effective clusters, as verdicts do.
    """
    models = random.standard_normal((len(sizes), 1 + TRIALS))
    differences = models[:, 1:] - models[:, :1]
    total = sizes @ differences
    deleted = (total - sizes[:, None] * differences) / (sizes.sum() - sizes)[:, None]
    spread = deleted - deleted.mean(axis=0)
    error = np.sqrt((1 - 1 / len(sizes)) * (spread**2).sum(axis=0))
    statistic = np.abs(total / sizes.sum()) / error
    effective = sizes.sum() ** 2 / (sizes**2).sum()
    found = {"at once": all_at_once(deleted)}
    for name, rule in RULES.items():
        steps = levels([Step(deleted[:, [j]]) for j in range(TRIALS)], rule)
        found[name] = np.array([critical_at(level, effective - 1) for level in steps])
    return {name: np.array([(statistic > values).any()]) for name, values in found.items()}


SIZES = {
    "20 equal models, each read when it is made, 12 clusters of sizes from 30 to 1": np.geomspace(
        1, 30, 12
    ),
    "20 equal models, each read when it is made, 10 clusters, one of 40 % of the rows": np.r_[
        6.0, np.ones(9)
    ],
}
KINDS = {
    "20 equal models, each read when it is made": one_by_one,
    "the best of 20 equal models as incumbent": best_as_incumbent,
    "the stage's verdict on a new equal model, against the best of 20": stage,
}


def simulate(worlds: int) -> list[Row]:
    """Return what became of the verdicts in many worlds of each kind."""
    rows = []
    for kind, run in KINDS.items():
        for clusters in CLUSTERS:
            found = [run(np.random.default_rng(number), clusters) for number in range(worlds)]
            shares = {name: np.mean([one[name] for one in found], axis=0) for name in found[0]}
            rows.append(Row(f"{kind}, {clusters} clusters", shares))
            print(rows[-1], flush=True)
    for kind, sizes in SIZES.items():
        found = [unequal(np.random.default_rng(number), sizes) for number in range(worlds)]
        shares = {name: np.mean([one[name] for one in found], axis=0) for name in found[0]}
        rows.append(Row(kind, shares))
    return rows


def days(critical: float, clusters: int) -> float:
    """Return how many times the clusters a critical value needs for the power of a single t."""
    power = t.ppf(0.8, clusters - 1)
    return ((critical + power) / (t.ppf(0.975, clusters - 1) + power)) ** 2


def report(rows: list[Row], worlds: int) -> str:
    """Return the results as Markdown, from `START` on."""
    error = 100 * sqrt(0.05 * 0.95 / worlds)
    lines = [
        START,
        f"Written by `benchmarks/sequences.py`. Each row is the result of {worlds:,} simulated",
        f"data sets, with a Monte-Carlo error of {error:.1f} points at 5 % and",
        f"{50 / sqrt(worlds):.1f} at 50 %.",
        "",
        "All models are equally good. The table gives the share of data sets in which a verdict",
        "is ever `better` or `worse`. *At once* is the rule that was used before: it corrects",
        "for as many trials as there are when a trial is read, and not for the way in which the",
        "incumbent was chosen. *Plan of 20* and *open* are the rules for a sequence with a plan",
        "and without one, and *the stage* is the verdict in `metrics.json`. The goal is at most",
        "6 %; values that miss it are bold.",
        "",
        "| data | at once | plan of 20 | open | the stage |",
        "| --- |" + " ---: |" * 4,
    ]
    for row in rows:
        cells = [_wrong(row.shares.get(name)) for name in ("at once", *RULES, "stage")]
        lines.append(f"| {row.name} | {' | '.join(cells)} |")
    lines += ["", *_power(rows), "", *_costs()]
    return "\n".join(lines) + "\n"


def _wrong(share: np.ndarray | None) -> str:
    if share is None:
        return "–"
    text = f"{100 * share[0]:.1f}"
    return text if share[0] <= GOAL else f"**{text}**"


def _power(rows: list[Row]) -> list[str]:
    lines = [
        "*Power*: a trial is better by so much that a single comparison finds it in 80 % of data",
        "sets. The table gives the share of data sets in which it is called better, by its place",
        "among the trials. With *at once*, all twenty trials are read at the end.",
        "",
        "| clusters, rule | " + " | ".join(f"trial {place}" for place in PLACES) + " |",
        "| --- |" + " ---: |" * len(PLACES),
    ]
    for row, clusters in zip(rows, CLUSTERS, strict=False):
        for name, shares in row.shares.items():
            cells = " | ".join(f"{100 * share:.0f}" for share in shares[1:])
            lines.append(f"| {clusters}, {name} | {cells} |")
    return lines


def _costs() -> list[str]:
    lines = [
        "*What it costs*: to have the power that it would have alone, a trial needs more days.",
        "The table says how many times as many, if trials have nothing in common. This is an",
        "upper bound; similar trials need fewer.",
        "",
        "| clusters, rule | " + " | ".join(f"trial {place}" for place in PLACES) + " |",
        "| --- |" + " ---: |" * len(PLACES),
    ]
    for clusters in CLUSTERS:
        for name, rule in RULES.items():
            values = [critical_at(rule.level(place), clusters - 1) for place in PLACES]
            cells = " | ".join(f"{days(value, clusters):.1f}" for value in values)
            lines.append(f"| {clusters}, {name} | {cells} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=1_000)
    parser.add_argument("--output", type=Path, help="the page whose part is renewed")
    options = parser.parse_args()
    part = report(simulate(options.worlds), options.worlds)
    if options.output:
        renew(options.output, part)


if __name__ == "__main__":
    main()
