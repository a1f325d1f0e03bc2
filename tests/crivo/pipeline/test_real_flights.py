"""The real flights are what the documentation says of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest

from crivo.core.registry import make_block
from crivo.core.schema import Schema
from crivo.preparation.quarantine import quarantine
from crivo.project.fetch import fetch_flights

pytestmark = pytest.mark.pipeline
ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> tuple[pd.DataFrame, Schema, pd.Series]:
    root = tmp_path_factory.mktemp("project")
    (root / "data/raw").mkdir(parents=True)
    shutil.copy(ROOT / "data/raw/flights.dvc", root / "data/raw")
    fetch_flights(root)
    dataset = make_block("dataset", "flights", {})
    rows = dataset.load(root / "data/raw/flights")
    return rows, dataset.schema(rows), dataset.unusable(rows)


def test_only_unlabelled_flights_are_set_aside(loaded) -> None:
    rows, schema, unusable = loaded
    assert len(rows) == 336_776
    assert rows["id"].is_unique
    assert rows["id"].iloc[0] == "2013-01-01 UA 1545 EWR 0515"
    kept, aside = quarantine(rows, schema, unusable, limit=0.05)
    assert aside["reason"].value_counts().to_dict() == {
        "cancelled: no arrival delay": 8_255,
        "diverted: no arrival delay": 1_175,
    }
    splits = pd.cut(kept["date"].dt.month, [0, 8, 10, 12]).value_counts(sort=False)
    assert splits.tolist() == [217_727, 55_628, 53_991]


def test_weather_planes_and_time_zones_are_as_the_pages_say(loaded) -> None:
    rows, _, _ = loaded
    labelled = rows[rows["late"].notna()]
    last = labelled[labelled["time"] >= "2013-12-31"]
    assert last["weather_temp"].isna().all()
    unknown = labelled["plane_seats"].isna().groupby(labelled["carrier"]).mean()
    assert (unknown["MQ"], unknown["AA"]) == pytest.approx((0.96, 0.69), abs=0.01)
    assert rows["planned_minutes"].between(20, 760).all()
    in_air = (rows["planned_minutes"] - rows["air_time"]).groupby(rows["dest"]).median()
    assert in_air.dropna().between(15, 75).all()
