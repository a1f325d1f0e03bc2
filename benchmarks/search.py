"""What a trial of a search costs beyond its fit and scoring: `crivo search` beside DVC.

Run in the project's folder, on a quiet machine, after `dvc repro`: `python benchmarks/search.py`.
Every way runs trials of the same setting, which changes neither what is fitted nor how long it
takes, in a copy of the project of its own. Fit and scoring alone are a plain script's. The table
goes to docs/performance.md.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pages import renew
from pipeline import DVC, PAGE, ROOT, timed

KEY = "models.boosting.l2_regularization"
CRIVO = [sys.executable, "-m", "crivo.cli"]


@dataclass
class Way:
    """One way to run trials: how many it ran, and in how many seconds in all."""

    name: str
    trials: int
    seconds: float

    def row(self, fit: float) -> str:
        """Return its line of the table; `fit`: the seconds of fit and scoring alone."""
        each = self.seconds / self.trials
        return f"| {self.name} | {self.trials} | {each:.2f} | {each - fit:.2f} | {60 / each:.1f} |"


def copy_of(project: Path, place: Path) -> Path:
    """Return a clone of a project with its outputs and a cache of its own."""
    subprocess.run(["git", "clone", "--quiet", str(project), str(place)], check=True)
    for name in ("cache", "config.local"):
        source = project / ".dvc" / name
        if source.is_dir():
            shutil.copytree(source, place / ".dvc" / name)
        elif source.exists():
            shutil.copy(source, place / ".dvc" / name)
    subprocess.run([*DVC, "checkout", "--quiet"], cwd=place, check=True)
    return place


def by_search(workers: int, trials: int) -> Callable[[Path], float]:
    """Return what runs a search and gives its seconds, the comparison at its end with them."""
    options = ["--sampler", "random", "--trials", str(trials), "--workers", str(workers)]
    command = [*CRIVO, "search", f"{KEY}=uniform(0.001, 0.1)", *options, "--quiet"]
    return lambda project: timed(command, project).seconds


def by_dvc(trials: int) -> Callable[[Path], float]:
    """Return what runs `dvc exp run --temp` for one setting after the other."""

    def run(project: Path) -> float:
        settings = [f"{KEY}={0.001 * (place + 1):.3f}" for place in range(trials)]
        commands = [[*DVC, "exp", "run", "--temp", "-S", one] for one in settings]
        return sum(timed(command, project).seconds for command in commands)

    return run


def main(trials: int, few: int) -> None:
    """Measure, print the table and put it into the page."""
    plain = [sys.executable, str(ROOT / "benchmarks/plain.py"), "--fit"]
    fit = statistics.median(timed(plain, ROOT).seconds for _ in range(3))
    ways = {
        "`crivo search`, 1 worker": (by_search(1, trials), trials),
        "`crivo search`, 2 workers": (by_search(2, trials), trials),
        "`dvc exp run --temp`, one after the other": (by_dvc(few), few),
    }
    rows = []
    for name, (run, count) in ways.items():
        with tempfile.TemporaryDirectory() as folder:
            project = copy_of(ROOT, Path(folder) / "project")
            rows.append(Way(name, count, run(project)).row(fit))
            print(rows[-1], flush=True)
    part = "\n".join(
        [
            "## A trial of a search",
            "",
            "Written by `benchmarks/search.py`. Fit and scoring alone, in a plain script: "
            f"{fit:.2f} s. The seconds of a trial are those of the whole command divided by its "
            "trials, the start and the comparison at the end included.",
            "",
            "| way | trials | s per trial | s beyond fit and scoring | trials a minute |",
            "| --- | ---: | ---: | ---: | ---: |",
            *rows,
        ]
    )
    renew(PAGE, part)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20, help="how many trials of a search")
    parser.add_argument("--few", type=int, default=5, help="how many by DVC alone")
    given = parser.parse_args()
    main(given.trials, given.few)
