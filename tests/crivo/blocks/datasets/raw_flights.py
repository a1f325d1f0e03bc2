"""Writes raw flights by hand: said in true moments, written in the local times of the files."""

import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd

NEW_YORK = ZoneInfo("America/New_York")
CITIES = {"ORD": "Chicago", "DEN": "Denver", "PHX": "Phoenix", "LAX": "Los_Angeles"}
CITIES |= {"ANC": "Anchorage", "SJU": "Puerto_Rico"}
AIRPORTS = {dest: ZoneInfo(f"America/{city}") for dest, city in CITIES.items()}
AIRPORTS |= {"BOS": NEW_YORK, "HNL": ZoneInfo("Pacific/Honolulu")}

WEATHER = ("temp", "dewp", "humid", "wind_dir", "wind_speed", "wind_gust")
WEATHER += ("precip", "pressure", "visib")


def flight(
    scheduled: str,
    *,
    carrier: str = "UA",
    number: int = 1,
    origin: str = "EWR",
    dest: str = "ORD",
    tailnum: str = "N1",
    left: int | None = 0,
    landed: int | None = 0,
    planned: int = 150,
) -> dict[str, Any]:
    """Return a raw row: `left` and `landed` are minutes after schedule, None for never."""
    departure = datetime.fromisoformat(scheduled).replace(tzinfo=NEW_YORK)
    arrival = _later(departure, planned).astimezone(AIRPORTS.get(dest, NEW_YORK))
    off = None if left is None else _later(departure, left)
    on = None if landed is None or off is None else _later(arrival, landed)
    return {
        "year": departure.year,
        "month": departure.month,
        "day": departure.day,
        "dep_time": _clock(off),
        "sched_dep_time": departure.hour * 100 + departure.minute,
        "dep_delay": left,
        "arr_time": _clock(on),
        "sched_arr_time": arrival.hour * 100 + arrival.minute,
        "arr_delay": None if on is None else landed,
        "carrier": carrier,
        "flight": number,
        "tailnum": tailnum,
        "origin": origin,
        "dest": dest,
        "air_time": None if on is None else planned - 30,
        "distance": 719,
        "hour": departure.hour,
        "minute": departure.minute,
        "time_hour": f"{departure.astimezone(UTC):%Y-%m-%dT%H}:00:00Z",
    }


def report(time_hour: str, *, origin: str = "EWR", **values: float) -> dict[str, Any]:
    """Return a raw row of weather, named by its hour in UTC."""
    return {"origin": origin, "time_hour": time_hour} | dict.fromkeys(WEATHER) | values


def plane(tailnum: str, **values: Any) -> dict[str, Any]:
    """Return a raw row of planes."""
    usual = {"year": 2003, "type": "Fixed wing multi engine", "manufacturer": "BOEING"}
    return {"tailnum": tailnum} | usual | {"seats": 149, "engines": 2} | values


def write_raw(
    folder: Path,
    flights: Sequence[dict[str, Any]],
    weather: Sequence[dict[str, Any]] = (),
    planes: Sequence[dict[str, Any]] = (),
) -> Path:
    """Write the four raw files into a folder and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / "flights.csv.zip", "w") as file:
        file.writestr("flights.csv", pd.DataFrame(flights).to_csv(index=False))
    columns = {"weather.csv": report(""), "planes.csv": plane("")}
    for name, rows in {"weather.csv": weather, "planes.csv": planes}.items():
        pd.DataFrame(rows, columns=list(columns[name])).to_csv(folder / name, index=False)
    airlines = pd.DataFrame({"carrier": ["UA", "DL"], "name": ["United Air Lines", "Delta"]})
    airlines.to_csv(folder / "airlines.csv", index=False)
    return folder


def _later(moment: datetime, minutes: int) -> datetime:
    return (moment.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(moment.tzinfo)


def _clock(moment: datetime | None) -> int | None:
    """Return the local time as HHMM; midnight is written 2400."""
    return None if moment is None else (moment.hour * 100 + moment.minute) or 2400
