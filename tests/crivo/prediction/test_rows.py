"""Raw rows are given the schema's types, and refused in words when they can't be."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from crivo.core.errors import CrivoError
from crivo.prediction.predictor import Rows, as_table, checked_rows
from crivo.testing import example_schema

SCHEMA = example_schema()
ROW: dict[str, Any] = {
    "amount": 12.5,
    "pieces": 3,
    "kind": "a",
    "city": "Faro",
    "member": True,
    "ordered": "2013-02-01",
    "remark": "soon",
}


def checked(rows: Rows) -> pd.DataFrame:
    return checked_rows(as_table(rows), SCHEMA)


def test_one_row_is_a_mapping_and_several_a_list_of_them() -> None:
    one, two = checked(ROW), checked([ROW, ROW])
    assert (len(one), len(two)) == (1, 2)
    assert one["ordered"].iloc[0] == pd.Timestamp("2013-02-01")


GOOD = [
    ("amount", "12.5", 12.5),
    ("amount", 12, 12),
    ("pieces", np.int64(4), 4),
    ("member", "True", True),
    ("member", 0, False),
    ("member", "false", False),
    ("kind", 7, "7"),
    ("kind", 7.0, "7"),
    ("ordered", "2013-02-01T08:30", pd.Timestamp("2013-02-01 08:30")),
    ("ordered", pd.Timestamp("2013-02-01"), pd.Timestamp("2013-02-01")),
    ("ordered", "28.02.2013", pd.Timestamp("2013-02-28")),
    ("ordered", 20130201, pd.Timestamp("2013-02-01")),
    ("amount", "67,4", 67.4),
    ("amount", "$1,250.5", 1250.5),
    ("amount", "12%", 0.12),
    ("member", "Y", True),
    ("member", "no", False),
    ("kind", " a ", "a"),
]


def test_a_value_is_taken_in_any_clear_form() -> None:
    for name, given, expected in GOOD:
        assert checked(ROW | {name: given})[name].iloc[0] == expected, given


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA, "", "NA"])
def test_nothing_is_a_missing_value_in_every_column(nothing: object) -> None:
    columns = tuple(one.model_copy(update={"nullable": True}) for one in SCHEMA.columns)
    table = as_table([dict.fromkeys(ROW, nothing), ROW])
    rows = checked_rows(table, SCHEMA.model_copy(update={"columns": columns}))
    assert rows.isna().all(axis="columns").tolist() == [True, False]
    assert not rows.iloc[1].isna().any()


BAD = [
    ("amount", "much", "'amount' can't be read as number: .*'much'; the first is in row 2"),
    ("pieces", True, "'pieces' can't be read as number: .*'True'; the first is in row 2"),
    ("member", "perhaps", "'member' can't be read as boolean: .*'perhaps'; the first is in row 2"),
    ("member", 2, "'member' can't be read as boolean: .*'2'; the first is in row 2"),
    ("ordered", "tomorrow", "'ordered' can't be read as date: .*'tomorrow'; the first is in row 2"),
    ("ordered", True, "'ordered' can't be read as date: .*'True'; the first is in row 2"),
]


@pytest.mark.parametrize(("name", "value", "sentence"), BAD)
def test_a_value_of_the_wrong_type_is_named(name: str, value: object, sentence: str) -> None:
    with pytest.raises(
        CrivoError, match=rf"{sentence}\. Correct such cells or leave them empty\.$"
    ):
        checked_rows(pd.DataFrame([ROW, ROW | {name: value}]), SCHEMA)


def test_missing_columns_are_named() -> None:
    with pytest.raises(CrivoError, match="lack 6 of the 7 columns .*: .*, member and 1 more"):
        checked_rows(pd.DataFrame([ROW])[["remark"]], SCHEMA)


@pytest.mark.parametrize("rows", [7, "row", [1, 2], []])
def test_what_is_no_row_is_refused(rows: Any) -> None:
    with pytest.raises(CrivoError, match="expected a DataFrame, a mapping"):
        as_table(rows)
