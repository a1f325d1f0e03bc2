"""What looks dangerous in a table is said before anybody believes a result."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from crivo.core.schema import Column, Role, Schema
from crivo.preparation.tables.columns import content_ids, type_of
from crivo.project.data_summary import dangers
from crivo.project.split_choice import Split

COUNT = 1200
RNG = np.random.default_rng(1)
PEOPLE = np.arange(COUNT) // 5  # 240, five rows each
AGE, TOWN = RNG.integers(20, 60, COUNT), RNG.choice(list("abcd"), COUNT)


def table(task: str = "binary", **columns: Any) -> tuple[pd.DataFrame, Schema]:
    """Return a table with a harmless feature, a target `late` and the given columns."""
    base = pd.Series(RNG.normal(size=COUNT))
    target = base + RNG.normal(size=COUNT)
    rows = pd.DataFrame(
        {"size": base, "late": target if task == "regression" else (target > 0).astype("int64")}
    ).assign(**columns)
    rows.insert(0, "row_id", content_ids(rows.astype("str")))
    kinds: dict[str, Role] = {"row_id": "id", "late": "target"}
    schema = Schema(
        task="regression" if task == "regression" else "binary",
        classes=() if task == "regression" else (0, 1),
        positive=None if task == "regression" else 1,
        columns=tuple(
            Column(name=name, role=kinds.get(name, "feature"), type=type_of(rows[name]))
            for name in rows
        ),
    )
    return rows, schema


def dangers_of(rows: pd.DataFrame, schema: Schema, splitter: str = "at_random") -> list[str]:
    """Return what is said of rows of which every fifth is held out."""
    splits = pd.Series(np.resize(["train", "train", "train", "valid", "test"], len(rows)))
    return dangers(rows, Split({}, rows, splits, rows[:0], ""), schema, splitter)


def found(task: str = "binary", splitter: str = "at_random", **columns: Any) -> list[str]:
    return dangers_of(*table(task, **columns), splitter)


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_a_harmless_table_brings_no_word(task: str) -> None:
    harmless = {
        "count": RNG.integers(0, 9, COUNT),
        "kind": RNG.choice(list("abc"), COUNT),
        "price": RNG.choice(10**9, COUNT, replace=False),
        "age": RNG.integers(18, 90, COUNT),
        "city": RNG.choice([f"c{i}" for i in range(40)], COUNT),
        "weightless": RNG.normal(size=COUNT),
        "weight": RNG.normal(size=COUNT),
        "paid": RNG.integers(0, 99, COUNT),
        "idle": RNG.integers(0, 99, COUNT),
        # Their rows are no longer the half of all numbers from the least to the largest.
        "gaps": RNG.permutation([*range(0, 2 * COUNT - 2, 2), 2 * COUNT]),
        "few": pd.Series([f"n{i}" for i in range(COUNT)]).where(lambda n: n.index < 19),
        "half": np.where(np.arange(COUNT) % 10, RNG.integers(1, 51, COUNT) - 0.5, -99),
        "empty": np.full(COUNT, np.nan),
    }
    assert found(task, **harmless) == []
    assert found(area=PEOPLE * 7, years=AGE[PEOPLE], town=TOWN[PEOPLE]) == []


def test_a_heavy_tail_is_one_of_the_rows_that_count() -> None:
    factor = np.where(np.arange(COUNT) < 9, 50, 1)
    rows, schema = table("regression", size=1 / factor**4, late=RNG.normal(size=COUNT) * factor)
    assert "make up 9" in dangers_of(rows, schema)[0]
    size = schema.column("size").model_copy(update={"role": "weight"})
    counted = schema.model_copy(update={"columns": (schema.columns[0], size, schema.columns[2])})
    assert dangers_of(rows, counted) == []


NAMES_ROWS = (
    "{} has a different value in every row: if it identifies the row, name it with --id; if not, "
    "consider --drop."
)


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        *(
            (
                {"age": np.where(np.arange(COUNT) % 10, RNG.integers(1, 49, COUNT), gap)},
                f"age is {gap} in 120 rows: if that means missing, add it to "
                "datasets.table.missing.",
            )
            for gap in (-99, -999, -9999, -99999, 999, 9999, 99999)
        ),
        ({"number": [*range(2 * COUNT - 1, 0, -2)]}, NAMES_ROWS.format("number")),
        (
            {"name": pd.Series([f"n{i}" for i in range(COUNT)]).where(lambda n: n.index < 20)},
            NAMES_ROWS.format("name"),
        ),
        ({"a": [f"{i:032x}" for i in range(COUNT)]}, NAMES_ROWS.format("a")),
    ],
)
def test_each_danger_has_its_sentence(columns: dict[str, Any], sentence: str) -> None:
    assert found(**columns) == [sentence]


def test_less_than_1000_rows_and_less_than_100_of_a_class_are_few() -> None:
    rows, schema = table()
    rows["late"] = [1] * 900 + [0] * 100 + [1] * 200
    assert dangers_of(rows[:1000], schema) == []
    few, rare = dangers_of(rows[:999], schema)
    assert few.startswith("There are 999 rows: intervals will be wide")
    assert rare == "Classes with few rows can hardly be learned or evaluated: 0 99."


def test_what_featurize_would_find_in_the_rows_is_said_before() -> None:
    """The target in another form, copies in several splits, rows that are alike."""
    rows, schema = table(copy="no")
    rows["copy"] = rows["late"].map({0: "no", 1: "yes"})
    assert "\ncopy: determines `late` exactly" in "\n".join(["", *dangers_of(rows, schema)])
    rows, schema = table()
    twice = pd.concat([rows, rows[::-1]], ignore_index=True)
    lines = dangers_of(twice.assign(row_id=twice.index.astype("str")), schema)
    assert any("equal a row of train in every feature and the target" in one for one in lines)
    rows, schema = table("regression", patient=[f"n{i}" for i in PEOPLE])
    rows["late"] += RNG.normal(size=PEOPLE.max() + 1)[PEOPLE]
    (line,) = dangers_of(rows, schema)
    assert "start the project with `--group patient`" in line


def test_dates_are_mentioned_unless_the_split_is_by_time() -> None:
    days = pd.Series(RNG.permutation(pd.date_range("2013-01-01", periods=COUNT, freq="h")))
    assert "name the column with --time" in found(day=days)[0]
    assert found(splitter="by_time", day=days) == []
