"""Any predictions file given to `crivo evaluate` is evaluated or refused in a sentence."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from crivo.testing import TASKS, example_predictions
from tests.crivo.fuzz.commands import cases, crivo
from tests.crivo.fuzz.values import csv_files, parquet_bytes, scalars, tables

few_or_many = st.sampled_from([0, 1, 2, 3, 10, 40, 240])


@st.composite
def predictions(draw: st.DrawFn) -> pd.DataFrame:
    """Draw a table of predictions that lacks a column, or some of whose cells are others."""
    count = draw(few_or_many)
    table = example_predictions(draw(st.sampled_from(TASKS)), 240).head(count).astype(object)
    if draw(st.booleans()):
        table = table.drop(columns=draw(st.sampled_from([*table])))
    for _ in range(draw(st.integers(0, 3)) if count else 0):
        row, column = draw(st.integers(0, count - 1)), draw(st.integers(0, table.shape[1] - 1))
        table.iloc[row, column] = draw(scalars)
    return table


options = st.lists(
    st.sampled_from(
        [
            ("--id", "cluster"), ("--split", "test"), ("--split", "train"), ("--split", "😀"),
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
