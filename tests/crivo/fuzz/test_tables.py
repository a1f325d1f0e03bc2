"""Any table is taken and scored, or refused in a sentence, and no row gets lost."""

import json
import tempfile
from pathlib import Path

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from tests.crivo.fuzz.commands import cases, crivo, new_project, recorded_without_dvc, stage
from tests.crivo.fuzz.values import csv_files, damaged, parquet_bytes, tables

SPLITS = ("train", "valid", "test")
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
        refused = crivo(project, "init", str(source), "--target", "y", *words)
    if refused:
        assert (project / "params.yaml").read_bytes() == before
        assert not list((project / "data/raw").glob("*")) if (project / "data").exists() else True
    return not refused


COMMANDS = (("predict", "rows", "-o", "scored.csv"), ("export", "model.zip"))
MODEL = ("models/model.skops", "models/featurizer.skops", "data/prepared/schema.json")


def use(project: Path, rows: Path, damage: st.DataObject) -> None:
    """Score the raw rows and export the model; then damage a part of it, and do so again."""
    for part in (None, damage.draw(st.sampled_from(MODEL))):
        if part:
            path = project / part
            path.write_bytes(damage.draw(damaged(path.read_bytes())))
        for name, *words, file in COMMANDS:
            given = [str(rows) if word == "rows" else word for word in words]
            refused = crivo(project, name, *given, file)
            assert (project / file).exists() != bool(refused)
            (project / file).unlink(missing_ok=True)


@given(file=files(few | enough), options=roles, damage=st.data())
@cases(6)
def test_a_table_is_prepared_without_losing_a_row_and_scored_or_refused_in_a_sentence(
    file: tuple[str, bytes], options: list[tuple[str, str]], damage: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        if not begin(Path(folder), file, options):
            return
        project = Path(folder) / "project"
        assert not stage(project, "prepare"), "crivo init has said that it would run"
        counted = json.loads((project / "metrics/data/metrics.json").read_text())
        aside = len(pd.read_parquet(project / "data/quarantine/rows.parquet"))
        parts = [pd.read_parquet(project / f"data/prepared/{part}.parquet") for part in SPLITS]
        assert counted["rows_in"] == sum(map(len, parts)) + aside
        assert (counted["rows_out"], counted["rows_quarantined"]) == (sum(map(len, parts)), aside)
        if not any(stage(project, name) for name in ("featurize", "train", "evaluate")):
            predicted = pd.read_parquet(project / "metrics/evaluation/predictions.parquet")
            assert len(predicted) == len(parts[SPLITS.index("valid")])
            use(project, Path(folder) / file[0], damage)
