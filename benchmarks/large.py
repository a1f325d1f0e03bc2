"""How much time and memory each stage needs for many times the flights, by default 100.

Run in the project's folder: `python benchmarks/large.py --publish`, or `--times 5` for 1.6 million
rows. Each stage is a process of its own with one thread. CPU seconds depend less on what else the
machine does than those of the clock; the peak is the process's largest resident memory. 100 times
the flights take about 12 minutes, 20 GB of memory and 9 GB of disk.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from commands import clone, measured, with_raw_data
from simulated import ROOT, main, table

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
    kinds = dict.fromkeys(("carrier", "origin", "dest"), "category")
    kinds |= dict.fromkeys(("month", "hour", "minute", "distance", "sched_arr_time"), "int16")
    kinds |= dict.fromkeys(known[2:], "float32")
    return rows[[*kinds]].astype(kinds).assign(date=date, late=late)


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


HEAD = ("stage", "rows", "CPU s", "peak MB")


def rows_of(times: int) -> Iterator[list[str]]:
    """Give a row for each stage, run on the flights so many times."""
    with tempfile.TemporaryDirectory() as folder:
        project = clone(ROOT, Path(folder) / "project")
        with_raw_data(project, "table", FEW_ITERATIONS | flights_as_table(project, times))
        for stage in STAGES:
            command = [sys.executable, f"src/{stage}.py"]
            cost = measured(command, project, OMP_NUM_THREADS="1", CRIVO_LOG="warning")
            yield [stage, f"{times} ×", f"{cost.cpu:,.1f}", f"{cost.megabytes:,.0f}"]


if __name__ == "__main__":
    main(__doc__, 100, {"large": lambda times: table(HEAD, rows_of(times), (0, 1))})
