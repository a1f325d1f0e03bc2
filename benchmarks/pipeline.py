"""What the framework costs: the pipeline against one plain script that does the same work.

Run in the project's folder, on a quiet machine: `python benchmarks/pipeline.py`. Each
comparison is made in one run, the two commands in turn; the ratios are what counts. The
table goes to docs/evidence.md. The last line has one year of flights repeated ten times with
shifted dates (`--years 1` leaves it out).
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from platform import python_version

import yaml
from commands import CRIVO, DVC, Cost, clone, measured
from large import repeat_flights
from simulated import ROOT, publish, table


@dataclass
class Comparison:
    """Two commands run in turn, the goal for them and how far it is met."""

    name: str
    ours: list[Cost]
    theirs: list[Cost]
    goal: str
    value: float
    unit: str
    limit: float

    def row(self) -> list[str]:
        ours, theirs = (
            statistics.median(r.wall for r in runs) for runs in (self.ours, self.theirs)
        )
        peak = max(run.megabytes for run in self.ours)
        met = "yes" if self.value <= self.limit else "no"
        value = f"{self.value:.2f}{self.unit}"
        return [self.name, f"{ours:.2f}", f"{theirs:.2f}", value, self.goal, met, f"{peak:.0f}"]


def in_turn(
    ours: Callable[[int], Cost], theirs: Callable[[int], Cost], times: int
) -> tuple[list[Cost], list[Cost]]:
    """Run both once to warm up, then in turn."""
    pairs = [(ours(i), theirs(i)) for i in range(times + 1)][1:]
    return [a for a, _ in pairs], [b for _, b in pairs]


def ratio(ours: list[Cost], theirs: list[Cost]) -> float:
    return statistics.median(a.wall / b.wall for a, b in zip(ours, theirs, strict=True))


def extra(ours: list[Cost], theirs: list[Cost]) -> float:
    return statistics.median(a.wall - b.wall for a, b in zip(ours, theirs, strict=True))


def whole_pipeline(project: Path, times: int) -> Comparison:
    plain = [sys.executable, str(ROOT / "benchmarks/plain.py")]
    ours, theirs = in_turn(
        lambda i: measured([*DVC, "repro", "--force"], project),
        lambda i: measured(plain, project),
        times,
    )
    value = ratio(ours, theirs)
    return Comparison(
        "the whole pipeline / a plain script", ours, theirs, "≤ 1.5 ×", value, " ×", 1.5
    )


def many_rows(project: Path, times: int) -> Comparison:
    """Compare them once with so many times the rows, without a warm-up: each takes minutes."""
    ours = [measured([*DVC, "repro", "--force"], project)]
    theirs = [measured([sys.executable, str(ROOT / "benchmarks/plain.py")], project)]
    name, value = f"the same, {times} × the rows, once", ratio(ours, theirs)
    return Comparison(name, ours, theirs, "≤ 1.15 ×", value, " ×", 1.15)


def nothing_to_do(project: Path, empty: Path, times: int) -> Comparison:
    ours, theirs = in_turn(
        lambda i: measured([*DVC, "repro"], project),
        lambda i: measured([*DVC, "repro"], empty),
        times,
    )
    value = ratio(ours, theirs)
    return Comparison(
        "nothing to do / four empty stages", ours, theirs, "≤ 1.15 ×", value, " ×", 1.15
    )


def one_trial(project: Path, times: int, way: str, command: list[str], first: float) -> Comparison:
    """Compare a trial of one setting, which none had before: `first` and more."""
    plain = [sys.executable, str(ROOT / "benchmarks/plain.py"), "--fit"]

    def trial(i: int) -> Cost:
        setting = f"models.boosting.l2_regularization={first + 0.001 * i:.3f}"
        return measured([*command, setting], project)

    ours, theirs = in_turn(trial, lambda i: measured(plain, project), times)
    name, value = f"a trial by {way} − fit and score", extra(ours, theirs)
    return Comparison(name, ours, theirs, "≤ 5 s", value, " s", 5)


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
    measured([*DVC, "repro"], folder)
    return folder


def own_copy(folder: Path, years: int = 1) -> Path:
    """Return a clone of the project with its raw data of so many years, its pipeline run once."""
    clone(ROOT, folder)
    if years == 1:
        shutil.copytree(ROOT / "data/raw/flights", folder / "data/raw/flights", dirs_exist_ok=True)
    else:
        (folder / "data/raw/flights.dvc").unlink()
        params = yaml.safe_load((folder / "params.yaml").read_text(encoding="utf-8"))
        for name, value in repeat_flights(folder, years).items():
            section, setting = name.split(".")
            params[section][setting] = value
        (folder / "params.yaml").write_text(yaml.safe_dump(params), encoding="utf-8")
        measured([*DVC, "add", "data/raw/flights"], folder)
        commit(folder)
    measured([*DVC, "repro"], folder)
    commit(folder)
    return folder


def commit(folder: Path) -> None:
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)
    subprocess.run(["git", "commit", "-qm", "run", "--allow-empty"], cwd=folder, check=True)


HEAD = ("what", "ours, s", "other, s", "ours / other", "goal", "met", "peak MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=3, help="counted runs of each command")
    parser.add_argument("--years", type=int, default=10, help="of flights, for the last line")
    times, years = vars(parser.parse_args()).values()
    with tempfile.TemporaryDirectory() as temporary:
        project = own_copy(Path(temporary) / "project")
        empty = empty_pipeline(Path(temporary) / "empty")
        found = [
            whole_pipeline(project, times),
            nothing_to_do(project, empty, times * 3),
            one_trial(project, times, "`crivo try`", [*CRIVO, "try"], 0.001),
            one_trial(project, times, "`dvc exp run`", [*DVC, "exp", "run", "-S"], 0.5),
        ]
        if years > 1:
            found.insert(1, many_rows(own_copy(Path(temporary) / "years", years), years))
    where = f"{times} runs after a warm-up, {os.cpu_count()} cores, Python {python_version()}."
    lines = [where, "", *table(HEAD, [one.row() for one in found])]
    print(*lines, sep="\n")
    publish("evidence.md", "pipeline", lines)


if __name__ == "__main__":
    main()
