"""What a target asks for is guessed or refused; rows are named by their content."""

import json
from pathlib import Path

import pandas as pd
import pytest

from crivo.core.errors import CrivoError
from crivo.preparation.tables import columns
from crivo.preparation.tables.columns import content_ids, joined_ids
from crivo.preparation.tables.dataset import TableDataset

CASES = Path(__file__).with_name("targets.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("case", CASES)
def test_what_a_target_asks_for_is_guessed_or_refused(case: str) -> None:
    call, expected = case.split(" => ")
    name, _, arguments = call.partition(" ")
    values, *more = json.loads(arguments)
    target = pd.Series(values, name="y")
    try:
        if name == "read_target":
            read = columns.read_target(target, columns.Reading(frozenset("?")), *more)
            found = f"{read.dtype} {read.tolist()}"
        elif name == "find_positive":
            found = repr(columns.find_positive(tuple(sorted(set(values))), *more, target))
        else:
            found = repr(getattr(columns, name)(target, *more))
    except CrivoError as error:
        found = f"refused: {error}"
    assert found == expected


def test_a_date_is_no_class() -> None:
    days = pd.Series(pd.to_datetime(["2013-01-01", "2013-01-02"]))
    with pytest.raises(CrivoError, match="of the type date"):
        columns.find_classes(days, "binary")


ROWS = pd.DataFrame({"a": ["1", "2", "1"], "b": ["x", "y", "x"]})


def test_added_rows_and_another_order_change_no_name() -> None:
    more = pd.concat([pd.DataFrame({"a": ["9"], "b": ["z"]}), ROWS[::-1]], ignore_index=True)
    assert set(content_ids(ROWS)) < set(content_ids(more))
    # printf '1\037x' | b2sum -l 64
    assert content_ids(ROWS)[[0, 2]].tolist() == ["4d8bce2375920758", "4d8bce2375920758~2"]


def test_a_name_tells_cells_apart_and_is_missing_where_one_is() -> None:
    rows = pd.DataFrame({"a": ["xy", "x"], "b": ["z", "yz"]})
    assert content_ids(rows).is_unique
    assert joined_ids(pd.DataFrame({"a": ["a|b", "a"], "b": ["c", "b|c"]}), frozenset()).is_unique
    assert joined_ids(pd.DataFrame({"a": ["a|b"]}), frozenset()).tolist() == ["a|b"]
    rows = pd.DataFrame({"a": ["a", " ? "], "b": ["b", "b"]})
    assert joined_ids(rows, frozenset("?")).isna().tolist() == [False, True]


def test_a_column_of_an_id_of_several_may_also_be_the_group_or_the_time() -> None:
    rows = pd.DataFrame({"who": [7, 7, 8], "year": [2001, 2002, 2001], "y": [1.5, 2.5, 3.5]})
    table = TableDataset(target="y", id=("who", "year"), group="who", time="year")
    made = table.rows(rows)
    roles = {column.name: column.role for column in table.schema(made).columns}
    assert roles == {"row_id": "id", "who": "group", "year": "time", "y": "target"}
    assert made["year"].tolist() == [2001, 2002, 2001]
    with pytest.raises(CrivoError, match="'y' twice, in different roles"):
        TableDataset(target="y", id=("who", "y")).schema(rows)
