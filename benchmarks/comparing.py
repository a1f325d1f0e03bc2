"""How long `crivo compare` takes over a hundred experiments, and how it grows.

Run in the project's folder: `python benchmarks/comparing.py`. The experiments are small
commits as DVC records them; the ratio is that of a hundred to ten, each a process of its own.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.crivo.experiments.repository import Project, evaluation_files, settings

COMMAND = [sys.executable, "-m", "crivo.cli", "compare"]


def repository(folder: Path, count: int) -> Path:
    """Return a repository with a commit and so many trials of it."""
    project = Project(folder)
    random = np.random.default_rng(0)
    names = ("roc_auc", "log_loss", "brier")
    for number in range(count + 1):
        deleted = [round(float(value), 8) for value in random.normal(0.7, 0.01, 12)]
        own = settings(models__boosting__learning_rate=number / 100)
        files = evaluation_files(dict.fromkeys(names, (0.7, deleted)), settings=own)
        if number == 0:
            project.commit(files)
        else:
            project.trial(f"trial{number}", files)
    return folder


def seconds(folder: Path) -> float:
    start = time.perf_counter()
    subprocess.run(COMMAND, cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        ten, hundred = (repository(Path(temporary) / str(n), n) for n in (10, 100))
        pairs = [(seconds(ten), seconds(hundred)) for _ in range(4)][1:]
    few, many = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"10 experiments {few:.2f} s, 100 experiments {many:.2f} s: {many / few:.1f} × (≤ 5 s)")


if __name__ == "__main__":
    main()
