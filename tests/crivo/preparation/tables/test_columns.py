"""A column's type is what nearly all of its different values are."""

import json
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from crivo.core.errors import CrivoError
from crivo.core.registry import make_block
from crivo.preparation.tables.columns import Reading, type_of, typed
from crivo.project.start import read_as


def text(*values: object) -> pd.Series:
    return pd.Series(list(values), dtype="str", name="x")


def cases() -> Iterator[tuple[dict[str, Any], str, str]]:
    """Give settings, cells and what is made of them; `cells.txt` has all of it in words."""
    for line in Path(__file__).with_name("cells.txt").read_text("utf-8").splitlines():
        if line.startswith("== "):
            settings = json.loads(line[3:])
        elif line:
            cells, _, read = line.partition(" => ")
            yield settings, cells, read


@pytest.mark.parametrize(("settings", "cells", "expected"), [*cases()])
def test_cells_are_of_the_type_of_nearly_all(
    settings: dict[str, Any], cells: str, expected: str, caplog: pytest.LogCaptureFixture
) -> None:
    reading = Reading(**{name: value for name, value in settings.items() if name != "kind"})
    try:
        values = typed(text(*cells.split(" | ")), reading, settings.get("kind"))
        found = f"{type_of(values)} {' | '.join(map(str, values))}"
    except CrivoError as error:
        found = f"refused: {error}"
    assert "; ".join([found, *caplog.messages]) == expected


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([f"after {i} cats" for i in range(100)], "text"),
        ([f"after {i} cats" for i in range(99)], "category"),
        ([f"code {i}x" for i in range(100)], "category"),
        ([None, None], "number"),
        ([*(f"${i}" for i in range(99)), "5% off"], "number"),  # one isn't an amount
    ],
)
def test_the_type_is_guessed_from_the_values(values: list[str], kind: str) -> None:
    assert type_of(typed(text(*values), Reading())) == kind


def test_further_sentinels_are_missing_in_text_and_in_numbers() -> None:
    reading = Reading(frozenset({"?", "-999"}))
    assert typed(text("?", "a"), reading).isna().tolist() == [True, False]
    assert typed(pd.Series([-999.0, 1.0]), reading).isna().tolist() == [True, False]


@pytest.mark.parametrize("kind", ["int8", "float64", "Int32"])
@pytest.mark.parametrize(
    ("numbers", "missing", "expected"),
    [
        ([1, 2, 99], frozenset(), ([1, 2, 99], "int64")),
        ([1, 2, 99], frozenset({"99"}), ([1.0, 2.0, None], "float64")),
        ([], frozenset({"99"}), ([], "float64")),
    ],
)
def test_numbers_of_any_type_are_integers_where_whole_and_without_gaps(
    kind: str, numbers: list[int], missing: frozenset[str], expected: tuple[Any, str]
) -> None:
    values = typed(pd.Series(numbers, dtype=kind), Reading(missing))
    pd.testing.assert_series_equal(values, pd.Series(expected[0], dtype=expected[1]))


def test_integers_too_large_for_exact_floats_become_floats() -> None:
    for number in (2**53, -(2**53), 2**63):
        assert typed(pd.Series([1, number]), Reading()).dtype == "float64"


@pytest.mark.parametrize(
    ("columns", "mark"),
    [
        ({"a": ["1,234", "5,678"]}, "."),
        ({"a": ["1,5"], "b": ["2,5"], "c": ["1.75"]}, ","),
        ({"a": ["1.5", "2.25"]}, "."),
        ({"a": ["red, green"]}, "."),
        ({"a": ["1,234,567", "12"], "b": ["3"]}, "."),
        ({"a": ["1.234.567", "12"]}, ","),
        ({"a": ["1,5 €", "1.200,25 €"]}, ","),
        ({"a": ["1,234", "5,678", "1,234e5"]}, "."),
        ({"a": ["1,234e5", "5,678e-05"]}, ","),
    ],
)
def test_other_than_three_places_tell_the_mark(columns: dict[str, list[str]], mark: str) -> None:
    columns = {name: values * 2 for name, values in columns.items()}
    longest = max(map(len, columns.values()))
    table = pd.DataFrame({name: (values * longest)[:longest] for name, values in columns.items()})
    assert Reading().of(table).decimal == mark


def test_numbers_among_texts_are_numbers_whatever_the_decimal_mark_is() -> None:
    """As in JSON, and in a workbook: 1.234 isn't a thousand there."""
    cells = pd.Series([1.234, np.float32(1.5), 2, "2,5", "NA", None], dtype=object)
    read = typed(cells, Reading(decimal=",", strict=True), "number")
    assert read.tolist()[:4] == [1.234, 1.5, 2, 2.5]
    assert read.isna().tolist()[4:] == [True, True]


def test_the_order_of_rows_does_not_matter() -> None:
    values = text(*[f"{1 + i % 28:02d}/{1 + i % 12:02d}/2013" for i in range(40)])
    forward, backward = typed(values, Reading()), typed(values[::-1], Reading())
    pd.testing.assert_series_equal(forward, backward[::-1])


def test_nothing_is_said_of_dates_in_texts_that_are_none(caplog: pytest.LogCaptureFixture) -> None:
    streets = pd.Series([f"{number} Main St" for number in range(1, 60)] + ["1/2/2010"], name="x")
    assert typed(streets, Reading()).dtype == "str"
    assert caplog.messages == []


def test_flags_have_room_for_gaps_only_where_there_are_some() -> None:
    for cells, dtype in ((("1", "0"), "bool"), (("1", None), "boolean")):
        assert typed(text(*cells), Reading(), "boolean").dtype == dtype


def test_columns_of_parquet_keep_their_type_or_are_read_as_text() -> None:
    cases = {
        "boolean": pd.Series([True, None], dtype="boolean"),
        "number": pd.Series([Decimal("1.50"), Decimal("2.25")]),
        "date": pd.Series([date(2013, 1, 5), None]),
        "category": pd.Series(pd.Categorical(["a", "b"])),
    }
    for kind, values in cases.items():
        assert type_of(typed(values, Reading())) == kind
    assert type_of(typed(pd.Series(pd.period_range("2013", periods=2)), Reading())) == "date"


@pytest.mark.parametrize("cell", [[1, 2], np.array([1]), {"a": 1}, b"a"])
def test_lists_records_and_bytes_are_refused_in_a_sentence(cell: object) -> None:
    column = pd.Series([None, cell], name="tags", dtype=object)
    with pytest.raises(
        CrivoError, match="Column 'tags' holds lists, records or bytes.*spread them.*--drop"
    ):
        typed(column, Reading())
    with pytest.raises(CrivoError, match=r"or bytes; give each cell one value\.$"):
        typed(column, Reading(strict=True))


# --- a new row alone is read as it was among the others ----------------------------------------

RAW = pd.DataFrame(
    {
        "warm": ["67,4", "52,25", "-", "1.250"] * 30,
        "cost": ["1,5 €", "2 €", "n/k", "12,25 €"] * 30,
        "humid": ["52.5", "7.25", "61.5", "8"] * 30,
        "share": ["12,5%", "7%", "8,5%", ""] * 30,
        "day": ["13/04/2020", "02/05/2020", "unknown", "01/02/2020"] * 30,
        "size": ["unknown", "small", "large", "large"] * 30,
        "sun": ["Y", "N", "N", "Y"] * 30,
        "y": ["a", "b", "a", "a"] * 30,
    }
)
# Of so many different values a few odd ones don't change the type.
RAW["warm"] = [f"{i},5" if i > 40 else cell for i, cell in enumerate(RAW["warm"])]
RAW["cost"] = [f"{i},5 €" if i > 40 else cell for i, cell in enumerate(RAW["cost"])]
RAW["day"] = [
    f"{1 + i % 28:02}/{1 + i % 12:02}/2020" if i > 40 else cell for i, cell in enumerate(RAW["day"])
]


def test_what_one_row_cannot_tell_is_written_down(caplog: pytest.LogCaptureFixture) -> None:
    """Not the cell that means something in another column."""
    table = make_block("dataset", "table", {"target": "y"})
    found = read_as(table, RAW, table.rows(RAW))
    marks = {"decimal": ",", "marks": {"humid": "."}}
    assert found == {**marks, "day_first": True, "missing": ["?", "-", "n/k"]}
    for count in (1, 20, 21):
        odd = [f"bad{i:02}" for i in range(count)]
        many = pd.DataFrame({"a": [*map(str, range(500)), *odd], "y": "a"})
        kept = {"missing": ["?", *odd]} if count <= 20 else {}  # more are mistakes
        assert read_as(table, many, table.rows(many)) == kept
    caplog.clear()
    alone = pd.DataFrame({"a": ["1,5", "2"], "b": ["1.234", "2"], "y": ["3.000", "1.000,5"]})
    for marks in ({}, {"b": "."}):  # a mark that was set stays
        table = make_block("dataset", "table", {"target": "y", "marks": marks})
        found = {"decimal": ",", "marks": marks}
        assert read_as(table, alone, table.rows(alone)) == {k: v for k, v in found.items() if v}
    (told,) = caplog.messages
    assert told.startswith("b: the point in '1.234' is read as a thousands separator, as")


def test_days_come_first_in_all_columns_if_they_surely_do_in_one() -> None:
    raw = pd.DataFrame({"sold": ["13/04/2020", "05/06/2020"], "due": "01/02/2020", "y": [1.5, 2.5]})
    table = make_block("dataset", "table", {"target": "y"})
    assert read_as(table, raw, table.rows(raw)) == {"day_first": True}
    assert table.rows(raw)["due"].iat[0].date() == date(2020, 2, 1)
    mixed = raw.assign(due="04/13/2020")
    words = pd.DataFrame({"sold": ["13/04/2020", "14/04/2020", "04/13/2020"], "y": [1.5, 2.5, 3.5]})
    both, unsure = mixed.assign(new="03/04/2020"), raw.assign(sold="04/13/2020")
    found = [read_as(table, one, table.rows(one)) for one in (mixed, words, both, unsure)]
    known = {"day_first": False, "types": {"due": "date"}}  # a new column is still asked about
    assert found == [{}, {}, {"types": {"new": "date"}}, known]


@pytest.mark.parametrize("row", [0, 2, 3, 41])
def test_a_row_alone_is_read_as_among_the_others(row: int) -> None:
    first = make_block("dataset", "table", {"target": "y"})
    rows = first.rows(RAW)
    settings = {"target": "y", **read_as(first, RAW, rows), "missing": ["?", "-", "n/k", "unknown"]}
    table = make_block("dataset", "table", settings)
    rows = table.rows(RAW)
    context = type("Context", (), {"schema": table.schema(rows)})
    alone = table.rows_from_raw(RAW.iloc[[row]].drop(columns="y"), context)
    odd = table.rows_from_raw(RAW.iloc[[row]].assign(humid="13.404", warm="13.404"), context)
    assert odd[["humid", "warm"]].iloc[0].tolist() == [13.404, 13404]
    own = pd.DataFrame({"warm": ["1.234"], "humid": ["2,5"]})  # doesn't speak for other columns
    assert Reading(marks={"humid": ","}).of(own).decimal == "."
    expected = rows.iloc[[row]][list(alone)]
    pd.testing.assert_frame_equal(alone, expected, check_dtype=False)
