"""A file and a few settings make a dataset, whatever the file brings."""

from pathlib import Path
from typing import Any

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


def test_named_columns_get_their_roles(tmp_path: Path) -> None:
    text = "id,t,g,w,late,note,junk,a,y\n" + "".join(
        f"{i},2013-01-{i:02},g{i % 3},1.5,0,n{i},0,{i % 4},{i % 2}\n" for i in range(1, 21)
    )
    settings = {"time": "t", "group": "g", "weight": "w", "outcome": "late", "info": ["note"]}
    rows, schema = bring(tmp_path, text, target="y", id="id", drop=["junk"], **settings)
    own = "id: id, t: time, g: group, w: weight, late: outcome, note: info, a: feature, y: target"
    assert ", ".join(f"{name}: {role}" for name, role in roles(schema).items()) == own
    assert "junk" not in rows
    assert [one.name for one in schema.columns if not one.nullable] == ["id", "t", "g", "w", "y"]
    assert [(one.name, one.type) for one in schema.columns if one.unique] == [("id", "text")]


def test_time_and_group_may_be_features_too(tmp_path: Path) -> None:
    text = "t,g,w,a,y\n2013-01-01,g,1,1,2.5\n2013-01-02,h,1,2,3.5\n2013-01-03,h,1,3,4\n"
    settings = {"target": "y", "time": "t", "group": "g", "weight": "w"}
    _, schema = bring(tmp_path, text, also_feature=["t", "g", "w"], **settings)
    assert schema.features == ("t", "g", "w", "a")
    with pytest.raises(CrivoError, match="also_feature names the column 'b'"):
        bring(tmp_path, text, also_feature=["b"], **settings)


def test_what_is_known_only_afterwards_is_never_a_feature(tmp_path: Path) -> None:
    settings = {"target": "y", "outcome": ["late"], "also_feature": ["late"]}
    _, schema = bring(tmp_path, "a,late,y\n1,3,2.5\n2,4,3.5\n3,5,4\n", **settings)
    assert schema.features == ("a",)


def test_an_id_column_names_the_rows_as_it_is_written(tmp_path: Path) -> None:
    text = "key,y\n12345678901234567890123,0\n007,1\n,1\n"
    rows, schema = bring(tmp_path, text, target="y", id="key")
    assert rows["key"].tolist()[:2] == ["12345678901234567890123", "007"]
    no_reasons = pd.Series(pd.NA, index=rows.index, dtype="str")
    _, aside = quarantine(rows, schema, no_reasons, 1.0)
    assert aside["reason"].tolist() == ["key is missing"]


def test_a_column_named_like_the_new_id_stays_what_it_is(tmp_path: Path) -> None:
    rows, schema = bring(tmp_path, "row_id,y\n1,0\n2,1\n3,0\n", target="y")
    assert schema.id == "row_id_"
    assert rows["row_id"].tolist() == [1, 2, 3]


RARE = {4: "y has fewer than 2 rows of this class"}


@pytest.mark.parametrize(("target", "rare"), [("uuvvr", RARE), ("23456", {})])
def test_rows_of_no_weight_or_of_a_rare_class_are_set_aside(
    tmp_path: Path, target: str, rare: dict[int, str]
) -> None:
    lines = [f"{a},{a - 2},{y}.5" for a, y in zip((3, 2, 1, 4, 5), target, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["a,w,y", *lines, "?,1,"]))
    table = make_block("dataset", "table", {"target": "y", "weight": "w", "min_class_rows": 2})
    rows = table.load(tmp_path)
    assert rows["a"].isna().tolist() == [False] * 5 + [True]
    light = "w is not above zero"
    assert table.unusable(rows).dropna().to_dict() == {1: light, 2: light} | rare


@pytest.mark.parametrize(
    ("text", "settings", "message"),
    [
        ("a,y\n1,0\n", {}, "target names no column"),
        ("a,label\n1,0\n", {"target": "lable"}, "'lable', which .* did you mean `label`"),
        ("a,y\n1,0\n", {"target": "y", "drop": ["b"]}, "names the column 'b'"),
        ("cost,y\n1,0\n", {"target": "y", "marks": {"cots": ","}}, "'cots', which .* `cost`"),
        ("a,y\n1,0\n", {"target": "y", "time": "a", "group": "a"}, "'a' twice"),
        ("a,y\n", {"target": "y"}, "^rows.csv: no rows; add a file"),
    ],
)
def test_what_can_not_work_is_refused_in_a_sentence(
    tmp_path: Path, text: str, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(CrivoError, match=message):
        bring(tmp_path, text, **settings)
