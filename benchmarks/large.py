"""How much time and memory each stage needs for 1, 10 or more times the flights.

Run in the project's folder: `python benchmarks/large.py 1 10 100`. Each stage is a process of its
own with one thread. CPU seconds depend less on what else the machine does than those of the clock;
the peak is the process's largest resident memory. docs/evidence.md has the results. 100 times the
flights as a table take about 12 minutes, 20 GB of memory and 9 GB of disk.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from commands import Cost, clone, measured, with_raw_data
from simulated import ROOT, table

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
    with_raw_data(project, "table", FEW_ITERATIONS | flights_as_table(project, times))
    return project


def run_stage(project: Path, stage: str) -> Cost:
    """Run one stage with one thread and return what it took; exit when it fails."""
    command = [sys.executable, f"src/{stage}.py"]
    return measured(command, project, OMP_NUM_THREADS="1", CRIVO_LOG="warning")


HEAD = ("stage", "rows", "CPU s", "peak MB")


def rows_of(sizes: Sequence[int]) -> Iterator[list[str]]:
    """Give the rows of the page's table for each number of times and stage."""
    for times in sizes:
        with tempfile.TemporaryDirectory() as folder:
            project = make_project(Path(folder), times)
            for stage in STAGES:
                cost = run_stage(project, stage)
                yield [stage, f"{times} ×", f"{cost.cpu:,.1f}", f"{cost.megabytes:,.0f}"]


if __name__ == "__main__":
    asked = [int(text) for text in sys.argv[1:]]
    print(*table(HEAD, rows_of(asked or [1, 10]), len(HEAD)), sep="\n")
