"""A splitter's answer is checked before it is used."""

import pandas as pd
import pytest

from crivo.core.errors import CrivoError
from crivo.core.schema import Column, Schema
from crivo.preparation.splits import check_split

SCHEMA = Schema(
    task="binary",
    classes=("no", "yes"),
    positive="yes",
    columns=(
        Column(name="key", role="id", type="text"),
        Column(name="y", role="target", type="category"),
    ),
)
ROWS = pd.DataFrame({"key": list("abcd"), "y": ["yes", "no", "no", "yes"]})


def check(*splits: str, rows: pd.DataFrame = ROWS, index: object = None) -> None:
    check_split(pd.Series(list(splits), index=index), rows, SCHEMA, "mine")


def test_a_good_split_passes() -> None:
    check("train", "train", "valid", "test")


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        (
            ["train", "train", "valid", "valid"],
            r"left test empty \(train 2, valid 2, test 0\)",
        ),
        (["train"] * 4, "left valid and test empty"),
        (["valid", "train", "train", "test"], "no training row of the class yes"),
        (["train", "train", "valid", "holdout"], "1 rows on 'holdout'"),
        (["train", "valid", "test"], "answered for 3 rows"),
    ],
)
def test_a_bad_split_is_refused_with_what_to_change(splits: list[str], message: str) -> None:
    with pytest.raises(CrivoError, match=message):
        check(*splits)


def test_another_index_is_refused() -> None:
    with pytest.raises(CrivoError, match="index of the rows"):
        check("train", "train", "valid", "test", index=[3, 2, 1, 0])


def test_regression_has_no_classes_to_miss() -> None:
    schema = SCHEMA.model_copy(update={"task": "regression", "classes": (), "positive": None})
    rows = ROWS.assign(y=[1.0, 2.0, 3.0, 4.0])
    check_split(pd.Series(["train", "train", "valid", "test"]), rows, schema, "mine")


def test_a_row_without_a_split_is_refused_unless_the_splitter_says_why() -> None:
    splits = pd.Series(["train", "train", "valid", "test", None])
    rows = pd.concat([ROWS, ROWS.tail(1)], ignore_index=True)
    with pytest.raises(CrivoError, match="put 1 rows on"):
        check_split(splits, rows, SCHEMA, "mine")
    check_split(splits, rows, SCHEMA, "mine", may_set_aside=True)
