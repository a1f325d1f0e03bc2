"""Rows are dealt out by a hash of their id."""

import pandas as pd
import pytest
from tests.crivo.schemas import few_columns

from crivo.core.problems import Problems
from crivo.core.registry import make_block
from crivo.core.schema import Schema

CLASSES = few_columns("a", "b", "c")


def rows(*counts: int) -> pd.DataFrame:
    """Return so many rows of the classes a, b and c."""
    labels = [label for label, n in zip("abc", counts, strict=True) for _ in range(n)]
    return pd.DataFrame({"key": [f"row {i}" for i in range(len(labels))], "y": labels})


def split(table: pd.DataFrame, schema: Schema = CLASSES, **settings: object) -> pd.Series:
    return make_block("splitter", "at_random", settings).split(table, schema)


def test_the_shares_are_kept_up_to_chance_in_each_class() -> None:
    splits = split(rows(3000, 1500, 1500), valid=0.1, test=0.3)
    for _, ones in splits.groupby(rows(3000, 1500, 1500)["y"]):
        assert (ones == "valid").mean() == pytest.approx(0.1, abs=0.03)
        assert (ones == "test").mean() == pytest.approx(0.3, abs=0.045)


def test_an_exact_split_has_the_shares_in_each_class() -> None:
    table = rows(100, 50, 10)
    counts = pd.crosstab(table["y"], split(table, exact=True))
    assert counts.to_dict("index") == {
        "a": {"test": 20, "train": 60, "valid": 20},
        "b": {"test": 10, "train": 30, "valid": 10},
        "c": {"test": 2, "train": 6, "valid": 2},
    }


@pytest.mark.parametrize("count", [1, 3])
def test_the_last_row_of_a_rare_class_teaches(count: int) -> None:
    table = rows(100, 50, count)
    splits = split(table, exact=True, valid=0.4, test=0.4)
    assert (splits[table["y"] == "c"] == "train").any()


def test_an_exact_split_of_a_regression_cuts_all_rows() -> None:
    splits = split(rows(50, 30, 20), few_columns(), exact=True)
    assert splits.value_counts().to_dict() == {"train": 60, "valid": 20, "test": 20}


@pytest.mark.parametrize("exact", [False, True])
def test_rows_that_chance_made_alike_are_dealt_one_by_one(exact: bool) -> None:
    """Six kinds of rows, a hundred of each: every kind must have its shares."""
    table = rows(600, 0, 0)
    table["key"] = [f"kind {i // 100}" + (f"~{i % 100 + 1}" if i % 100 else "") for i in range(600)]
    splits = split(table, exact=exact, copies_together=False)
    for _, ones in splits.groupby(table["key"].str.split("~").str[0]):
        assert (ones == "train").mean() == pytest.approx(0.6, abs=0.2)
        assert set(ones) == {"train", "valid", "test"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"valid": 0.5, "test": 0.5}, "valid and test must sum to less than 1"),
        ({"fold": 4}, "must be less than"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(Problems, match=message):
        make_block("splitter", "at_random", settings)
