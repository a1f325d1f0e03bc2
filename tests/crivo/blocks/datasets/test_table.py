"""A file and a few settings make a dataset, whatever the file brings."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from crivo.core.errors import CrivoError
from crivo.core.registry import make_block
from crivo.core.schema import Schema
from crivo.preparation.quarantine import quarantine


def bring(folder: Path, text: str, **settings: Any) -> tuple[pd.DataFrame, Schema]:
    """Write a file, load it and ask for its schema."""
    (folder / "rows.csv").write_text(text, encoding="utf-8")
    table = make_block("dataset", "table", settings)
    rows = table.load(folder)
    return rows, table.schema(rows)


def roles(schema: Schema) -> dict[str, str]:
    return {column.name: column.role for column in schema.columns}


def types(schema: Schema) -> dict[str, str]:
    return {column.name: column.type for column in schema.columns}


def test_named_columns_get_their_roles(tmp_path: Path) -> None:
    text = "id,t,g,w,late,note,junk,a,y\n" + "".join(
        f"{i},2013-01-{i:02},g{i % 3},1.5,0,n{i},0,{i % 4},{i % 2}\n" for i in range(1, 21)
    )
    settings = {"time": "t", "group": "g", "weight": "w", "outcome": "late", "info": ["note"]}
    rows, schema = bring(tmp_path, text, target="y", id="id", drop=["junk"], **settings)
    assert roles(schema) == {
        "id": "id",
        "t": "time",
        "g": "group",
        "w": "weight",
        "late": "outcome",
        "note": "info",
        "a": "feature",
        "y": "target",
    }
    assert "junk" not in rows


def test_time_and_group_may_be_features_too(tmp_path: Path) -> None:
    text = "t,g,a,y\n2013-01-01,g,1,2.5\n2013-01-02,h,2,3.5\n2013-01-03,h,3,4\n"
    settings = {"target": "y", "time": "t", "group": "g"}
    _, schema = bring(tmp_path, text, also_feature=["t"], **settings)
    assert schema.features == ("t", "a")
    with pytest.raises(CrivoError, match="'a' is not the time, group or weight column"):
        bring(tmp_path, text, also_feature=["a"], **settings)


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        (["2013", "2014", "2015"], [2013, 2014, 2015]),
        (["2013-01", "2013-02", "2013-12"], ["2013-01-01", "2013-02-01", "2013-12-01"]),
        (["01/2013", "2/2013", "12/2013"], ["2013-01-01", "2013-02-01", "2013-12-01"]),
        (["2013/01", "2013/02", "2013/12"], ["2013-01-01", "2013-02-01", "2013-12-01"]),
        (["Jan 2013", "Feb 2013", "Mar 2013"], ["2013-01-01", "2013-02-01", "2013-03-01"]),
        (["January 2013", "May 2013", "June 2013"], ["2013-01-01", "2013-05-01", "2013-06-01"]),
        (["201301", "201302", "201312"], [201301, 201302, 201312]),
    ],
)
def test_a_time_may_be_a_year_or_a_month(
    tmp_path: Path, cells: list[str], first: list[Any]
) -> None:
    text = "when,y\n" + "".join(f"{cell},{i}.5\n" for i, cell in enumerate(cells))
    rows, schema = bring(tmp_path, text, target="y", time="when")
    found = rows["when"]
    shown = found.dt.strftime("%Y-%m-%d") if types(schema)["when"] == "date" else found
    assert shown.tolist() == first


def test_a_time_that_can_not_be_put_in_order_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match="'when' holds neither dates nor numbers"):
        bring(tmp_path, "when,y\nQ1,0.5\nQ2,1.5\nQ3,2.5\n", target="y", time="when")


def test_an_id_column_names_the_rows_as_it_is_written(tmp_path: Path) -> None:
    text = "key,y\n12345678901234567890123,0\n007,1\n,1\n"
    rows, schema = bring(tmp_path, text, target="y", id="key")
    assert rows["key"].tolist()[:2] == ["12345678901234567890123", "007"]
    _, aside = quarantine(rows, schema, no_reasons(rows), 1.0)
    assert aside["reason"].tolist() == ["key is missing"]


def test_several_id_columns_make_one_name_and_stay_beside_it(tmp_path: Path) -> None:
    rows, schema = bring(tmp_path, "shop,day,y\na,1,0\na,2,1\n", target="y", id=["shop", "day"])
    assert rows["row_id"].tolist() == ["a|1", "a|2"]
    assert roles(schema) == {"row_id": "id", "shop": "info", "day": "info", "y": "target"}


def test_without_an_id_rows_are_named_by_content_not_place(tmp_path: Path) -> None:
    before, _ = bring(tmp_path, ",a,y\n0,1,0\n1,2,1\n2,1,0\n", target="y")
    after, _ = bring(tmp_path, ",a,y\n0,9,1\n1,1,0\n2,1,0\n3,2,1\n", target="y")
    assert set(before["row_id"]) < set(after["row_id"])
    assert after["row_id"].is_unique


def test_a_column_named_like_the_new_id_stays_what_it_is(tmp_path: Path) -> None:
    rows, schema = bring(tmp_path, "row_id,y\n1,0\n2,1\n3,0\n", target="y")
    assert schema.id == "row_id_"
    assert rows["row_id"].tolist() == [1, 2, 3]


def test_rows_without_a_target_are_set_aside(tmp_path: Path) -> None:
    rows, schema = bring(tmp_path, "a,y\n1,0\n2,1\n3,\n4,?\n", target="y")
    good, aside = quarantine(rows, schema, no_reasons(rows), 1.0)
    assert good["y"].tolist() == [0, 1]
    assert aside["reason"].tolist() == ["y is missing"] * 2


def test_classes_stay_whole_numbers_although_some_are_missing(tmp_path: Path) -> None:
    _, schema = bring(tmp_path, "a,y\n1,0\n2,1\n3,\n", target="y")
    assert schema.classes == (0, 1)
    assert schema.positive == 1
    assert isinstance(schema.classes[0], int)


@pytest.mark.parametrize(
    ("labels", "task", "classes", "positive"),
    [
        (["no", "yes"], "binary", ("no", "yes"), "yes"),
        (["True", "False"], "binary", (False, True), True),
        (["<=50K", "<=50K", ">50K"], "binary", ("<=50K", ">50K"), ">50K"),
        (["1", "2", "3"], "multiclass", (1, 2, 3), None),
        (["1.5", "2.5", "3"], "regression", (), None),
        (["1e300", "2e300"], "binary", (1e300, 2e300), 2e300),
    ],
)
def test_the_task_is_guessed_and_said(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    labels: list[str],
    task: str,
    classes: tuple[Any, ...],
    positive: Any,
) -> None:
    text = "a,y\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels * 4))
    with caplog.at_level(logging.INFO, "crivo.table"):
        _, schema = bring(tmp_path, text, target="y")
    assert (schema.task, schema.classes, schema.positive) == (task, classes, positive)
    assert f"The target y was taken for {task}" in caplog.text


def test_a_task_that_is_given_is_taken(tmp_path: Path) -> None:
    text = "a,y\n" + "".join(f"{i},{i % 3}\n" for i in range(12))
    assert bring(tmp_path, text, target="y", task="regression")[1].classes == ()
    with pytest.raises(CrivoError, match="task is binary and the target 'y' has 3 classes"):
        bring(tmp_path, text, target="y", task="binary")


def test_rows_of_no_weight_are_set_aside(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a,w,y\n1,1,1.5\n2,0,2.5\n3,-1,3.5\n4,2,4\n")
    table = make_block("dataset", "table", {"target": "y", "weight": "w"})
    rows = table.load(tmp_path)
    assert table.unusable(rows).notna().tolist() == [False, True, True, False]


def test_parquet_comes_with_its_types(tmp_path: Path) -> None:
    pd.DataFrame(
        {
            "size of it": [1.5, np.nan, -999.0],
            "kind": pd.Categorical(["x", "y", None]),
            "when": pd.to_datetime(["2013-01-01"] * 3),
            "flag": pd.array([True, None, False], dtype="boolean"),
            "y": [True, False, True],
        }
    ).to_parquet(tmp_path / "rows.parquet")
    table = make_block("dataset", "table", {"target": "y", "missing": [-999]})
    rows = table.load(tmp_path)
    assert types(table.schema(rows)) == {
        "row_id": "text",
        "size of it": "number",
        "kind": "category",
        "when": "date",
        "flag": "boolean",
        "y": "boolean",
    }
    assert rows["size of it"].isna().tolist() == [False, True, True]


def no_reasons(rows: pd.DataFrame) -> pd.Series:
    return pd.Series(pd.NA, index=rows.index, dtype="str")
