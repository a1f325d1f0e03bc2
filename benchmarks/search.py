"""Trials a minute: `crivo search` beside Optuna with MLflow, and beside DVC alone.

Run in the project's folder, on a quiet machine, after `dvc repro`: `python benchmarks/search.py`.
Every way runs in a copy of the project of its own, and its trials differ in a setting that doesn't
change how long a fit takes. MLflow is installed into a temporary environment. Seconds are those of
the whole command, with its start and its comparison at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import site
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path
from statistics import mean

from commands import CRIVO, DVC, clone, measured
from simulated import ROOT, publish, table

HERE = Path(__file__).parent
KEY = "models.boosting.l2_regularization"
# What tracking in SQLite needs besides the package itself.
MLFLOW = ("mlflow-skinny", "sqlalchemy", "alembic", "sqlparse")
# How often each way runs, in turn: a machine gets slower and faster.
ROUNDS = 2
ONE_CORE = ["taskset", "--cpu-list", "0"]


def copy_of(project: Path, place: Path) -> Path:
    """Return a clone of a project with its outputs and a cache of its own."""
    clone(project, place)
    shutil.copytree(project / ".dvc/cache", place / ".dvc/cache")
    subprocess.run([*DVC, "checkout", "--quiet"], cwd=place, check=True)
    return place


def environment_with_mlflow(folder: Path) -> Path:
    """Return the Python of an environment that has MLflow besides this one's packages."""
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    own = [path for path in site.getsitepackages() if path.startswith(sys.prefix)]
    for place in folder.glob("lib/python*/site-packages"):
        (place / "project.pth").write_text("".join(f"{path}\n" for path in own))
    subprocess.run([str(python), "-m", "pip", "install", "-qq", *MLFLOW], check=True)
    return python


def said_by(project: Path, command: list[str]) -> str:
    """Run a script in a copy of the project, and return its last line."""
    left_out = ("PYTHONDONTWRITEBYTECODE", "OMP_NUM_THREADS")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    environment["PYTHONPATH"] = f"{project / 'src'}{os.pathsep}{HERE}"
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done.stdout.splitlines()[-1]


def by_crivo(project: Path, trials: int, workers: int, before: list[str]) -> float:
    """Return the seconds of a search."""
    space = ["model=boosting", f"{KEY}=uniform(0.01, 0.1)"]
    options = ["--trials", str(trials), "--workers", str(workers), "--sampler", "random"]
    command = [*before, *CRIVO, "search", *space, *options]
    return measured(command, project).wall


def by_optuna(project: Path, trials: int, iterations: int, at_once: int, python: Path) -> float:
    """Return the seconds of Optuna's trials, without its imports."""
    command = [str(python), str(HERE / "optuna_mlflow.py"), "--jobs", str(at_once)]
    command += ["--trials", str(trials), "--iterations", str(iterations)]
    return float(json.loads(said_by(project, command))["seconds"])


def by_dvc(project: Path, trials: int) -> float:
    """Return the seconds of `dvc exp run --temp`, for one setting after the other."""
    changes = [f"{KEY}=0.{place + 11}" for place in range(trials)]
    command = [*DVC, "exp", "run", "--temp", "-S"]
    return sum(measured([*command, change], project).wall for change in changes)


def fit(project: Path, before: list[str]) -> float:
    """Return the seconds of fit and scoring alone, once the rows are read."""
    script = [sys.executable, str(HERE / "plain.py"), "--fit"]
    return float(said_by(project, [*before, *script]))


def measure(trials: int, few: int, iterations: int) -> tuple[list[list[str]], list[str]]:
    """Run all ways; return a line for each, and sentences on what follows."""
    seconds: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        base = copy_of(ROOT, folder / "base")
        params = base / "params.yaml"
        steps = params.read_text(encoding="utf-8").replace(
            "max_iter: 200", f"max_iter: {iterations}", 1
        )
        params.write_text(steps, encoding="utf-8")
        measured([*DVC, "repro"], base)
        subprocess.run(["git", "commit", "-qam", "Fit fewer steps"], cwd=base, check=True)
        python = environment_with_mlflow(folder / "mlflow")
        ways: dict[str, Callable[[Path], float]] = {
            "fit and scoring alone, one core": lambda at: fit(at, ONE_CORE),
            "`crivo search`, 1 worker, one core": lambda at: by_crivo(at, trials, 1, ONE_CORE),
            "`crivo search`, 2 workers": lambda at: by_crivo(at, trials, 2, []),
            "Optuna with MLflow, 1 at once": lambda at: by_optuna(
                at, trials, iterations, 1, python
            ),
            "Optuna with MLflow, 2 at once": lambda at: by_optuna(
                at, trials, iterations, 2, python
            ),
            "`dvc exp run --temp`": lambda at: by_dvc(at, few),
        }
        counts = dict.fromkeys(ways, trials) | {"`dvc exp run --temp`": few, next(iter(ways)): 1}
        for _ in range(ROUNDS):
            for name, run in ways.items():
                place = copy_of(base, folder / f"project-{time.monotonic_ns()}")
                seconds.setdefault(name, []).append(run(place) / counts[name])
                shutil.rmtree(place, ignore_errors=True)
    each = {name: mean(found) for name, found in seconds.items()}
    rows = [[name, f"{counts[name]}", f"{s:.2f}", f"{60 / s:.1f}"] for name, s in each.items()]
    alone, one, two, *optuna, dvc = each.values()
    return rows, [
        f"A trial takes {one - alone:.2f} s beyond its fit and scoring. Two workers are",
        f"{one / two:.2f} times as fast as one. With them, `crivo search` runs",
        f"{min(optuna) / two:.2f} times as many trials a minute as Optuna with MLflow, and",
        f"{dvc / two:.1f} times as many as DVC.",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20, help="how many trials of a search")
    parser.add_argument("--few", type=int, default=3, help="how many by DVC alone")
    parser.add_argument("--iterations", type=int, default=50, help="the steps of a fit")
    given = parser.parse_args()
    rows, words = measure(given.trials, given.few, given.iterations)
    lines = [*table(("way", "trials", "s per trial", "trials a minute"), rows), "", *words]
    print(*lines, sep="\n")
    publish("evidence.md", "search", lines)


if __name__ == "__main__":
    main()
