"""The real flights are what the documentation says of them."""

import shutil
from pathlib import Path

import pandas as pd

from crivo.core.registry import make_block
from crivo.preparation.quarantine import quarantine
from crivo.project.fetch import fetch_raw
from tests.crivo.pipeline.project import ROOT


def test_only_unlabelled_flights_are_set_aside(tmp_path: Path) -> None:
    (tmp_path / "data/raw").mkdir(parents=True)
    shutil.copy(ROOT / "data/raw/flights.dvc", tmp_path / "data/raw")
    fetch_raw(tmp_path)
    dataset = make_block("dataset", "flights", {})
    rows = dataset.load(tmp_path / "data/raw/flights")
    assert len(rows) == 336_776
    assert rows["id"].is_unique
    assert rows["id"].iloc[0] == "2013-01-01 UA 1545 EWR 0515"
    kept, aside = quarantine(rows, dataset.schema(rows), dataset.unusable(rows), limit=0.05)
    assert aside["reason"].value_counts().to_dict() == {
        "cancelled: no arrival delay": 8_255,
        "diverted: no arrival delay": 1_175,
    }
    splits = pd.cut(kept["date"].dt.month, [0, 8, 10, 12]).value_counts(sort=False)
    assert splits.tolist() == [217_727, 55_628, 53_991]
