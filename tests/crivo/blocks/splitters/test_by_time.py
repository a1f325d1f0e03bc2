"""What comes later never teaches what came before."""

import pandas as pd
import pytest
from tests.crivo.schemas import few_columns

from crivo.core.errors import CrivoError
from crivo.core.problems import Problems
from crivo.core.registry import make_block

SCHEMA = few_columns(when="time")

DAYS = pd.Series(pd.date_range("2013-01-01", periods=10, freq="D"))


def split(when: pd.Series, **settings: object) -> list[str]:
    rows = pd.DataFrame({"key": range(len(when)), "y": 1.0, "when": when})
    return list(make_block("splitter", "by_time", settings).split(rows, SCHEMA))


def test_splits_begin_on_their_days() -> None:
    splits = split(DAYS, valid_from="2013-01-07", test_from="2013-01-09")
    assert splits == ["train"] * 6 + ["valid"] * 2 + ["test"] * 2


@pytest.mark.parametrize("test_from", [0.7, "2013-01-08"])
def test_shares_count_the_rows_before_each_side_in_any_order(test_from: float | str) -> None:
    expected = ["train"] * 5 + ["valid"] * 2 + ["test"] * 3
    assert split(DAYS, valid_from=0.5, test_from=test_from) == expected
    assert split(DAYS[::-1], valid_from=0.5, test_from=test_from) == expected[::-1]


def test_rows_of_one_moment_stay_together() -> None:
    splits = split(DAYS.iloc[[0, 1, 2, 2, 2, 2, 2, 3, 3, 4]], valid_from=0.5, test_from=0.8)
    assert splits == ["train"] * 2 + ["valid"] * 5 + ["test"] * 3


def test_a_day_begins_at_midnight_of_the_rows_own_zone() -> None:
    hours = pd.Series(pd.date_range("2013-01-01 22:00", periods=4, freq="h", tz="America/New_York"))
    splits = split(hours, valid_from="2013-01-02", test_from="2013-01-03")
    assert splits == ["train"] * 2 + ["valid"] * 2


YEARS = pd.Series([2001, 2002, 2003, 2004, 2005])


def test_numbers_are_split_by_shares_or_by_such_numbers() -> None:
    assert split(YEARS) == ["train"] * 3 + ["valid", "test"]
    assert split(YEARS, valid_from=2002, test_from=2005) == ["train"] + ["valid"] * 3 + ["test"]
    mixed = split(YEARS, valid_from=0.4, test_from=2004.5)
    assert mixed == ["train"] * 2 + ["valid"] * 2 + ["test"]
    with pytest.raises(CrivoError, match="holds numbers.*as shares, such as 0.6"):
        split(YEARS, valid_from="2013-01-01")
    with pytest.raises(CrivoError, match="holds dates.*as days in quotes, such as '2017-01-01'"):
        split(DAYS, valid_from=2017)


@pytest.mark.parametrize("freq", ["D", "M"])
@pytest.mark.parametrize(
    ("counts", "sizes"), [([9, 1, 1], [9, 1, 1]), ([1, 9, 1], [1, 9, 1]), ([1, 1, 1, 7], [2, 1, 7])]
)
def test_shares_never_cut_a_period_in_two_and_leave_one_to_each(
    freq: str, counts: list[int], sizes: list[int]
) -> None:
    periods = pd.Series(pd.period_range("2000", periods=len(counts), freq=freq)).repeat(counts)
    for times in (periods.dt.to_timestamp(), periods.map(lambda period: period.ordinal)):
        splits = pd.Series(split(times.reset_index(drop=True)))
        assert [int((splits == split).sum()) for split in ("train", "valid", "test")] == sizes
        assert (splits.groupby(times.to_numpy()).nunique() == 1).all()


@pytest.mark.parametrize(
    ("when", "settings", "message"),
    [
        (DAYS, {"valid_from": 0.8, "test_from": 0.8}, "validation must begin before test"),
        (DAYS.iloc[[0, 1, 1, 1]], {}, "need at least 3 different values, and when has 2;"),
        (DAYS.mask(DAYS.index < 2), {}, "when is missing in 2 of [0-9]+ rows"),
        (DAYS.astype("str"), {}, "holds neither dates nor numbers"),
    ],
)
def test_times_that_can_not_be_split_are_refused(
    when: pd.Series, settings: dict[str, object], message: str
) -> None:
    with pytest.raises(CrivoError, match=f"^splitters?[ .]by_time: .*{message}"):
        split(when, **settings)


@pytest.mark.parametrize(
    "value", [0.0, 1.0, float("inf"), True, "2013", "2013-02-30", None, "20130203T04Z"]
)
def test_a_start_that_is_no_day_and_no_share_is_refused_in_one_sentence(value: object) -> None:
    with pytest.raises(
        Problems, match=r"a moment in quotes.* or a share|without a zone"
    ) as refusal:
        make_block("splitter", "by_time", {"valid_from": value})
    assert len(refusal.value.by_key) == 1
