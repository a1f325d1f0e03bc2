"""Any predictions file given to `crivo evaluate` is evaluated or refused in a sentence."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from crivo.testing import TASKS, example_predictions
from tests.crivo.fuzz.commands import cases, crivo
from tests.crivo.fuzz.values import csv_files, names, parquet_bytes, scalars, tables

few_or_many = st.sampled_from([0, 1, 2, 3, 10, 40, 240])


@st.composite
def predictions(draw: st.DrawFn) -> pd.DataFrame:
    """Draw a table of predictions in which something may be wrong."""
    count = draw(few_or_many)
    table = example_predictions(draw(st.sampled_from(TASKS)), 240).head(count).astype(object)
    for _ in range(draw(st.integers(0, 3))):
        table = draw(changed(table))
    return table


@st.composite
def changed(draw: st.DrawFn, table: pd.DataFrame) -> pd.DataFrame:
    """Draw a table with one thing made different."""
    columns = list(dict.fromkeys(table.columns))
    name = draw(st.sampled_from(columns)) if columns else "id"
    how = draw(st.sampled_from(["cell", "drop", "rename", "twice", "rows", "new", "text"]))
    new = draw(names | st.sampled_from([name, *WANTED, "score_low", "slice_kind", "slice_😀"]))
    if how == "cell" and len(table) and columns:
        table = table.astype(object)  # takes any value
        where = draw(st.integers(0, len(table) - 1)), draw(st.integers(0, table.shape[1] - 1))
        table.iloc[where] = draw(scalars)
    elif how == "drop" and columns:
        table = table.drop(columns=name)
    elif how == "rename":
        table = table.rename(columns={name: new})
    elif how == "twice":
        table = pd.concat([table, table.head(draw(st.integers(1, 3)))], ignore_index=True)
    elif how == "rows":
        table = table.sample(frac=1, random_state=draw(st.integers(0, 9)))
    elif how == "text":
        table = table.astype("str")
    else:
        table = table.assign(**{new: draw(column(len(table)))})
    return table


WANTED = ["id", "target", "prediction", "score", "cluster", "weight"]


@st.composite
def column(draw: st.DrawFn, rows: int) -> list[Any]:
    """Draw a column of one value, of a few that repeat, or of numbers."""
    some = draw(st.lists(scalars, min_size=1, max_size=4))
    if draw(st.booleans()):
        return [some[i % len(some)] for i in range(rows)]
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    scale = draw(st.sampled_from([1.0, 1e-320, 1e300, 1e18, -1.0]))
    return list(rng.random(rows) * scale)


options = st.lists(
    st.sampled_from(
        [
            ("--task", "binary"), ("--task", "multiclass"), ("--task", "regression"),
            ("--task", "ranking"), ("--positive", "True"), ("--positive", "x"), ("--id", "cluster"),
            ("--positive", ""), ("--split", "test"), ("--split", "train"), ("--split", "😀"),
            ("--target", "prediction"), ("--score", "weight"), ("--score", "target"),
            ("--prediction", "score"), ("--target", "nothing"),
        ]
    ),
    max_size=2,
)  # fmt: skip


@given(
    data=st.data(),
    table=predictions() | tables(rows=few_or_many),
    more=options,
    parquet=st.booleans(),
)
@cases(30)
def test_predictions_are_evaluated_or_refused_in_a_sentence(
    project: Path, data: st.DataObject, table: pd.DataFrame, more: list[Any], parquet: bool
) -> None:
    """What is accepted prints its metrics."""
    words = [word for option in more for word in option]
    content = parquet_bytes(table) if parquet else None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / ("said.csv" if content is None else "said.parquet")
        file.write_bytes(data.draw(csv_files(table)) if content is None else content)
        outcome = crivo(project, "evaluate", "--predictions", str(file), *words)
    assert not outcome.accepted or "value" in outcome.printed
