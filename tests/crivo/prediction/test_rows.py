"""Raw rows are given the schema's types, and refused in words when they can't be."""

import json
from pathlib import Path
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


CASES = Path(__file__).with_name("values.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("case", CASES)
def test_a_value_is_taken_in_any_clear_form_or_named(case: str) -> None:
    given, expected = case.split(" => ")
    name, _, value = given.partition(": ")
    try:
        found = str(checked(ROW | {name: json.loads(value)})[name].iloc[0])
    except CrivoError as error:
        found = f"refused: {error}"
    assert found == expected


def test_values_of_other_libraries_are_taken() -> None:
    day = pd.Timestamp("2013-02-01")
    (row,) = checked(ROW | {"pieces": np.int64(4), "ordered": day}).to_dict("records")
    assert (row["pieces"], row["ordered"]) == (4, day)


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA, "", "NA"])
def test_nothing_is_a_missing_value_in_every_column(nothing: object) -> None:
    columns = tuple(one.model_copy(update={"nullable": True}) for one in SCHEMA.columns)
    table = as_table([dict.fromkeys(ROW, nothing), ROW])
    rows = checked_rows(table, SCHEMA.model_copy(update={"columns": columns}))
    assert rows.isna().all(axis="columns").tolist() == [True, False]
    assert not rows.iloc[1].isna().any()


def test_missing_columns_are_named() -> None:
    with pytest.raises(CrivoError, match="lack 6 of the 7 columns .*: .*, member and 1 more"):
        checked_rows(pd.DataFrame([ROW])[["remark"]], SCHEMA)


@pytest.mark.parametrize("rows", [7, "row", [1, 2], []])
def test_what_is_no_row_is_refused(rows: Any) -> None:
    with pytest.raises(CrivoError, match="expected a DataFrame, a mapping"):
        as_table(rows)
