"""Twelve trials on the flights, read one at a time and all at once.

    git clone . ../twelve && cd ../twelve && make repro
    .venv/bin/python benchmarks/twelve_trials.py --publish   # runs the trials: ten minutes

After each trial its verdict is read, and at the end all are read again. Each of the two must be
the same, whatever was tried later.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from simulated import main, table

TRIALS = (
    ("models.boosting.learning_rate=0.05",),
    ("models.boosting.learning_rate=0.2",),
    ("models.boosting.max_iter=100",),
    ("models.boosting.max_leaf_nodes=15",),
    ("models.boosting.max_leaf_nodes=63",),
    ("models.boosting.min_samples_leaf=100",),
    ("models.boosting.l2_regularization=1.0",),
    ("model=linear",),
    ("model=linear", "models.linear.C=0.1"),
    ("featurizers.flights.plane=false",),
    ("featurizers.flights.weather=false",),
    ("featurizers.flights.history=false",),
)


def crivo(*arguments: str) -> str:
    """Return what a command of crivo prints."""
    command = [str(Path(sys.executable).parent / "crivo"), *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def read(*names: str) -> dict[str, dict[str, object]]:
    """Return each experiment's row of the comparison with the commit that is checked out."""
    found = json.loads(crivo("compare", *names, "--against", "HEAD", "--json"))
    return {one["name"]: one for one in found["experiments"]}


def shown(row: dict[str, object]) -> str:
    """Return a row's verdict with the interval that it follows from."""
    numbers = (f"{row[name]:+.4f}" for name in ("difference_low", "difference_high"))
    return f"{row['verdict']} [{', '.join(numbers)}]"


def lines() -> list[str]:
    """Run the trials; return how many verdicts stayed, and a line for each as it was at first."""
    first: dict[str, dict[str, object]] = {}
    for number, changes in enumerate(TRIALS, 1):
        name = f"trial-{number:02d}"
        crivo("try", *changes, "--name", name)
        first |= read(name)
    last = read(*first)
    same = sum(shown(first[name]) == shown(last[name]) for name in first)
    kept = f"{same} of {len(first)} verdicts and intervals were still the same"
    rows = (
        [", ".join(changes).replace("models.", ""), f"{row['difference']:+.4f}", shown(row)]
        for changes, row in zip(TRIALS, first.values(), strict=True)
    )
    told = table(("trial", "difference", "verdict"), rows, texts=(0, 2))
    return [f"{kept} after the last trial.", "", *told]


if __name__ == "__main__":
    main(__doc__, None, {"twelve trials": lambda _: lines()})
