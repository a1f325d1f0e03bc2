"""How long the stage `train` takes alone and when two of them run at once.

Run in the project's folder after `dvc repro`, on a quiet machine: `python benchmarks/fits.py`.
Three ways to choose OpenMP's threads are compared in one run, in turn; the table goes to
docs/performance.md by hand.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORES = str(os.cpu_count())
WAYS = {
    "the free cores (what a stage does)": {},
    f"{CORES} threads, spinning": {"OMP_NUM_THREADS": CORES},
    f"{CORES} threads, OMP_WAIT_POLICY=passive": {
        "OMP_NUM_THREADS": CORES,
        "OMP_WAIT_POLICY": "passive",
    },
    "1 thread": {"OMP_NUM_THREADS": "1"},
}


def seconds(folders: list[Path], way: dict[str, str]) -> float:
    """Return how long the slowest of the stages took that start together, one in each folder."""
    env = {k: v for k, v in os.environ.items() if k not in ("OMP_NUM_THREADS", "OMP_WAIT_POLICY")}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    running = [
        subprocess.Popen(
            [sys.executable, "src/train.py"], cwd=folder, env=env | way, stderr=subprocess.DEVNULL
        )
        for folder in folders
    ]
    codes = [process.wait() for process in running]
    if any(codes):
        sys.exit("train failed; run `dvc repro` first.")
    return time.perf_counter() - start


def copies(place: Path, number: int) -> list[Path]:
    """Return copies of the project with what `train` reads."""
    folders = [place / str(i) for i in range(number)]
    for folder in folders:
        folder.mkdir()
        for name in ("src", "data/prepared", "data/features"):
            shutil.copytree(ROOT / name, folder / name)
        for name in ("params.yaml", "requirements.txt", "dvc.yaml"):
            shutil.copy(ROOT / name, folder)
        (folder / "models").mkdir()
    return folders


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=3, help="counted runs of each")
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as temporary:
        folders = copies(Path(temporary), 2)
        found: dict[tuple[str, int], list[float]] = {}
        for turn in range(times + 1):
            for name, way in WAYS.items():
                for together in (1, 2):
                    took = seconds(folders[:together], way)
                    if turn:  # the first warms up
                        found.setdefault((name, together), []).append(took)
    print("| threads | alone, s | two at once, s |\n| --- | --- | --- |")
    for name in WAYS:
        alone, two = (statistics.median(found[name, together]) for together in (1, 2))
        print(f"| {name} | {alone:.1f} | {two:.1f} |")


if __name__ == "__main__":
    main()
