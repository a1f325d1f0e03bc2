"""How time and memory of each stage grow with the rows: 1, 10 or more times the flights.

Run in the project's folder: `python benchmarks/large.py --times 1 10 100`. Each stage
is a process of its own with one thread. CPU seconds depend less on what else the machine does than
those of the clock; the peak is the process's largest resident memory. The exponent says by which
power of the rows a number has grown since the smallest table: 1 is in proportion. docs/evidence.md
has the results. 100 times the flights as a table take about 12 minutes, 17 GB of memory and 9 GB of
disk.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from commands import DVC, Cost, clone, measured
from simulated import ROOT, table

from crivo.project.params_file import edited_params

STAGES = ("prepare", "featurize", "train", "evaluate")
FLIGHTS = ROOT / "data/raw/flights"
SPLIT_AT = {"splitters.by_time.valid_from": 0.67, "splitters.by_time.test_from": 0.83}
# Boosting learns in few iterations: each takes the same time, in proportion to the rows.
FEW_ITERATIONS = {"models.boosting.max_iter": 20}

Settings = dict[str, Any]


def typed_flights() -> pd.DataFrame:
    """Return what the schedule and the weather say of each flight, in narrow types."""
    flights = pd.read_csv(FLIGHTS / "flights.csv.zip").dropna(subset="arr_delay")
    weather = pd.read_csv(FLIGHTS / "weather.csv")
    known = ["origin", "time_hour", "temp", "wind_speed", "precip", "pressure", "visib"]
    rows = flights.merge(weather[known].drop_duplicates(known[:2]), "left", known[:2])
    date = pd.to_datetime(rows[["year", "month", "day"]])
    late = np.where(rows["arr_delay"] >= 15, "late", "on time")
    small = rows[["carrier", "origin", "dest"]].astype("category")
    numbers = rows[["month", "hour", "minute", "distance", "sched_arr_time"]].astype("int16")
    weather_of = rows[known[2:]].astype("float32")
    columns = pd.concat([small, numbers, weather_of], axis="columns")
    return columns.assign(date=date, late=late)


def flights_as_table(project: Path, times: int) -> Settings:
    """Write a folder of Parquet files, one for each year; settings that read it."""
    folder = project / "data/raw/table"
    folder.mkdir(parents=True)
    rows, key = typed_flights(), np.int64(10) ** 7
    for i in range(times):
        shifted = rows["date"] + pd.DateOffset(years=i)
        # Other weather: rows of two years would else be copies of each other.
        noise = np.random.default_rng(i).normal(scale=0.1, size=len(rows)).astype("float32")
        copy = rows.assign(date=shifted, key=np.arange(len(rows)) + i * key)
        copy["temp"] += noise
        copy.to_parquet(folder / f"{2013 + i}.parquet", index=False, row_group_size=100_000)
    return SPLIT_AT | OWN_TABLE


OWN_TABLE: Settings = {
    "dataset": "table",
    "datasets.table.target": "late",
    "datasets.table.positive": "late",
    "datasets.table.id": ["key"],
    "datasets.table.time": "date",
    "featurizer": "tabular",
    "evaluate.slices": ["origin", "carrier", "month"],
    "limits": {},
}


def make_project(folder: Path, times: int) -> Path:
    """Return a clone of the project whose raw table has the flights so many times."""
    project = clone(ROOT, folder / f"{times}")
    settings = FEW_ITERATIONS | flights_as_table(project, times)
    params = project / "params.yaml"
    params.write_text(edited_params(params, settings), encoding="utf-8")
    measured([*DVC, "add", "data/raw/table"], project)
    return project


def run_stage(project: Path, stage: str) -> Cost:
    """Run one stage with one thread and return what it took; exit when it fails."""
    command = [sys.executable, f"src/{stage}.py"]
    return measured(command, project, OMP_NUM_THREADS="1", CRIVO_LOG="warning")


def exponent(first: float, last: float, times: float) -> str:
    """Return the power of the rows by which a number has grown; a dash for the first.

    >>> exponent(2, 20, 10), exponent(2, 2, 1)
    ('1.00', '–')
    """
    return "–" if times == 1 else f"{math.log(last / first) / math.log(times):.2f}"


def rows_of(found: Mapping[int, Mapping[str, Cost]]) -> Iterator[list[str]]:
    """Give the rows of the page's table for each stage and number of times."""
    least = min(found)
    for stage in found[least]:
        for times, costs in found.items():
            cost, first = costs[stage], found[least][stage]
            cpu, peak = (
                exponent(*pair, times / least)
                for pair in ((first.cpu, cost.cpu), (first.megabytes, cost.megabytes))
            )
            yield [stage, f"{times} ×", f"{cost.cpu:,.1f}", cpu, f"{cost.megabytes:,.0f}", peak]


HEAD = ("stage", "rows", "CPU s", "exponent", "peak MB", "exponent")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, nargs="+", default=[1, 10])
    found: dict[int, dict[str, Cost]] = {}
    for times in parser.parse_args().times:
        with tempfile.TemporaryDirectory() as folder:
            project = make_project(Path(folder), times)
            found[times] = {stage: run_stage(project, stage) for stage in STAGES}
    print(*table(HEAD, rows_of(found), len(HEAD)), sep="\n")


if __name__ == "__main__":
    main()
