"""What a trial of a search costs beyond its fit and scoring: `crivo search` beside other ways.

Run in the project's folder, on a quiet machine, after `dvc repro`: `python benchmarks/search.py`.
Every way runs in a copy of the project of its own, and its trials differ in a setting that doesn't
change how long a fit takes. MLflow is installed into a temporary environment. The tables go to
docs/performance.md.
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
from typing import Any

from pages import renew
from pipeline import DVC, PAGE, ROOT, timed
from search_page import Way, page

HERE = Path(__file__).parent
KEY = "models.boosting.l2_regularization"
# What tracking in SQLite needs besides the package itself.
MLFLOW = ("mlflow-skinny", "sqlalchemy", "alembic", "sqlparse")
# Ours: how many workers, and how many cores they may use, 0 for all. Theirs: trials at once.
OURS = {
    "`crivo search`, 1 worker, one core": (1, 1),
    "`crivo search`, 1 worker, both cores": (1, 0),
    "`crivo search`, 2 workers": (2, 0),
}
THEIRS = {"Optuna with MLflow, 1 at once": 1, "Optuna with MLflow, 2 at once": 2}
# How often these run, in turn.
ROUNDS = 2
# What `search_run.py` tells of a trial.
PARTS = ("trial", "fit", "predict", "train", "evaluate", "recording", "clone", "once")
# DVC's queue must end after so many seconds a trial.
PATIENCE = 300


def copy_of(project: Path, place: Path) -> Path:
    """Return a clone of a project with its outputs and a cache of its own."""
    subprocess.run(["git", "clone", "--quiet", str(project), str(place)], check=True)
    for key, value in (("user.name", "bench"), ("user.email", "bench@example.org")):
        subprocess.run(["git", "config", key, value], cwd=place, check=True)
    shutil.copytree(project / ".dvc/cache", place / ".dvc/cache")
    subprocess.run([*DVC, "checkout", "--quiet"], cwd=place, check=True)
    return place


def json_of(project: Path, python: Path, script: str, *words: object) -> dict[str, Any]:
    """Run a script of this folder in a copy of the project, and return what it prints."""
    environment = {**os.environ, "PYTHONPATH": f"{project / 'src'}{os.pathsep}{HERE}"}
    for name in ("PYTHONDONTWRITEBYTECODE", "OMP_NUM_THREADS"):
        environment.pop(name, None)
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    command = [str(python), str(HERE / script), *map(str, words)]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def environment_with_mlflow(folder: Path) -> Path:
    """Return the Python of an environment that has MLflow besides this one's packages."""
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    own = [path for path in site.getsitepackages() if path.startswith(sys.prefix)]
    for place in folder.glob("lib/python*/site-packages"):
        (place / "project.pth").write_text("".join(f"{path}\n" for path in own))
    subprocess.run([str(python), "-m", "pip", "install", "-qq", *MLFLOW], check=True)
    return python


def settings_of(place: int, iterations: int) -> list[str]:
    """Return the settings of a trial, as DVC takes them."""
    return ["-S", f"models.boosting.max_iter={iterations}", "-S", f"{KEY}=0.{place + 11}"]


def one_after_the_other(project: Path, trials: int, iterations: int) -> float:
    """Return the seconds of `dvc exp run --temp`, for one setting after the other."""
    commands = [
        [*DVC, "exp", "run", "--temp", *settings_of(place, iterations)] for place in range(trials)
    ]
    return sum(timed(command, project).seconds for command in commands)


def by_queue(project: Path, trials: int, iterations: int) -> float:
    """Return the seconds of DVC's queue with two workers."""
    begin = time.perf_counter()
    for place in range(trials):
        timed([*DVC, "exp", "run", "--queue", *settings_of(place, iterations)], project)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # It may wait for its workers after the last experiment, so nobody waits for it.
    starting = subprocess.Popen(
        [*DVC, "queue", "start", "--jobs", "2"],
        cwd=project,
        env={**os.environ, "PATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = begin + PATIENCE * trials
    while len(_experiments(project)) < trials:
        if time.perf_counter() > until:
            status = subprocess.run([*DVC, "queue", "status"], cwd=project, capture_output=True)
            sys.exit(f"DVC's queue has not ended:\n{status.stdout.decode()}")
        time.sleep(0.2)
    seconds = time.perf_counter() - begin
    subprocess.run([*DVC, "queue", "stop", "--kill"], cwd=project, check=False, capture_output=True)
    starting.kill()
    starting.wait()
    return seconds


def _experiments(project: Path) -> list[str]:
    command = ["git", "for-each-ref", "--format=%(refname)", "refs/exps/"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    hidden = ("/exec/", "/celery/", "/temp", "/tempest")
    return [line for line in done.stdout.splitlines() if not any(one in line for one in hidden)]


def measure(
    root: Path, trials: int, few: int, iterations: int
) -> tuple[list[Way], dict[str, float]]:
    """Run all ways, and return them and single numbers of ours."""
    ways: list[Way] = []
    # Workers of DVC's queue may still write there.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        folder, python = Path(temporary), Path(sys.executable)

        def fresh(what: Callable[[Path], Any]) -> Any:
            place = folder / f"project-{time.monotonic_ns()}"
            try:
                return what(copy_of(root, place))
            finally:
                shutil.rmtree(place, ignore_errors=True)

        def said(way: Way) -> None:
            ways.append(way)
            print(way.row(), flush=True)

        def run(with_python: Path, script: str, *words: object) -> dict[str, float]:
            return dict(fresh(lambda at: json_of(at, with_python, script, *words)))

        def fit(cores: int) -> float:
            words = ("fit", "--iterations", iterations, "--trials", 3, "--cores", cores)
            return run(python, "search_run.py", *words)["seconds"]

        other = environment_with_mlflow(folder / "mlflow")
        runs: dict[str, list[dict[str, float]]] = {name: [] for name in (*OURS, *THEIRS)}
        one, both = [], []
        same = ("--iterations", iterations, "--trials", trials)
        for _ in range(ROUNDS):  # a machine gets slower and faster
            one.append(fit(1))
            both.append(fit(0))
            for name, (workers, cores) in OURS.items():
                words = ("search", *same, "--workers", workers, "--cores", cores)
                runs[name].append(run(python, "search_run.py", *words))
            for name, jobs in THEIRS.items():
                runs[name].append(run(other, "optuna_mlflow.py", *same, "--jobs", jobs))
        for name, found in runs.items():
            workers, cores = OURS.get(name, (THEIRS.get(name, 1), 0))
            alone = both if (workers, cores) == (1, 0) else one  # the cores that a trial has
            said(Way(name, trials, mean(each["seconds"] for each in found), alone, workers))
        parts = {key: mean(each[key] for each in runs[next(iter(OURS))]) for key in PARTS}
        driver = run(python, "search_run.py", "driver", "--trials", 64)
        seconds = fresh(lambda at: one_after_the_other(at, few, iterations))
        said(Way("`dvc exp run --temp`, one after the other", few, seconds, both))
        seconds = fresh(lambda at: by_queue(at, few, iterations))
        said(Way("DVC's queue, 2 workers", few, seconds, one, 2))
    numbers = {"one": mean(one), "both": mean(both), "driver": driver["seconds"], **parts}
    return ways, numbers


def main(root: Path, trials: int, few: int, iterations: int, *, write: bool) -> None:
    """Measure, print the tables and put them into the page."""
    part = page(*measure(root, trials, few, iterations), iterations, ROUNDS)
    print(part)
    if write:
        renew(PAGE, part)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20, help="how many trials of a search")
    parser.add_argument("--few", type=int, default=3, help="how many by DVC alone")
    parser.add_argument("--iterations", type=int, default=50, help="the steps of a fit")
    parser.add_argument("--project", type=Path, default=ROOT, help="the project to measure")
    parser.add_argument("--dry", action="store_true", help="leave the page as it is")
    given = parser.parse_args()
    main(given.project, given.trials, given.few, given.iterations, write=not given.dry)
