"""The shipped datasets keep their contract, on small raw files in the form of the real ones."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crivo.core.registry import make_block
from crivo.testing import TASKS, check_dataset, example_rows

AIRPORTS = ["JFK", "LGA", "EWR"]
MOMENT = "%Y-%m-%dT%H:%M:%SZ"


@pytest.fixture
def flights(tmp_path: Path) -> Path:
    """Forty flights of two days: one cancelled, one diverted, one plane that nobody knows."""
    number = np.arange(40)
    day, hour = 1 + number // 20, 6 + number % 15
    days = pd.to_datetime([f"2013-03-{d:02}" for d in day])
    delay = pd.Series((number * 7) % 60 - 10.0).mask(number == 3)
    arrived = delay.mask(number == 11)
    table = pd.DataFrame(
        {
            "year": 2013,
            "month": 3,
            "day": day,
            "dep_time": pd.Series(hour * 100.0).mask(number == 3),
            "sched_dep_time": hour * 100,
            "dep_delay": delay,
            "arr_time": pd.Series(((hour + 2) % 24) * 100.0).mask(arrived.isna()),
            "sched_arr_time": (hour + 2) * 100,
            "arr_delay": arrived,
            "carrier": np.where(number % 2, "UA", "B6"),
            "flight": 100 + number,
            "tailnum": np.where(number % 5, "N1", "N2"),
            "origin": [AIRPORTS[i % 3] for i in number],
            "dest": np.where(number % 4, "BOS", "ORD"),
            "air_time": pd.Series(90.0 + number).mask(arrived.isna()),
            "distance": 200 + number,
            "hour": hour,
            "minute": 0,
            "time_hour": (days + pd.to_timedelta(hour + 5, "h")).strftime(MOMENT),
        }
    )
    table.to_csv(tmp_path / "flights.csv.zip", index=False)
    weather().to_csv(tmp_path / "weather.csv", index=False)
    pd.DataFrame(
        {
            "tailnum": ["N1"],
            "year": [1999.0],
            "type": ["Fixed wing multi engine"],
            "manufacturer": ["BOEING"],
            "engines": [2],
            "seats": [149],
        }
    ).to_csv(tmp_path / "planes.csv", index=False)
    pd.DataFrame({"carrier": ["UA", "B6"], "name": ["United", "JetBlue"]}).to_csv(
        tmp_path / "airlines.csv", index=False
    )
    return tmp_path


def weather() -> pd.DataFrame:
    """Return a report an hour of three days, of each airport."""
    hours = pd.date_range("2013-03-01", periods=72, freq="h")
    reports = pd.DataFrame({"time_hour": hours.strftime(MOMENT)})
    for name in ("temp", "dewp", "humid", "wind_dir", "wind_speed", "wind_gust"):
        reports[name] = 10.0 + np.arange(72)
    for name in ("precip", "pressure", "visib"):
        reports[name] = 1.0
    return reports.merge(pd.DataFrame({"origin": AIRPORTS}), how="cross")


def test_flights_keeps_its_contract(flights: Path) -> None:
    check_dataset(make_block("dataset", "flights", {}), flights)


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("task", TASKS)
def test_table_keeps_its_contract(tmp_path: Path, task: str, form: str) -> None:
    rows = example_rows(task)
    if form == "csv":
        rows.to_csv(tmp_path / "rows.csv", index=False)
    else:
        rows.to_parquet(tmp_path / "rows.parquet", index=False)
    roles = {"target": "target", "id": "id", "time": "date", "group": "shop"}
    check_dataset(make_block("dataset", "table", roles), tmp_path)


def test_table_keeps_its_contract_without_being_told_more_than_the_target(tmp_path: Path) -> None:
    example_rows().drop(columns="id").to_csv(tmp_path / "rows.csv", index=False)
    check_dataset(make_block("dataset", "table", {"target": "target"}), tmp_path)
