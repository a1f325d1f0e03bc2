"""How often a weak segment is declared where there is none, and found where there is one.

    python benchmarks/weak_segments.py

Days with good and bad luck, also of each kind of row, with weather that is the same all day.
Prints a line per number of days; a few minutes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from crivo.core.evaluation import Context
from crivo.evaluation.metrics import find_metrics
from crivo.evaluation.weak_segments import weak_segments

CONTEXT = Context("binary", (False, True), True)
METRICS = find_metrics(["log_loss"], "binary")
KINDS = 6
# Days, and rows of each day.
SIZES = ((12, 300), (20, 100), (30, 80), (61, 40))
WORLDS, WEAK_WORLDS = 300, 100


def world(seed: int, days: int, rows: int, wrong: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return predictions and features; of the rows with `a` > 1 a share of targets is turned."""
    rng = np.random.default_rng(seed)
    day = np.repeat(np.arange(days), rows)
    kind = rng.integers(0, KINDS, len(day))
    luck = rng.normal(0, 0.5, days)[day] + rng.normal(0, 0.5, (days, KINDS))[day, kind]
    features = pd.DataFrame(rng.normal(size=(len(day), 4)), columns=list("abcd"))
    features[["temperature", "wind", "rain"]] = rng.normal(size=(days, 3))[day]
    features["kind"] = pd.Categorical.from_codes(kind, list("uvwxyz"))
    target = rng.random(len(day)) < 1 / (1 + np.exp(1 - luck))
    target ^= (features["a"] > 1) & (rng.random(len(day)) < wrong)
    table = {"target": target, "prediction": False, "score": 0.27, "cluster": day, "weight": 1.0}
    ids = [f"{number:06d}" for number in range(len(day))]
    return pd.DataFrame({"id": ids} | table), features


def declared(seed: int, days: int, rows: int, wrong: float = 0.0) -> bool:
    """Return whether any segment is said to be weak."""
    predictions, features = world(seed, days, rows, wrong)
    found = weak_segments(predictions, CONTEXT, features, METRICS)
    return bool((found["verdict"] == "worse").any())


def main() -> None:
    """Print the shares."""
    print("days  rows a day  declared where there is none  found where there is one")
    for days, rows in SIZES:
        false = np.mean([declared(seed, days, rows) for seed in range(WORLDS)])
        found = np.mean([declared(seed, days, rows, 0.5) for seed in range(WEAK_WORLDS)])
        print(f"{days:4}  {rows:10}  {false:28.1%}  {found:24.1%}", flush=True)


if __name__ == "__main__":
    main()
