"""Whatever lies in a model's place is loaded or refused in a sentence, and no code of it runs."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from crivo.testing import example_rows
from tests.crivo.fuzz.commands import Outcome, cases, crivo, stage
from tests.crivo.fuzz.values import csv_files, damaged, parquet_bytes, scalars, tables

MODEL, FEATURIZER, BASELINE = (
    f"models/{name}.skops" for name in ("model", "featurizer", "baseline")
)
PARTS = (
    MODEL,
    FEATURIZER,
    BASELINE,
    "data/prepared/schema.json",
    "metrics/evaluation/threshold.json",
)
COMMANDS = ("predict", "export", "evaluate", "stage evaluate")


def use_with(project: Path, part: str, data: bytes, command: str) -> Outcome:
    """Put bytes in the place of a part of the model, use it, and put the part back."""
    path = project / part
    whole = path.read_bytes()
    try:
        path.write_bytes(data)
        return use(project, command)
    finally:
        path.write_bytes(whole)


def use(project: Path, command: str) -> Outcome:
    """Run a command that loads the model; what it says that it wrote is there."""
    if command == "stage evaluate":
        return stage(project, "evaluate")
    if command == "evaluate":
        return crivo(project, "evaluate", "--predictions", "said.csv")
    if command == "export":
        outcome = crivo(project, "export", "again.zip")
        assert (project / "again.zip").exists() == outcome.accepted
        (project / "again.zip").unlink(missing_ok=True)
        return outcome
    outcome = crivo(project, "predict", "raw.csv", "-o", "scored.csv")
    if outcome.accepted:
        assert len(pd.read_csv(project / "scored.csv")) == 20
    return outcome


@given(data=st.data(), part=st.sampled_from(PARTS), command=st.sampled_from(COMMANDS))
@cases(2)
def test_a_damaged_file_is_refused_in_a_sentence_or_still_good(
    project: Path, data: st.DataObject, part: str, command: str
) -> None:
    whole = (project / part).read_bytes()
    use_with(project, part, data.draw(damaged(whole)), command)


@st.composite
def raw_rows(draw: st.DrawFn) -> pd.DataFrame:
    """Draw raw rows in which cells or columns are others than the model was taught."""
    table = example_rows(rows=draw(st.integers(0, 5))).drop(columns="target").astype(object)
    for _ in range(draw(st.integers(0, 4)) if len(table) else 0):
        at = draw(st.integers(0, table.shape[1] - 1))
        rows = draw(st.integers(0, len(table) - 1)) if draw(st.booleans()) else slice(None)
        table.iloc[rows, at] = draw(scalars)
    return table


@given(data=st.data(), table=raw_rows() | tables(rows=st.integers(0, 3)))
@cases(10)
def test_raw_rows_are_scored_or_refused_in_a_sentence(
    project: Path, data: st.DataObject, table: pd.DataFrame
) -> None:
    parquet = parquet_bytes(table) if data.draw(st.booleans()) else None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / ("rows.csv" if parquet is None else "rows.parquet")
        file.write_bytes(data.draw(csv_files(table)) if parquet is None else parquet)
        output = Path(folder) / "scored.csv"
        outcome = crivo(project, "predict", str(file), "-o", str(output))
        assert output.exists() == outcome.accepted
        if outcome.accepted and parquet is not None:
            assert len(pd.read_csv(output)) == len(table)
