"""Folds: each row is a validation row once, and no test row ever."""

import itertools
from datetime import date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from blocks.splitters.at_random import AtRandom
from blocks.splitters.by_time import ByTime
from crivo.core.errors import CrivoError
from crivo.core.folds import folds_of
from crivo.records.record import Record
from crivo.testing import example_schema
from crivo.trials.repetition import plan_folds
from tests.crivo.experiments.repository import evaluated, record_of, settings


def split_by(name: str, **own: Any) -> Record:
    """Return an experiment with these settings of its splitter."""
    chosen = settings(splitter=name, splitters={name: own})
    return record_of(evaluated(0.7, settings=chosen), "main")


def test_the_first_third_only_teaches_and_the_folds_end_where_the_test_rows_begin() -> None:
    splitter = ByTime(valid_from=date(2013, 9, 1), test_from=date(2013, 11, 1))
    folds = folds_of(splitter, 6, lambda: pd.Timestamp("2013-01-01")).values()
    starts = [fold["valid_from"] for fold in folds]
    ends = [fold["test_from"] for fold in folds]
    # 304 days: a third is 101.3, and each of six folds has 33.8.
    assert starts[0] == date(2013, 4, 12)
    assert ends == [*starts[1:], date(2013, 11, 1)]
    assert {(b - a).days for a, b in zip(starts, ends, strict=True)} <= {33, 34}


@pytest.mark.parametrize(
    ("first", "end", "edges"),
    [
        (2000, 2020, [2007, 2013, 2020]),
        (0.0, 9.0, [3.0, 6.0, 9.0]),
        ("2013-01-01", datetime(2013, 1, 10), ["2013-01-04T00:00:00", "2013-01-07T00:00:00",
                                               "2013-01-10T00:00:00"]),
    ],
)  # fmt: skip
def test_folds_of_numbers_and_moments_are_equal(first: Any, end: Any, edges: list[Any]) -> None:
    def first_time() -> Any:
        return pd.Timestamp(first) if isinstance(first, str) else first

    splitter = ByTime(valid_from=end, test_from=end)
    folds = folds_of(splitter, 2, first_time).values()
    assert [*folds] == [{"valid_from": a, "test_from": b} for a, b in itertools.pairwise(edges)]


@pytest.mark.parametrize(("first", "end"), [(1, 3), (datetime(2013, 1, 1), date(2013, 1, 3))])
def test_too_few_days_or_numbers_for_the_folds_are_refused(first: Any, end: Any) -> None:
    splitter = ByTime(valid_from=end, test_from=end)
    with pytest.raises(CrivoError, match=r"^From \S*1 to \S*3, where the test rows begin, there"):
        folds_of(splitter, 2, lambda: first)


def test_a_split_by_days_starts_from_the_first_training_day(tmp_path: Path) -> None:
    pd.DataFrame({"date": pd.date_range("2013-01-01", periods=9)}).to_parquet(tmp_path / "train")
    path = tmp_path / "train"
    store: Any = SimpleNamespace(schema=lambda _: example_schema(), path=lambda *_: path)
    record = split_by("by_time", valid_from="2013-01-08", test_from="2013-01-10")
    assert [fold.title for fold in plan_folds(record, 2, store)] == [
        "fold 1 of 2, 2013-01-04 to 2013-01-06",
        "fold 2 of 2, 2013-01-07 to 2013-01-09",
    ]


BY_SHARE = [f"++splitters.by_time.{key}={value}"
            for ends in ((0.266667, 0.533333), (0.533333, 0.8))
            for key, value in zip(("valid_from", "test_from"), ends, strict=True)]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "own", "wanted"),
    [
        ("by_time", {"valid_from": 0.6, "test_from": 0.8}, BY_SHARE),
        *(
            (name, {"valid": 0.2, "test": 0.25}, [
                f"++splitters.{name}.{change}"
                for fold in range(2) for change in ("valid=0.375", f"fold={fold}")
            ])
            for name in ("at_random", "by_group")
        ),
    ],
)  # fmt: skip
def test_a_share_of_time_moves_and_other_splits_deal_what_is_not_test(
    name: str, own: dict[str, float], wanted: list[str]
) -> None:
    never: Any = None
    folds = plan_folds(split_by(name, **own), 2, never)
    assert [change for fold in folds for change in fold.settings] == wanted


def test_a_splitter_without_folds_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AtRandom, "folds", lambda *_: {})
    never: Any = None
    with pytest.raises(CrivoError, match="Splitter at_random can't make folds"):
        plan_folds(split_by("at_random"), 2, never)
