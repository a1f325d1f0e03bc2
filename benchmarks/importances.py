"""How often intervals of permutation importances, and their ranks, hold the truth.

    python benchmarks/importances.py                # 400 worlds of each kind: two minutes
    python benchmarks/importances.py --worlds 50

A world is 12 or 61 days of rows whose outcome depends on eight features, three of which are equally
important and two not at all. The model knows the truth but for the days. The true importances are
those on 200 times as many days with twenty repeats.
"""

from __future__ import annotations

import argparse
import sys
from math import sqrt
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from crivo.evaluation import inspection

WEIGHTS = np.array([1.0, 0.6, 0.6, 0.6, 0.3, 0.15, 0.0, 0.0])
ROWS, SHUFFLES = 1_000, 20


class Known:
    """A classifier with the true weights."""

    classes_ = np.array([False, True])

    def predict_proba(self, rows: pd.DataFrame) -> np.ndarray:
        score = 1 / (1 + np.exp(0.5 - rows.to_numpy() @ WEIGHTS))
        return np.column_stack([1 - score, score])


def draw(random: np.random.Generator, days: int, size: int) -> tuple[pd.DataFrame, pd.Series]:
    """Return the features and outcomes of so many days of `size` rows; days differ in both."""
    day = np.repeat(np.arange(days), size)
    shifts = 0.5 * random.standard_normal((days, len(WEIGHTS)))
    features = random.standard_normal((len(day), len(WEIGHTS))) + shifts[day]
    effect = 0.5 * random.standard_normal(days)[day]
    chance = 1 / (1 + np.exp(0.5 - features @ WEIGHTS - effect))
    names = [f"x{number}" for number in range(len(WEIGHTS))]
    return pd.DataFrame(features, columns=names), pd.Series(random.random(len(day)) < chance)


def importances(
    random: np.random.Generator, days: int, size: int, clustered: bool = True
) -> pd.DataFrame:
    features, target = draw(random, days, size)
    groups = pd.Categorical(np.repeat(np.arange(days), size)) if clustered else None
    found = inspection.permutation_importance(
        Known(), features, target, int(random.integers(2**32)), groups
    )
    return found.set_index("feature").sort_index()


def truth(days: int, size: int) -> np.ndarray:
    """Return the true importances; equal weights have the same."""
    rows = days * size * SHUFFLES
    with mock.patch.multiple(
        inspection, IMPORTANCE_ROWS=rows, PREDICTED_ROWS=10**9, MOST_SHUFFLES=SHUFFLES
    ):
        found = importances(np.random.default_rng(0), days, size)["loss_increase"]
    return pd.Series(found.to_numpy()).groupby(WEIGHTS).transform("mean").to_numpy()


def judge(found: pd.DataFrame, true: np.ndarray) -> list[float]:
    """Return the share of intervals that hold the truth, whether all ranks do, and their width.

    A feature's true ranks are all that a tie leaves open.
    """
    covers = (found["loss_increase_low"] <= true) & (true <= found["loss_increase_high"])
    best = 1 + (true[None, :] > true[:, None] + 1e-12).sum(axis=1)
    last = len(true) - (true[None, :] < true[:, None] - 1e-12).sum(axis=1)
    ranks = (found["rank_low"] <= best) & (found["rank_high"] >= last)
    width = (found["rank_high"] - found["rank_low"] + 1).mean()
    return [float(covers.mean()), float(ranks.all()), float(width)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=400)
    worlds = parser.parse_args().worlds
    print(
        "| world | intervals that hold, % | worlds in which all ranks hold, % | ranks left open |"
    )
    print("| --- | ---: | ---: | ---: |")
    true = truth(2_000, 20)
    for days in (12, 61):
        for clustered in (True, False):
            drawn = [
                importances(np.random.default_rng(1 + n), days, ROWS // days, clustered)
                for n in range(worlds)
            ]
            hold, ranks, width = np.mean([judge(found, true) for found in drawn], axis=0)
            by = "by days" if clustered else "by rows"
            shares = f"{100 * hold:.1f} | {100 * ranks:.1f} | {width:.1f}"
            print(f"| {days} days, errors {by} | {shares} |", flush=True)
    print(f"Monte-Carlo error {100 * sqrt(0.05 * 0.95 / worlds):.1f} points at 95 %.")


if __name__ == "__main__":
    main()
