"""How often the number of clusters that `crivo plan` names decides a comparison.

    python benchmarks/planning.py --worlds 1000            # renews its part of docs/plan.md

In each world a difference is measured on some clusters and is undecided; then so many more clusters
are drawn as the plan asks for. Each world has its own true difference.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from math import isfinite, sqrt
from pathlib import Path

import numpy as np
from scipy.special import stdtrit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from pages import renew

from crivo.evaluation.intervals import Interval, t_quantile
from crivo.experiments.families import Difference
from crivo.experiments.planning import clusters_for, clusters_needed

PAGE = Path("docs/plan.md")
# What the first trial of an open sequence may spend.
LEVEL = 0.0146
CHANCES = (0.5, 0.8)
# How large true differences are, in standard errors of the comparison that is undecided.
SPREADS = {
    "of any size": 20.0,
    "often 1.5 standard errors": 1.5,
    "often half a standard error": 0.5,
}
PART = """\
## <a id="simulated"></a>How often the number decides

Written by `benchmarks/planning.py`: each row summarises {worlds} simulated data sets whose
comparison is undecided. Each has a true difference, drawn from a normal distribution, and gets as
many clusters as the plan asks for. *As seen* is the number for four of five cases if the observed
difference were the true one. The Monte Carlo error is at most {error:.1f} points. Data sets that
would need more than a hundred times their clusters are left out.

| clusters | true differences | decided, of 50 % | decided, of 80 % | as seen, of 80 % |
| ---: | --- | ---: | ---: | ---: |
"""


def shares(clusters: int, spread: float, worlds: int) -> list[float]:
    """Return how often a comparison is decided with the numbers for each chance, and as seen."""
    random = np.random.default_rng(clusters)
    decided: list[list[float]] = [[], [], []]
    while min(map(len, decided)) < worlds:
        true = random.normal(0, spread / sqrt(clusters))
        now = random.normal(true, 1, clusters)
        se = now.std(ddof=1) / sqrt(clusters)
        reach = -stdtrit(clusters - 1, LEVEL / 2)
        if abs(now.mean()) >= reach * se:
            continue
        for place, count in enumerate(_numbers(now.mean(), se, clusters, reach)):
            if isfinite(count) and len(decided[place]) < worlds:
                rows = np.append(now, random.normal(true, 1, int(count) - clusters))
                limit = t_quantile(1 - LEVEL / 2, count) * rows.std(ddof=1) / sqrt(count)
                decided[place].append(abs(rows.mean()) >= limit)
    return [float(np.mean(each)) for each in decided]


def _numbers(value: float, se: float, clusters: int, reach: float) -> Iterator[float]:
    for chance in CHANCES:
        yield clusters_for(chance, value, se, clusters, LEVEL)
    limits = Interval(se, value - reach * se, value + reach * se)
    yield clusters_needed(Difference(value, limits, 0.0, "undecided"), reach, clusters)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=1000)
    worlds = parser.parse_args().worlds
    lines = []
    for clusters in (12, 40):
        for title, spread in SPREADS.items():
            cells = " | ".join(f"{100 * one:.0f}" for one in shares(clusters, spread, worlds))
            lines.append(f"| {clusters} | {title} | {cells} |")
            print(lines[-1], flush=True)
    renew(PAGE, PART.format(worlds=worlds, error=50 / sqrt(worlds)) + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
