"""The flights' history: only what had happened by a row's prediction time, worked out by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.crivo.blocks.datasets.raw_flights import flight
from tests.crivo.blocks.datasets.test_flights import load

from crivo.core.registry import make_block

NOON = "2013-01-10 12:00"  # to be predicted at 11:00


def test_late_rates_stand_against_that_of_all_flights(tmp_path: Path) -> None:
    flights = [
        flight("2013-01-09 10:00", number=1, tailnum="N1", left=20, landed=20),
        flight("2013-01-09 10:00", number=2, tailnum="N2"),
        flight("2013-01-09 10:00", number=3, tailnum="N3", carrier="DL"),
        flight("2013-01-09 12:00", number=4, tailnum="N4", carrier="DL", dest="BOS"),
        flight(NOON, number=99, tailnum="N1"),
    ]
    rows = load(tmp_path, flights)
    # One of four was late; 20 average flights are added to every count.
    expected = {
        "history_carrier": (1 - 2 * 0.25) / 22,
        "history_dest": (1 - 3 * 0.25) / 23,
        "history_origin_hour": (0 - 1 * 0.25) / 21,
        "history_carrier_flight": 0.0,
        "history_tailnum": (1 - 1 * 0.25) / 21,
    }
    assert rows.loc[99, list(expected)].to_dict() == pytest.approx(expected)


def test_history_ends_yesterday_at_midnight(tmp_path: Path) -> None:
    flights = [
        flight("2013-01-09 23:00", number=1, landed=40),  # lands at 02:10
        flight("2013-01-10 05:00", number=2, landed=40),  # lands at 08:10
        flight("2013-01-10 12:00", number=10),
        flight("2013-01-11 12:00", number=11, dest="BOS"),
    ]
    rows = load(tmp_path, flights)
    assert np.isnan(rows.loc[10, "history_carrier"])
    # By the eleventh three had landed, two of them late: all of this carrier, so no excess;
    # none of them went to Boston.
    assert rows.loc[11, "history_carrier"] == pytest.approx(0)
    assert rows.loc[11, "history_dest"] == 0


def test_history_begins_at_midnight_four_weeks_before(tmp_path: Path) -> None:
    # A minute before 13 January begins, at that moment, and the same around 10 February.
    moments = ("2013-01-12 22:59", "2013-01-12 23:00", "2013-02-09 22:59", "2013-02-09 23:00")
    flights = [flight(moment, dest="BOS", planned=60) for moment in moments]
    flights.append(flight("2013-02-01 10:00", carrier="DL", left=20, landed=20))
    flights.append(flight("2013-02-10 12:00", carrier="DL", number=99))
    # The late one is one of three that count.
    assert load(tmp_path, flights).loc[99, "history_carrier"] == pytest.approx((1 - 1 / 3) / 21)


def test_recent_delays_are_of_flights_that_left_in_the_last_hours(tmp_path: Path) -> None:
    flights = [
        flight("2013-01-10 07:00", number=1, left=60),  # three hours ago
        flight("2013-01-10 07:51", number=2, left=10),
        flight("2013-01-10 10:00", number=3, left=60),  # at 11:00 sharp
        flight("2013-01-10 10:30", number=4, left=31),  # a minute too late
        flight("2013-01-10 09:00", number=5, left=-5, origin="JFK", carrier="DL", dest="BOS"),
        flight(NOON, number=99),
    ]
    rows = load(tmp_path, flights)
    expected = {"origin": 35, "carrier": 35, "dest": 35, "city": 65 / 3}
    for group, delay in expected.items():
        assert rows.loc[99, f"recent_{group}_delay"] == pytest.approx(delay)


def test_recent_late_arrivals_are_of_flights_that_landed_in_the_last_hours(tmp_path: Path) -> None:
    flights = [
        flight("2013-01-10 08:30", number=1, dest="BOS", planned=60, left=10, landed=10),
        flight("2013-01-10 09:00", number=2, dest="BOS", planned=60, left=20, landed=20),
        flight("2013-01-10 10:00", number=3, dest="BOS", planned=60, left=20, landed=20),
        flight(NOON, number=99, dest="BOS"),
    ]
    rows = load(tmp_path, flights)
    assert rows.loc[99, "recent_dest_late"] == 0.5  # the third is in the air


def test_landings_are_counted_in_true_time_not_by_the_clock_on_the_wall(tmp_path: Path) -> None:
    # Lands in Los Angeles at 08:30 by its clock, 11:30 in New York.
    far = flight("2013-01-10 06:00", dest="LAX", planned=330)
    rows = load(tmp_path, [far, flight(NOON, number=99)])
    assert np.isnan(rows.loc[99, "recent_city_late"])


def test_flights_that_should_have_left_wait(tmp_path: Path) -> None:
    flights = [
        flight("2013-01-10 10:00", number=1, left=60),  # gone at 11:00 sharp
        flight("2013-01-10 10:30", number=2, left=45),
        flight("2013-01-10 10:40", number=3, left=None),  # that it is cancelled, who knows
        flight("2013-01-10 10:00", number=4, left=120, origin="JFK", carrier="DL", dest="BOS"),
        flight("2013-01-10 11:30", number=5, left=90),  # not yet due
        flight("2013-01-10 04:59", number=6, left=None),  # given up after six hours
        flight("2013-01-10 09:00", number=7, left=-3),
        flight(NOON, number=99),
        flight("2013-01-11 12:00", number=100),
    ]
    rows = load(tmp_path, flights)
    for group in ("origin", "carrier", "dest"):
        assert rows.loc[99, f"recent_{group}_waiting"] == 2
        assert rows.loc[99, f"recent_{group}_wait"] == (30 + 20) / 2
    assert rows.loc[99, "recent_city_waiting"] == 3
    assert rows.loc[99, "recent_city_wait"] == pytest.approx((30 + 20 + 60) / 3)
    assert rows.loc[100, "recent_city_waiting"] == rows.loc[100, "recent_city_wait"] == 0


def test_the_planes_last_departure_tells_how_long_it_stands(tmp_path: Path) -> None:
    flights = [
        flight("2013-01-10 08:00", number=1, left=15, planned=150),
        flight("2013-01-10 15:00", number=2),
    ]
    rows = load(tmp_path, flights)
    told = rows.loc[2, ["recent_plane_delay", "recent_plane_hours", "recent_plane_slack"]]
    assert told.tolist() == [15, 6.75, 6.75 * 60 - 300]


def test_no_value_of_the_future_changes_a_feature(tmp_path: Path) -> None:
    """Random flights of three days; those not yet due at a moment get another fate."""
    rng = np.random.default_rng(7)
    plans = [
        (
            f"2013-11-0{rng.integers(1, 4)} {rng.integers(6, 24):02}:{rng.integers(0, 60):02}",
            {"number": number, "dest": rng.choice(["BOS", "LAX"]), "tailnum": f"N{number % 8}"},
            int(rng.choice([-10, 0, 20, 200])),
        )
        for number in range(120)
    ]

    def rows(moment: str, fate: int | None) -> pd.DataFrame:
        delays = [left if at < moment else fate for at, _, left in plans]
        flights = [
            flight(at, left=left, landed=left, **names)
            for (at, names, _), left in zip(plans, delays, strict=True)
        ]
        return load(tmp_path / f"{moment} {fate}", flights)

    for moment in ("2013-11-02 09:00", "2013-11-03 15:00"):
        late, cancelled = rows(moment, 30), rows(moment, None)
        # Predictions are made an hour before, and flights leave up to ten minutes early.
        known = late["time"] < pd.Timestamp(moment) + pd.Timedelta(minutes=50)
        features = list(make_block("dataset", "flights", {}).schema(late).features)
        pd.testing.assert_frame_equal(
            late.loc[known, features], cancelled.loc[known, features], check_exact=True
        )
        assert not late.loc[~known, features].equals(cancelled.loc[~known, features])


@pytest.mark.parametrize(
    ("day", "left"), [("2013-01-10", 361), ("2013-01-10", None), ("2013-01-09", 300)]
)
def test_a_plane_not_seen_to_leave_in_the_last_day_tells_nothing(
    tmp_path: Path, day: str, left: int | None
) -> None:
    first = flight(f"{day} 08:00", number=1, left=left)  # or after 14:00, or on the day before
    rows = load(tmp_path, [first, flight("2013-01-10 15:00", number=2)])
    assert rows.loc[2].filter(like="recent_plane").isna().all()
