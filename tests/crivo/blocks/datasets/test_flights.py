"""The flights' rows: what a flight is called, which are unlabelled, and the joins' traps."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.crivo.blocks.datasets.raw_flights import AIRPORTS, flight, plane, report, write_raw

from crivo.core.errors import CrivoError
from crivo.core.registry import make_block

WINTER_MORNING = "2013-01-10 10:20"  # 15:20 in UTC


def load(folder: Path, flights: list[dict[str, Any]], **raw: Any) -> pd.DataFrame:
    """Return the loaded rows, named by their flight numbers."""
    dataset = make_block("dataset", "flights", raw.pop("settings", {}))
    rows = dataset.load(write_raw(folder, flights, **raw))
    return rows.set_index("flight", drop=False)


def test_late_is_fifteen_minutes_or_more(tmp_path: Path) -> None:
    flights = [flight(WINTER_MORNING, number=n, left=n, landed=n) for n in (14, 15, 20)]
    assert load(tmp_path, flights)["late"].tolist() == [False, True, True]
    stricter = load(tmp_path, flights, settings={"late_minutes": 20})
    assert stricter["late"].tolist() == [False, False, True]


def test_cancelled_and_diverted_flights_are_unlabelled_not_on_time(tmp_path: Path) -> None:
    flights = [
        flight(WINTER_MORNING, number=1),
        flight(WINTER_MORNING, number=2, left=None),
        flight(WINTER_MORNING, number=3, landed=None),
    ]
    rows = load(tmp_path, flights)
    reasons = make_block("dataset", "flights", {}).unusable(rows)
    assert rows["late"].isna().tolist() == [False, True, True]
    assert reasons.isna().tolist() == [True, False, False]
    assert reasons[2] == "cancelled: no arrival delay"
    assert reasons[3] == "diverted: no arrival delay"


def test_what_is_known_only_afterwards_is_no_feature(tmp_path: Path) -> None:
    rows = load(tmp_path, [flight(WINTER_MORNING)])
    schema = make_block("dataset", "flights", {}).schema(rows)
    outcomes = ("dep_time", "dep_delay", "arr_time", "arr_delay", "air_time")
    assert schema.named("outcome") == outcomes
    assert set(schema.named("id", "target", "time", "info", "feature", "outcome")) == set(rows)
    assert [one.name for one in schema.columns if one.unique] == ["id"]
    needed = [one.name for one in schema.columns if not one.nullable]
    assert needed == ["id", "late", "time", "date"]
    assert (schema.classes, schema.positive) == ((False, True), True)
    assert [*schema.words.model_dump().values()] == ["flights", "late", "on time", ""]
    groups = {"weather": "weather_", "plane": "plane_", "history": ("history_", "recent_")}
    for group, names in groups.items():
        made = make_block("featurizer", "flights", {group: False}).build(schema, 1)
        kept = {name for name in schema.features if not name.startswith(names)}
        assert {*made.numbers, *made.categories} == kept
    numbers = [one for one in schema.columns if one.type == "number" and one.role == "feature"]
    # Clocks and a day; the records of distance, weather and aircraft; shares, and the longest wait.
    assert [(one.low, one.high) for one in numbers] == [
        *((0, 23), (0, 59), (0, 24), (0, 59), (0, 24 * 60), (0, 12500), (-80, 140), (-80, 140)),
        *((0, 100), (0, 360), (0, 253), (0, 253), (0, 20), (850, 1100), (0, 100), (0, 100)),
        *((0, 1000), (0, 12), *[(-1, 1)] * 5, *[(None, None)] * 4, *[(0, 1)] * 4),
        *(*[(0, None)] * 4, *[(0, 6 * 60)] * 4, (None, None), (0, 24), (None, None)),
    ]


# A report is made 51 minutes past its hour, and this flight leaves 20 minutes past.
@pytest.mark.parametrize(("notice", "hour"), [(60, 13), (69, 13), (70, 12)])
def test_weather_is_the_report_of_the_hour_before_the_prediction(
    tmp_path: Path, notice: int, hour: int
) -> None:
    weather = [report(f"2013-01-10T{hour}:00:00Z", temp=hour) for hour in (11, 12, 13, 14, 15)]
    settings = {"notice_minutes": notice}
    rows = load(tmp_path, [flight(WINTER_MORNING)], weather=weather, settings=settings)
    assert rows["weather_temp"].tolist() == [hour]


def test_weather_is_joined_in_utc_when_the_clock_is_put_back(tmp_path: Path) -> None:
    # On 3 November 2013 it was one o'clock twice: at 05:00 and at 06:00 in UTC.
    weather = [
        report("2013-11-03T05:00:00Z", temp=1),
        report("2013-11-03T06:00:00Z", temp=2),
        report("2013-11-03T06:00:00Z", temp=3, origin="JFK"),
    ]
    rows = load(tmp_path, [flight("2013-11-03 03:00"), flight("2013-11-03 03:10")], weather=weather)
    assert rows["weather_temp"].tolist() == [2, 2]


def test_an_impossible_wind_is_missing_and_the_rest_of_the_report_stays(tmp_path: Path) -> None:
    winds = {13: 253.1, 14: 253.0}  # 253 miles per hour were measured in a cyclone
    weather = [
        report(f"2013-01-10T{hour}:00:00Z", wind_speed=winds[hour], temp=39) for hour in winds
    ]
    rows = load(tmp_path, [flight(f"2013-01-10 {at}:20") for at in (10, 11)], weather=weather)
    assert rows["weather_wind_speed"].fillna(-1).tolist() == [-1, 253]
    assert rows["weather_temp"].tolist() == [39, 39]


def test_a_plane_that_is_not_listed_is_missing_and_its_flight_stays(tmp_path: Path) -> None:
    flights = [flight(WINTER_MORNING, number=n, tailnum=f"N{n}") for n in (1, 2)]
    rows = load(tmp_path, flights, planes=[plane("N1", year=1999, seats=200)])
    known = rows.loc[1].filter(regex="^plane_").tolist()
    assert known == [14, 200, 2, "BOEING", "Fixed wing multi engine"]
    assert rows.loc[2].filter(regex="^plane_").isna().all()


def test_the_planned_time_knows_the_time_zones(tmp_path: Path) -> None:
    moments = ("2013-01-10 10:20", "2013-07-10 10:20", "2013-03-09 23:10")
    flights = [flight(moment, dest=dest, planned=205) for moment in moments for dest in AIRPORTS]
    assert load(tmp_path, flights)["planned_minutes"].tolist() == [205] * 24


def test_the_time_is_local_so_that_a_day_is_a_day_in_new_york(tmp_path: Path) -> None:
    rows = load(tmp_path, [flight("2013-08-31 21:34")])  # already September in UTC
    assert rows.loc[1, :"air_time"].tolist() == [  # in Chicago it is an hour earlier
        *("2013-08-31 UA 1 EWR 2134", False, pd.Timestamp("2013-08-31 21:34"), "United Air Lines"),
        *("Saturday", 21, 34, 23, 4, 150, pd.Timestamp("2013-08-31"), 1, "N1", "UA", "EWR", "ORD"),
        *(719, 2134, 0, 2304, 0, 120),
    ]


def test_a_file_that_is_missing_or_another_is_named(tmp_path: Path) -> None:
    folder = write_raw(tmp_path, [flight(WINTER_MORNING)])
    (folder / "airlines.csv").write_text("carrier\nUA\n")
    with pytest.raises(CrivoError, match=r"airlines\.csv is not the file .*name"):
        make_block("dataset", "flights", {}).load(folder)
    (folder / "airlines.csv").unlink()
    with pytest.raises(CrivoError, match=r"airlines\.csv is not there.*`crivo fetch`"):
        make_block("dataset", "flights", {}).load(folder)
