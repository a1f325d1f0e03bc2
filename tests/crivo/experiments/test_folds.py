"""Folds: each row is a validation row once, and no test row ever."""

from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from blocks.splitters.at_random import AtRandom
from blocks.splitters.by_time import ByTime
from crivo.core.errors import CrivoError
from crivo.core.folds import folds_of
from crivo.trials.repetition import plan_folds
from tests.crivo.experiments.repository import settings
from tests.crivo.experiments.stored_tables import SCHEMA, keep, store, table

TARGET = np.arange(120) % 3 == 0
SCORE = np.where(TARGET, 0.7, 0.4)
BY_SHARE = {"valid_from": 0.6, "test_from": 0.9}


def test_the_first_third_only_teaches_and_the_folds_end_where_the_test_rows_begin() -> None:
    splitter = ByTime(valid_from=date(2013, 9, 1), test_from=date(2013, 11, 1))
    folds = folds_of(splitter, 6, lambda: pd.Timestamp("2013-01-01")).values()
    starts = [fold["valid_from"] for fold in folds]
    ends = [fold["test_from"] for fold in folds]
    # 304 days: a third is 101.3, and each of six folds has 33.8.
    assert starts[0] == date(2013, 4, 12)
    assert ends == [*starts[1:], date(2013, 11, 1)]
    assert {(b - a).days for a, b in zip(starts, ends, strict=True)} <= {33, 34}


def test_a_split_by_share_of_time_moves_its_origin(tmp_path: Path) -> None:
    where = store(tmp_path)
    own = settings(splitters__by_time=BY_SHARE)
    record = keep(where, "main", table(SCORE, TARGET), own)
    first, last = plan_folds(record, 2, where)
    assert first.settings == (
        "++splitters.by_time.valid_from=0.3",
        "++splitters.by_time.test_from=0.6",
    )
    assert last.settings[1] == "++splitters.by_time.test_from=0.9"


def test_a_split_by_days_starts_from_the_first_training_day(tmp_path: Path) -> None:
    where = store(tmp_path)
    own = settings(splitters__by_time={"valid_from": "2013-01-08", "test_from": "2013-01-10"})
    record = keep(where, "main", table(SCORE, TARGET), own)
    days = pd.DataFrame({"day": pd.date_range("2013-01-01", periods=9)})
    days.to_parquet(tmp_path / "main/data/prepared/train.parquet")
    assert [fold.title for fold in plan_folds(record, 2, where)] == [
        "fold 1 of 2, 2013-01-04 to 2013-01-07",
        "fold 2 of 2, 2013-01-07 to 2013-01-10",
    ]


@pytest.mark.parametrize("name", ["at_random", "by_group"])
def test_other_splits_deal_what_is_not_test_into_parts(tmp_path: Path, name: str) -> None:
    where = store(tmp_path)
    own = settings(splitter=name, splitters={name: {"valid": 0.2, "test": 0.25}})
    folds = plan_folds(keep(where, "main", table(SCORE, TARGET), own), 3, where)
    assert [fold.settings for fold in folds] == [
        (f"++splitters.{name}.valid=0.25", f"++splitters.{name}.fold={number}")
        for number in range(3)
    ]


def test_a_splitter_without_folds_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AtRandom, "folds", lambda *_: {})
    where = store(tmp_path)
    own = settings(splitter="at_random", splitters={"at_random": {}})
    record = keep(where, "main", table(SCORE, TARGET), own)
    with pytest.raises(CrivoError, match="Splitter at_random can't make folds"):
        plan_folds(record, 2, where)


@pytest.mark.parametrize("exact", [False, True])
def test_the_folds_of_a_random_split_share_no_row_and_none_with_test(exact: bool) -> None:
    rows = pd.DataFrame({"key": [str(number) for number in range(1000)], "late": True})
    dealt = [
        AtRandom(valid=0.25, test=0.25, fold=fold, exact=exact).split(rows, SCHEMA)
        for fold in range(3)
    ]
    valid = [set(splits.index[splits == "valid"]) for splits in dealt]
    tests = [set(splits.index[splits == "test"]) for splits in dealt]
    assert tests[0] == tests[1] == tests[2]
    assert not set.union(*valid) & tests[0]
    # With `exact` the last row always teaches.
    assert sum(map(len, valid)) == len(set.union(*valid)) == 1000 - len(tests[0]) - exact
