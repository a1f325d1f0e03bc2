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
from collections.abc import Iterator, Sequence
from pathlib import Path
from platform import python_version
from statistics import median

import pandas as pd
from commands import CRIVO, DVC, Cost, clone, commit, measured, with_raw_data
from large import FLIGHTS, SPLIT_AT
from simulated import ROOT, main, table

PLAIN = [sys.executable, str(ROOT / "benchmarks/plain.py")]
REPRO = [*DVC, "repro"]


def in_turn(
    ours: Sequence[str], theirs: Sequence[str], folder: Path, other: Path, times: int
) -> list[list[Cost]]:
    """Run commands in their folders, once to warm up, then in turn; {} is the number of the run."""
    runs: list[list[Cost]] = [[], []]
    for number in range(times + 1):
        for found, command, place in zip(runs, (ours, theirs), (folder, other), strict=True):
            found.append(measured([part.replace("{}", str(number)) for part in command], place))
    return [some[1:] for some in runs]


def row(name: str, runs: Sequence[list[Cost]], limit: float, unit: str = "×") -> list[str]:
    """Return a line: medians, their ratio or the seconds between, and if that reaches the goal."""
    ours, theirs = ([run.wall for run in some] for some in runs)
    pairs = zip(ours, theirs, strict=True)
    value = median(a / b if unit == "×" else a - b for a, b in pairs)
    met, peak = "yes" if value <= limit else "no", max(run.megabytes for run in runs[0])
    medians = (f"{median(some):.2f}" for some in (ours, theirs))
    return [name, *medians, f"{value:.2f} {unit}", f"≤ {limit:g} {unit}", met, f"{peak:.0f}"]


def empty_pipeline(folder: Path) -> Path:
    """Return a project of four stages that copy one line each."""
    folder.mkdir()
    (folder / "0.txt").write_text("line\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run([*DVC, "init", "-q"], cwd=folder, check=True)
    for i in range(4):
        added = f"stage add -n s{i} -d {i}.txt -o {i + 1}.txt cp {i}.txt {i + 1}.txt"
        measured([*DVC, *added.split()], folder)
    measured(REPRO, folder)
    return folder


def repeat_flights(project: Path, years: int) -> None:
    """Write the raw flights of so many years, each a copy of 2013."""
    for name in ("flights.csv.zip", "weather.csv"):
        rows = pd.read_csv(FLIGHTS / name, dtype="str", keep_default_na=False)
        copies = (
            rows.assign(year=str(year), time_hour=str(year) + rows["time_hour"].str[4:])
            for year in range(2013, 2013 + years)
        )
        pd.concat(copies).to_csv(project / "data/raw/flights" / name, index=False)


def own_copy(folder: Path, years: int = 1) -> Path:
    """Return a clone of the project with its raw data of so many years, its pipeline run once."""
    project = clone(ROOT, folder)
    raw = project / "data/raw/flights"
    shutil.copytree(FLIGHTS, raw, dirs_exist_ok=True, copy_function=shutil.copyfile)
    if years > 1:
        (project / "data/raw/flights.dvc").unlink()
        repeat_flights(project, years)
        with_raw_data(project, "flights", SPLIT_AT)
    measured(REPRO, project)
    commit(project)
    return project


HEAD = ("what", "crivo, s", "other, s", "ratio or difference", "goal", "met", "peak MB")
YEARS = 10
# Of one setting that none had before.
TRIALS = {
    "`crivo try`": [*CRIVO, "try", "models.boosting.l2_regularization=0.{}1"],
    "`dvc exp run`": [*DVC, "exp", "run", "-S", "models.boosting.l2_regularization=1.{}1"],
}


def rows_of(times: int) -> Iterator[list[str]]:
    """Give a row for each pair of commands."""
    with tempfile.TemporaryDirectory() as temporary:
        project = own_copy(Path(temporary) / "project")
        empty = empty_pipeline(Path(temporary) / "empty")
        again = [*REPRO, "--force"]
        whole = in_turn(again, PLAIN, project, project, times)
        yield row("the whole pipeline / a plain script", whole, 1.5)
        # Without a warm-up: each takes minutes.
        large = own_copy(Path(temporary) / "years", YEARS)
        once = [measured(again, large)], [measured(PLAIN, large)]
        yield row(f"the same, {YEARS} × the rows, once", once, 1.15)
        idle = in_turn(REPRO, REPRO, project, empty, times * 3)
        yield row("nothing to do / four empty stages", idle, 1.15)
        for way, command in TRIALS.items():
            trials = in_turn(command, [*PLAIN, "--fit"], project, project, times)
            yield row(f"a trial by {way}, minus fit and score", trials, 5, "s")


def lines(times: int) -> list[str]:
    """Return where it was measured, and the table."""
    where = f"Pairs of runs: {times}; {os.cpu_count()} cores, Python {python_version()}."
    return [where, "", *table(HEAD, rows_of(times))]


if __name__ == "__main__":
    main(__doc__, 3, {"pipeline": lines})
