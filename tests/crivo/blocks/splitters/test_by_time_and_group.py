"""Evaluates on later rows of other groups: no group is in two splits, nothing later teaches."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from crivo.core.errors import CrivoError
from crivo.core.registry import make_block
from crivo.core.schema import Column, Schema
from crivo.preparation.splits import divide

COLUMNS = (
    Column(name="key", role="id", type="text"),
    Column(name="y", role="target", type="number"),
    Column(name="when", role="time", type="number"),
    Column(name="shop", role="group", type="category"),
)
SCHEMA = Schema(task="regression", columns=COLUMNS)
ORDER = ["train", "valid", "test"]


def rows(shops: int = 30, years: int = 10, lasts: int = 10) -> pd.DataFrame:
    """Return a row for each year of each shop; a shop lasts so many years."""
    made = [
        (f"s{shop}", 2000 + year)
        for shop in range(shops)
        for year in range(years)
        if shop % (years - lasts + 1) <= year < shop % (years - lasts + 1) + lasts
    ]
    table = pd.DataFrame(made, columns=["shop", "when"])
    return table.assign(key=[f"r{i}" for i in range(len(table))], y=1.0)


def split(table: pd.DataFrame, schema: Schema = SCHEMA, **settings: object) -> pd.Series:
    return make_block("splitter", "by_time_and_group", settings).split(table, schema)


@pytest.mark.parametrize("lasts", [1, 3, 10])
def test_no_group_is_in_two_splits_and_later_rows_are_evaluated(lasts: int) -> None:
    table = rows(lasts=lasts)
    splits = split(table)
    assert (splits.dropna().groupby(table["shop"]).nunique() == 1).all()
    for one, other in combinations(ORDER, 2):
        assert table.loc[splits == one, "when"].max() < table.loc[splits == other, "when"].min()


def test_rows_that_fit_no_split_are_set_aside_with_a_reason() -> None:
    table = rows()
    splitter = make_block("splitter", "by_time_and_group", {})
    kept, splits, aside = divide(splitter, "by_time_and_group", table, SCHEMA)
    assert len(kept) + len(aside) == len(table) == 300
    assert set(aside["reason"]) == {"its group is in another split"}
    assert splits.index.equals(kept.index)
    assert set(kept["key"]).isdisjoint(aside["key"])


def test_a_group_stays_where_it_has_rows() -> None:
    """Of two splits that a group touches it goes to one, by their fractions."""
    table = pd.DataFrame(
        {
            "key": range(4000),
            "y": 1.0,
            "when": np.tile([2000, 2001], 2000),
            "shop": np.repeat(np.arange(2000), 2).astype(str),
        }
    )
    last = table.tail(1).assign(when=2002, key="last", shop="last")
    splits = split(pd.concat([table, last], ignore_index=True), valid_from=2001, test_from=2002)
    chosen = splits.iloc[:4000].dropna()
    assert len(chosen) == 2000
    assert (chosen == "valid").mean() == pytest.approx(0.25 / 0.75, abs=0.04)


@pytest.mark.parametrize(
    ("without", "message"), [("shop", "names no group"), ("when", "needs a time column")]
)
def test_data_without_a_time_or_groups_are_refused(without: str, message: str) -> None:
    schema = Schema(task="regression", columns=tuple(c for c in COLUMNS if c.name != without))
    with pytest.raises(CrivoError, match=message):
        split(rows(), schema)
