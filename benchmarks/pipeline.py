"""What the framework costs: the pipeline against one plain script that does the same work.

Run in the project's folder, on a quiet machine: `python benchmarks/pipeline.py --publish`. Each
comparison is made in one run, the two commands in turn; the ratios are what counts. The table goes
to docs/evidence.md. The second line has one year of flights repeated ten times with shifted dates.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from platform import python_version
from statistics import median

import pandas as pd
from commands import CRIVO, DVC, Cost, clone, measured
from large import FLIGHTS, SPLIT_AT, Settings
from simulated import ROOT, main, table

from crivo.project.params_file import edited_params

PLAIN = [sys.executable, str(ROOT / "benchmarks/plain.py")]
REPRO = [*DVC, "repro"]
Runs = tuple[list[Cost], list[Cost]]


def in_turn(ours: Callable[[int], Cost], theirs: Callable[[int], Cost], times: int) -> Runs:
    """Run both once to warm up, then in turn."""
    pairs = [(ours(i), theirs(i)) for i in range(times + 1)][1:]
    return [a for a, _ in pairs], [b for _, b in pairs]


def row(name: str, runs: Runs, limit: float, unit: str = "×") -> list[str]:
    """Return a line: medians, their ratio or the seconds between, and if that reaches the goal."""
    ours, theirs = ([run.wall for run in some] for some in runs)
    pairs = zip(ours, theirs, strict=True)
    value = median(a / b if unit == "×" else a - b for a, b in pairs)
    met, peak = "yes" if value <= limit else "no", max(run.megabytes for run in runs[0])
    medians = (f"{median(some):.2f}" for some in (ours, theirs))
    return [name, *medians, f"{value:.2f} {unit}", f"≤ {limit:g} {unit}", met, f"{peak:.0f}"]


def one_trial(project: Path, times: int, way: str, command: list[str], first: float) -> list[str]:
    """Compare a trial of one setting, which none had before: `first` and more."""

    def trial(i: int) -> Cost:
        setting = f"models.boosting.l2_regularization={first + 0.001 * i:.3f}"
        return measured([*command, setting], project)

    runs = in_turn(trial, lambda i: measured([*PLAIN, "--fit"], project), times)
    return row(f"a trial by {way}, minus fit and score", runs, 5, "s")


def empty_pipeline(folder: Path) -> Path:
    """Return a project of four stages that copy one line each."""
    stages = ["stages:"]
    for i in range(4):
        copy = f"import shutil; shutil.copy('{i}.txt', '{i + 1}.txt')"
        stages += [f"  s{i}:", f'    cmd: python -c "{copy}"', f"    deps: [{i}.txt]"]
        stages += [f"    outs: [{i + 1}.txt]"]
    folder.mkdir()
    (folder / "0.txt").write_text("line\n")
    (folder / "dvc.yaml").write_text("\n".join(stages) + "\n")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run([*DVC, "init", "-q"], cwd=folder, check=True)
    measured(REPRO, folder)
    return folder


def repeat_flights(project: Path, times: int) -> Settings:
    """Write the raw flights of so many years, each a copy of 2013; settings that split them."""
    folder = project / "data/raw/flights"
    shutil.copytree(FLIGHTS, folder)
    for name in ("flights.csv.zip", "weather.csv"):
        rows = pd.read_csv(FLIGHTS / name, dtype="str", keep_default_na=False)
        (folder / name).unlink()
        for i in range(times):
            year = str(2013 + i)
            copy = rows.assign(year=year, time_hour=year + rows["time_hour"].str[4:])
            copy.to_csv(folder / "rows.csv", mode="a" if i else "w", header=not i, index=False)
        if name.endswith(".zip"):
            command = ["zip", "-q1j", folder / name, folder / "rows.csv"]
            subprocess.run(command, check=True)
            (folder / "rows.csv").unlink()
        else:
            (folder / "rows.csv").rename(folder / name)
    return SPLIT_AT


def own_copy(folder: Path, years: int = 1) -> Path:
    """Return a clone of the project with its raw data of so many years, its pipeline run once."""
    clone(ROOT, folder)
    if years == 1:
        shutil.copytree(ROOT / "data/raw/flights", folder / "data/raw/flights", dirs_exist_ok=True)
    else:
        (folder / "data/raw/flights.dvc").unlink()
        params = folder / "params.yaml"
        params.write_text(edited_params(params, repeat_flights(folder, years)), encoding="utf-8")
        measured([*DVC, "add", "data/raw/flights"], folder)
        commit(folder)
    measured(REPRO, folder)
    commit(folder)
    return folder


def commit(folder: Path) -> None:
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)
    subprocess.run(["git", "commit", "-qm", "run", "--allow-empty"], cwd=folder, check=True)


HEAD = ("what", "ours, s", "other, s", "ratio or difference", "goal", "met", "peak MB")


YEARS = 10


def rows_of(times: int) -> Iterator[list[str]]:
    """Give a row for each pair of commands."""
    with tempfile.TemporaryDirectory() as temporary:
        project = own_copy(Path(temporary) / "project")
        empty = empty_pipeline(Path(temporary) / "empty")
        again = [*REPRO, "--force"]
        whole = in_turn(
            lambda i: measured(again, project), lambda i: measured(PLAIN, project), times
        )
        yield row("the whole pipeline / a plain script", whole, 1.5)
        # Without a warm-up: each takes minutes.
        large = own_copy(Path(temporary) / "years", YEARS)
        once = [measured(again, large)], [measured(PLAIN, large)]
        yield row(f"the same, {YEARS} × the rows, once", once, 1.15)
        idle = in_turn(
            lambda i: measured(REPRO, project), lambda i: measured(REPRO, empty), times * 3
        )
        yield row("nothing to do / four empty stages", idle, 1.15)
        yield one_trial(project, times, "`crivo try`", [*CRIVO, "try"], 0.001)
        by_dvc = [*DVC, "exp", "run", "-S"]
        yield one_trial(project, times, "`dvc exp run`", by_dvc, 0.5)


def lines(times: int) -> list[str]:
    """Return where it was measured, and the table."""
    where = f"{times} runs after a warm-up, {os.cpu_count()} cores, Python {python_version()}."
    return [where, "", *table(HEAD, rows_of(times))]


if __name__ == "__main__":
    main(__doc__, 3, {"pipeline": lines})
