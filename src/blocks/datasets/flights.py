"""Flights that left New York City in 2013: which of them will arrive late?

A row is a scheduled flight. Its features were known at the prediction time, an hour before the
scheduled departure. The prefix of a feature's name says where the feature comes from:

| columns | content | known because |
| --- | --- | --- |
| no prefix | the schedule | it is published months ahead |
| `weather_…` | the weather at the origin two hours before | reports come within the hour |
| `plane_…` | make, age and size of the plane | the plane is already assigned |
| `history_…` | late arrivals in the 28 days up to yesterday | these flights have landed |
| `recent_…` | delays of departed flights, number of waiting flights | these events have happened |
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
import pandas as pd
from pydantic import Field, PositiveInt

from crivo import (
    Column,
    Dataset,
    RawContext,
    Schema,
    Words,
    block,
    point_in_time,
    rawdata,
    timestamps,
)

NEW_YORK = "America/New_York"
# The destinations by time zone: an arrival is written in the local time of its airport.
ZONES = {
    NEW_YORK: "ACK ALB ATL AVL BDL BGR BOS BTV BUF BWI CAE CAK CHO CHS CLE CLT CMH CRW CVG DAY "
    "DCA DTW EWR EYW FLL GRR GSO GSP IAD ILM IND JAX JFK LEX LGA MCO MHT MIA MVY MYR ORF PBI PHL "
    "PIT PVD PWM RDU RIC ROC RSW SAV SBN SDF SRQ SYR TPA TVC TYS",
    "America/Chicago": "AUS BHM BNA DFW DSM HOU IAH MCI MDW MEM MKE MSN MSP MSY OKC OMA ORD SAT "
    "STL TUL XNA",
    "America/Denver": "ABQ BZN DEN EGE HDN JAC MTJ SLC",
    "America/Phoenix": "PHX",
    "America/Los_Angeles": "BUR LAS LAX LGB OAK PDX PSP SAN SEA SFO SJC SMF SNA",
    "America/Anchorage": "ANC",
    "Pacific/Honolulu": "HNL",
    "America/Puerto_Rico": "BQN PSE SJU STT",
}

RAW_FILE = "flights.csv.zip"
OUTCOMES = ("dep_time", "dep_delay", "arr_time", "arr_delay", "air_time")
SCHEDULED = {
    **dict.fromkeys(("year", "month", "day", "hour", "minute", "flight", "distance"), "int64"),
    **dict.fromkeys(("carrier", "origin", "dest", "tailnum", "time_hour"), "str"),
    "sched_arr_time": "float64",
}
FLIGHTS = SCHEDULED | dict.fromkeys(OUTCOMES, "float64")
# The columns that identify a scheduled flight.
KEY = ["year", "month", "day", "carrier", "flight", "origin", "hour", "minute"]
# The strongest gust ever measured, mph; one report says 1,048.
STRONGEST_WIND = 253
# A report is made 51 minutes past its hour.
REPORTED_AT = 51
# The columns whose values group the flights, for late rates and for recent delays.
HISTORY = ("carrier", "dest", "origin hour", "carrier flight", "tailnum")
RECENT = {"city": "", "origin": "origin", "carrier": "carrier origin", "dest": "dest"}
# Late rates are computed as if this many average flights had been observed as well.
AVERAGE_FLIGHTS = 20
# In minutes: how far back "recent" reaches, and for how long a flight counts as waiting.
WINDOW = 3 * 60
GIVEN_UP = 6 * 60

# The numeric features: the lowest and the highest valid value, and a description.
NUMBERS: dict[str, tuple[float | None, float | None, str]] = {
    "departure_hour": (0, 23, "scheduled, local time"),
    "departure_minute": (0, 59, "scheduled"),
    "arrival_hour": (0, 24, "scheduled, local time of the destination"),
    "arrival_minute": (0, 59, "scheduled"),
    "planned_minutes": (0, timestamps.DAY, "scheduled, from gate to gate"),
    "distance": (0, 12500, "miles"),
    "weather_temp": (-80, 140, "temperature, °F"),
    "weather_dewp": (-80, 140, "dew point, °F"),
    "weather_humid": (0, 100, "relative humidity, %"),
    "weather_wind_dir": (0, 360, "where the wind comes from, degrees"),
    "weather_wind_speed": (0, STRONGEST_WIND, "miles per hour"),
    "weather_wind_gust": (0, STRONGEST_WIND, "miles per hour"),
    "weather_precip": (0, 20, "rain or snow of the hour, inches"),
    "weather_pressure": (850, 1100, "at sea level, millibars"),
    "weather_visib": (0, 100, "miles"),
    "plane_age": (0, 100, "years"),
    "plane_seats": (0, 1000, "seats"),
    "plane_engines": (0, 12, "engines"),
    **{
        f"history_{group.replace(' ', '_')}": (-1, 1, "late rate above that of all flights")
        for group in HISTORY
    },
    **{f"recent_{name}_delay": (None, None, "mean minutes at departure") for name in RECENT},
    **{f"recent_{name}_late": (0, 1, "share of late arrivals") for name in RECENT},
    **{f"recent_{name}_waiting": (0, None, "flights that should have left") for name in RECENT},
    **{f"recent_{name}_wait": (0, GIVEN_UP, "mean minutes they have waited") for name in RECENT},
    "recent_plane_delay": (None, None, "minutes, when the plane last left New York, within a day"),
    "recent_plane_hours": (0, 24, "from then to the scheduled departure"),
    "recent_plane_slack": (None, None, "minutes at the gate if it flew there and back as planned"),
}
CATEGORIES = ("carrier", "origin", "dest", "weekday", "plane_manufacturer", "plane_type")
WEATHER = tuple(name.removeprefix("weather_") for name in NUMBERS if name.startswith("weather_"))


@block
class Flights(Dataset):
    """Flights from New York City in 2013, with weather, planes and earlier delays.

    A flight is late if it arrives at least `late_minutes` after its scheduled time. The prediction
    is made `notice_minutes` before the scheduled departure (at least 60, because flights leave up
    to 43 minutes early). The shares of late flights cover the last `history_days` days, up to the
    day before the flight.
    """

    late_minutes: PositiveInt = 15
    notice_minutes: Annotated[int, Field(ge=60)] = 60
    history_days: PositiveInt = 28

    kept: ClassVar[tuple[str, ...]] = ("airlines.csv", RAW_FILE, "planes.csv", "weather.csv")

    def load(self, folder: Path) -> pd.DataFrame:
        """Return one row per scheduled flight, in the order of the file."""
        return self._rows(rawdata.read_raw_csv(folder / RAW_FILE, FLIGHTS), folder)

    def raw_columns(self, schema: Schema) -> tuple[str, ...]:
        """Return the columns of the schedule."""
        return tuple(SCHEDULED)

    def read_raw(self, path: Path) -> pd.DataFrame:
        """Return the scheduled flights of a folder, or of one file."""
        return rawdata.read_raw_csv(path / RAW_FILE if path.is_dir() else path, SCHEDULED)

    def rows_from_raw(self, raw: pd.DataFrame, context: RawContext) -> pd.DataFrame:
        """Return the flights' rows; their history comes only from the flights in the folder."""
        asked = rawdata.typed_raw(raw, SCHEDULED)
        stored, days = rawdata.read_raw_csv(context.folder / RAW_FILE, FLIGHTS), _dates(asked)
        since, until = days.min() - pd.Timedelta(days=self.history_days + 2), days.max()
        stored = stored[_dates(stored).between(since, until + pd.Timedelta(days=1))]
        flights, places = point_in_time.insert_rows(asked, stored, KEY)
        return self._rows(flights, context.folder).iloc[places].set_axis(raw.index)

    def _rows(self, flights: pd.DataFrame, folder: Path) -> pd.DataFrame:
        flights = flights.assign(
            date=_dates(flights), late=flights["arr_delay"] >= self.late_minutes
        )
        when = _moments(flights, self.notice_minutes, self.history_days)
        tables = [
            _names(flights, folder),
            _schedule(flights, when),
            flights[["date", "flight", "tailnum", "carrier", "origin", "dest", "distance"]],
            flights[list(OUTCOMES)],
            _weather(flights, when, folder),
            _planes(flights, folder),
            _history(flights, when),
            _recent(flights, when),
            _last_departure_of_plane(flights, when),
        ]
        return pd.concat(tables, axis="columns")

    def schema(self, rows: pd.DataFrame) -> Schema:
        """Return the columns' roles; the target is missing for flights that never arrived."""
        columns = (
            Column(name="id", role="id", type="text", nullable=False, unique=True),
            Column(name="late", role="target", type="boolean", nullable=False),
            Column(name="time", role="time", type="date", nullable=False),
            Column(name="date", role="info", type="date", nullable=False),
            Column(name="airline", role="info", type="text"),
            Column(name="flight", role="info", type="number"),
            Column(name="tailnum", role="info", type="text"),
            *(Column(name=name, role="feature", type="category") for name in CATEGORIES),
            *(
                Column(
                    name=name, role="feature", type="number", low=low, high=high, description=text
                )
                for name, (low, high, text) in NUMBERS.items()
            ),
            *(Column(name=name, role="outcome", type="number") for name in OUTCOMES),
        )
        words = Words(rows="flights", positive="late", negative="on time")
        return Schema(
            task="binary", classes=(False, True), positive=True, columns=columns, words=words
        )

    def unusable(self, rows: pd.DataFrame) -> pd.Series:
        """Return why a flight has no target; cancelled and diverted flights aren't on time."""
        never_left = rows["dep_time"].isna()
        reasons = pd.Series("diverted: no arrival delay", index=rows.index, dtype="str")
        reasons[never_left] = "cancelled: no arrival delay"
        return reasons.where(rows["arr_delay"].isna())


def _dates(flights: pd.DataFrame) -> pd.Series:
    return pd.to_datetime(flights[["year", "month", "day"]])


def _moments(flights: pd.DataFrame, notice: int, days: int) -> pd.DataFrame:
    """Return when events were planned and when they happened, in minutes; missing: they didn't."""
    hour = timestamps.minutes_of(pd.to_datetime(flights["time_hour"], utc=True))
    scheduled = hour + flights["minute"]
    left, first_day = scheduled + flights["dep_delay"], flights["date"] - pd.Timedelta(days=days)
    return pd.DataFrame(
        {
            "hour": hour,
            "scheduled": scheduled,
            "prediction": scheduled - notice,
            "planned": timestamps.next_clock(
                scheduled, flights["sched_arr_time"], flights["dest"], ZONES
            ),
            "left": left,
            "landed": timestamps.next_clock(left, flights["arr_time"], flights["dest"], ZONES),
            "midnight": timestamps.start_of_day(flights["date"], NEW_YORK),
            "first_midnight": timestamps.start_of_day(first_day, NEW_YORK),
        }
    )


def _names(flights: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Return the columns that identify a flight, and the target, missing if it didn't arrive."""
    airlines = rawdata.read_raw_csv(folder / "airlines.csv", {"carrier": "str", "name": "str"})
    clock = pd.to_timedelta(flights["hour"] * 60 + flights["minute"], unit="min")
    time = flights["date"] + clock
    flight = flights["carrier"] + " " + flights["flight"].astype("str") + " " + flights["origin"]
    day, hhmm = time.dt.strftime("%Y-%m-%d"), time.dt.strftime("%H%M")
    return pd.DataFrame(
        {
            "id": day + " " + flight + " " + hhmm,
            "late": flights["late"].astype("boolean").mask(flights["arr_delay"].isna()),
            "time": time,
            "airline": flights["carrier"].map(airlines.set_index("carrier")["name"]),
        }
    )


def _schedule(flights: pd.DataFrame, when: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "weekday": flights["date"].dt.day_name(),
            "departure_hour": flights["hour"],
            "departure_minute": flights["minute"],
            "arrival_hour": flights["sched_arr_time"] // 100,
            "arrival_minute": flights["sched_arr_time"] % 100,
            "planned_minutes": when["planned"] - when["scheduled"],
        }
    )


def _weather(flights: pd.DataFrame, when: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Return the reports two hours before (for an hour's notice); UTC, as local hours repeat."""
    types = dict.fromkeys(WEATHER, "float64") | {"origin": "str", "time_hour": "str"}
    reports = rawdata.read_raw_csv(folder / "weather.csv", types)
    reports["hour"] = timestamps.minutes_of(pd.to_datetime(reports.pop("time_hour"), utc=True))
    reports["wind_speed"] = reports["wind_speed"].where(lambda mph: mph <= STRONGEST_WIND)
    notice = when["scheduled"] - when["prediction"]
    hours_before = -(-(notice + REPORTED_AT) // 60)
    asked = pd.DataFrame({"origin": flights["origin"], "hour": when["hour"] - 60 * hours_before})
    flight_weather = asked.merge(reports, how="left", on=["origin", "hour"], validate="many_to_one")
    return flight_weather[list(WEATHER)].add_prefix("weather_")


def _planes(flights: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Return what is known about the plane; most planes of two carriers aren't listed."""
    types = {"tailnum": "str", "manufacturer": "str", "type": "str"}
    numbers = dict.fromkeys(("year", "seats", "engines"), "float64")
    planes = rawdata.read_raw_csv(folder / "planes.csv", types | numbers).rename(
        columns={"year": "built"}
    )
    aircraft = flights[["tailnum", "year"]].merge(planes, "left", "tailnum", validate="many_to_one")
    aircraft["age"] = aircraft["year"] - aircraft["built"]
    return aircraft[["age", "seats", "engines", "manufacturer", "type"]].add_prefix("plane_")


def _history(flights: pd.DataFrame, when: pd.DataFrame) -> pd.DataFrame:
    """Return how far late rates were above that of all flights, from the landings of past days.

    The rate of all flights isn't a feature: it reveals the season, and the data cover one year.
    """
    arrived = flights["arr_delay"].notna()
    until = np.minimum(when["midnight"] - 1, when["prediction"])

    def count_arrivals(names: str) -> list[np.ndarray]:
        group = point_in_time.group_numbers(flights, names.split())
        past = point_in_time.Past(group, when["landed"], arrived, flights["late"])
        return past.sums(group, when["first_midnight"] - 1, until)

    total, total_late = count_arrivals("")
    usual = point_in_time.ratio(total, total_late)
    columns = {}
    for names in HISTORY:
        count, late = count_arrivals(names)
        columns[f"history_{names.replace(' ', '_')}"] = (late - count * usual) / (
            count + AVERAGE_FLIGHTS
        )
    return pd.DataFrame(columns)


def _recent(flights: pd.DataFrame, when: pd.DataFrame) -> pd.DataFrame:
    """Return what was known about the flights of the last hours at the prediction time.

    `delay`: the mean departure delay of flights that have left; `late`: the share of late flights
    among those that have landed; `waiting`: how many flights should have left but haven't, and
    `wait`: how many minutes they have waited on average. Cancelled flights also count as waiting
    for up to six hours, because it isn't known when they were cancelled.
    """
    now = when["prediction"].to_numpy()
    delay, arrived = flights["dep_delay"], flights["arr_delay"].notna()
    held = flights[~(when["left"] <= when["scheduled"])].index
    joins = when["scheduled"][held]
    quits = np.fmin(when["left"][held], joins + GIVEN_UP)
    columns: dict[str, np.ndarray] = {}
    for name, names in RECENT.items():
        group = point_in_time.group_numbers(flights, names.split())
        gone = point_in_time.Past(group, when["left"], delay.notna(), delay.fillna(0))
        landed = point_in_time.Past(group, when["landed"], arrived, flights["late"])
        waiting, joined = point_in_time.Past.queue(group[held], joins, quits).sums(
            group, 0 * now, now
        )
        for what, past in {"delay": gone, "late": landed}.items():
            count, total = past.sums(group, now - WINDOW, now)
            columns[f"recent_{name}_{what}"] = point_in_time.ratio(count, total)
        columns[f"recent_{name}_waiting"] = waiting
        columns[f"recent_{name}_wait"] = point_in_time.ratio(
            waiting, now * waiting - joined, otherwise=0.0
        )
    return pd.DataFrame(columns)


def _last_departure_of_plane(flights: pd.DataFrame, when: pd.DataFrame) -> pd.DataFrame:
    """Return the delay of the plane's last departure from New York within a day, and the slack.

    The slack is how many minutes the plane would stand at the gate if it had flown out as planned
    and come straight back.
    """
    plane, scheduled = point_in_time.group_numbers(flights, ["tailnum"]), when["scheduled"]
    last = point_in_time.Past(plane, when["left"]).latest(
        plane, scheduled - timestamps.DAY, when["prediction"]
    )
    then = when.assign(delay=flights["dep_delay"]).reindex(last).set_axis(when.index)
    away = scheduled - then["left"]
    return pd.DataFrame(
        {
            "recent_plane_delay": then["delay"],
            "recent_plane_hours": away / 60,
            "recent_plane_slack": away - 2 * (then["planned"] - then["scheduled"]),
        }
    )
