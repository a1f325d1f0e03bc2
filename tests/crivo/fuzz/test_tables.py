"""Any table given to `crivo init` is taken or refused in a sentence, and no row gets lost."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from tests.crivo.fuzz.commands import (
    cases,
    crivo,
    new_project,
    pipeline,
    recorded_without_dvc,
    rows_of,
    stage,
)
from tests.crivo.fuzz.values import csv_files, parquet_bytes, tables

few = st.integers(0, 3)
enough = st.integers(12, 60)


@st.composite
def files(draw: st.DrawFn, rows: st.SearchStrategy[int]) -> tuple[str, bytes]:
    """Draw a file's name and bytes."""
    table = draw(tables(rows=rows))
    data = parquet_bytes(table) if draw(st.integers(0, 3)) == 0 else None
    return ("rows.parquet", data) if data is not None else ("rows.csv", draw(csv_files(table)))


roles = st.lists(
    st.sampled_from(
        [
            ("--time", "dates"), ("--time", "zones"), ("--time", "whole"), ("--time", "mixed"),
            ("--group", "three"), ("--group", "keys"), ("--weight", "numbers"), ("--id", "keys"),
            ("--weight", "whole"), ("--drop", "words"), ("--task", "regression"), ("--id", "a"),
            ("--task", "binary"), ("--task", "multiclass"), ("--positive", "yes"),
            ("--outcome", "mixed"), ("--time", "huge"), ("--group", "gaps"),
        ]
    ),
    max_size=2,
)  # fmt: skip


def begin(folder: Path, file: tuple[str, bytes], options: list[tuple[str, str]]) -> bool:
    """Give a file to `crivo init`; say whether it was taken. A refusal changes nothing."""
    project = new_project(folder / "project")
    source = folder / file[0]
    source.write_bytes(file[1])
    before = (project / "params.yaml").read_bytes()
    words = [word for option in options for word in option]
    with recorded_without_dvc():
        outcome = crivo(project, "init", str(source), "--target", "y", *words)
    if not outcome.accepted:
        assert (project / "params.yaml").read_bytes() == before
        assert not list((project / "data/raw").glob("*")) if (project / "data").exists() else True
    return outcome.accepted


@given(file=files(few | enough), options=roles)
@cases(10)
def test_a_table_is_prepared_without_losing_a_row_or_refused_in_a_sentence(
    file: tuple[str, bytes], options: list[tuple[str, str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        if not begin(Path(folder), file, options):
            return
        project = Path(folder) / "project"
        assert stage(project, "prepare").accepted, "crivo init has said that it would run"
        rows = rows_of(project)
        assert rows["rows_in"] == rows["rows_out"] + rows["rows_quarantined"]
        assert (rows["rows_out"], rows["rows_quarantined"]) == (rows["written"], rows["aside"])


@given(file=files(enough), options=roles)
@cases(3)
def test_a_table_that_was_taken_goes_through_the_pipeline_or_is_refused_in_a_sentence(
    file: tuple[str, bytes], options: list[tuple[str, str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        if begin(Path(folder), file, options):
            project = Path(folder) / "project"
            if pipeline(project).accepted:
                predicted = pd.read_parquet(project / "metrics/evaluation/predictions.parquet")
                valid = pd.read_parquet(project / "data/prepared/valid.parquet")
                assert len(predicted) == len(valid)
