"""How often some metric of an equal model is called worse, or a worse one not worse.

    python benchmarks/many_metrics.py                          # 2,000 worlds of each kind: minutes
    python benchmarks/many_metrics.py --worlds 100
    python benchmarks/many_metrics.py --output docs/verdicts.md  # renews its part of that page

A world is a trial, or twenty one after the other, and the differences of its ten metrics from those
of the reference: a number per cluster each, as the jackknife's deleted values hold them. The first
metric is the primary one. Metrics of a trial correlate, for they judge the same predictions.
"""

from __future__ import annotations

import argparse
import sys
from math import sqrt
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from pages import renewed
from sequences import GOAL

from crivo.evaluation import max_t
from crivo.evaluation.max_t import critical_at
from crivo.evaluation.sequence import Spending, Step, levels

METRICS = 10
START = "## Ten metrics of one model\n"
max_t.MAX_DRAWS, max_t.MIN_DRAWS, max_t.MAX_CELLS = 200, 100, 4_000

# Clusters, correlation of the metrics, trials.
WORLDS = ((12, 0.5, 1), (12, 0.9, 1), (61, 0.5, 1), (61, 0.9, 1), (12, 0.5, 20), (61, 0.5, 20))


def draw(random: np.random.Generator, clusters: int, alike: float, trials: int) -> list[np.ndarray]:
    """Return each trial's differences from the reference: a row per cluster, a column per metric.

    Trials have the reference in common.
    """

    def model() -> np.ndarray:
        common = random.standard_normal((clusters, 1))
        own = random.standard_normal((clusters, METRICS))
        return sqrt(alike) * common + sqrt(1 - alike) * own

    reference = model()
    return [model() - reference for _ in range(trials)]


def criticals(differences: list[np.ndarray], shared: bool) -> np.ndarray:
    """Return each trial's critical value of each metric; `shared`: as crivo has them."""
    rule = Spending(1) if len(differences) == 1 else Spending()
    parts = [slice(0, 1), slice(1, None)] if shared else [slice(k, k + 1) for k in range(METRICS)]
    found = np.empty((len(differences), METRICS))
    freedom = len(differences[0]) - 1
    for part in parts:
        given = levels([Step(one[:, part]) for one in differences], rule)
        found[:, part] = np.array([critical_at(level, freedom) for level in given])[:, None]
    return found


def statistics(differences: list[np.ndarray]) -> np.ndarray:
    """Return T of each trial (row) and metric (column)."""
    table = np.stack(differences)
    error = table.std(axis=1, ddof=1) / sqrt(table.shape[1])
    return np.asarray(table.mean(axis=1) / error)


def judge(random: np.random.Generator, world: tuple[int, float, int]) -> np.ndarray:
    """Return what happens in one world: without and with the correction over metrics.

    Any metric of any trial called worse; the same by metrics other than the primary one; the first
    trial's second metric found worse that is worse by four of five times' worth of a single test.
    A model as much worse as the margin is called not worse just as often as an equal is called
    better, so that the second column is also that error.
    """
    differences = draw(random, *world)
    values = statistics(differences)
    harm = sqrt(8) if world[0] > 30 else 3.1
    found = []
    for shared in (False, True):
        reach = criticals(differences, shared)
        worse = values < -reach
        found += [worse.any(), worse[:, 1:].any(), values[0, 1] - harm < -reach[0, 1]]
    return np.array(found)


def report(results: dict[tuple[int, float, int], np.ndarray], worlds: int) -> str:
    """Return the results as Markdown."""
    error = 100 * sqrt(0.05 * 0.95 / worlds)
    lines = [
        START,
        f"Written by `benchmarks/many_metrics.py`. Each row is the result of {worlds:,} simulated",
        f"data sets for one trial and {worlds // 8:,} for twenty trials, with a Monte-Carlo error",
        f"of {error:.1f} and {error * sqrt(8):.1f} points at 5 %.",
        "",
        "In the first two columns, a trial has ten metrics, and none of them is really worse.",
        "*Any worse* is the share of data sets in which some metric is called worse (`--fail-on",
        "worse-in-any`). It is given for metrics that are judged one by one, and for the rule of",
        "`crivo compare`, where all metrics except the primary one share one error. The other",
        "columns are about models that are really worse. *Wrongly not worse* is the share in",
        "which a model that is worse by exactly its margins is called not worse in some metric.",
        "*Found* is the share in which a metric that is really worse is called worse. The goal",
        "is at most 6 %; values that miss it are bold.",
        "",
        "| data | any worse, one by one | any worse | wrongly not worse | found, one by "
        "one | found |",
        "| --- |" + " ---: |" * 5,
    ]
    for (clusters, alike, trials), shares in results.items():
        name = f"{clusters} clusters, metrics with correlation {alike}, "
        name += f"{trials} trial{'s'[: trials > 1]}"
        cells = [_wrong(shares[0]), _wrong(shares[3]), _wrong(shares[4])]
        cells += [f"{100 * shares[2]:.0f}", f"{100 * shares[5]:.0f}"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _wrong(share: float) -> str:
    text = f"{100 * share:.1f}"
    return text if share <= GOAL else f"**{text}**"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=2_000)
    parser.add_argument("--output", type=Path, help="the page whose part is to be renewed")
    options = parser.parse_args()
    results = {}
    for world in WORLDS:
        worlds = options.worlds if world[2] == 1 else options.worlds // 8
        drawn = [judge(np.random.default_rng(number), world) for number in range(worlds)]
        results[world] = np.mean(drawn, axis=0)
        print(world, worlds, results[world].round(3), flush=True)
    if options.output:
        page = options.output.read_text(encoding="utf-8")
        part = renewed(page, report(results, options.worlds))
        options.output.write_text(part, encoding="utf-8")


if __name__ == "__main__":
    main()
