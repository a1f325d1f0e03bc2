"""The pipeline runs on a few hundred rows of the project's own data, and so do the notebooks."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient

import crivo
from crivo import Schema
from crivo.testing import Params, check_dataset, check_splitter
from tests.project.conftest import ROOT

pytestmark = pytest.mark.pipeline

PREDICTIONS = "metrics/evaluation/predictions.parquet"
NOTEBOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))


def rows_of(sample: Path, *splits: str) -> pd.DataFrame:
    """Return the prepared rows of some splits."""
    tables = [crivo.workspace(sample).rows(split) for split in splits]
    return pd.concat(tables, ignore_index=True)


def test_every_evaluated_row_has_a_prediction(sample: Path, schema: Schema, params: Params) -> None:
    predictions = pd.read_parquet(sample / PREDICTIONS)
    rows = rows_of(sample, params.evaluate.split)
    assert predictions["id"].tolist() == sorted(rows[schema.id].astype("str"))
    assert predictions["prediction"].notna().all()


def test_raw_rows_are_scored_as_in_the_evaluation(
    sample: Path, schema: Schema, params: Params
) -> None:
    rows = rows_of(sample, params.evaluate.split)
    scored = crivo.load(folder=sample).predict(rows[list(schema.features)])
    predictions = pd.read_parquet(sample / PREDICTIONS)
    predictions = predictions.set_index("id").loc[rows[schema.id].astype("str")]
    for name in scored:
        given = predictions[name].reset_index(drop=True)
        pd.testing.assert_series_equal(scored[name], given, check_dtype=False, rtol=1e-9)


def test_the_scores_of_raw_rows_are_those_of_the_pipeline(
    sample: Path, schema: Schema, params: Params, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bit by bit, by the project and by an exported file, from raw columns known beforehand."""
    block = crivo.workspace(sample).params.block("dataset")
    needed = block.raw_columns(schema)
    if not needed:
        pytest.skip(f"the dataset {params['dataset']} doesn't say how a raw row becomes a row")
    folder = sample / "data/raw" / params.dataset
    at = block.load(folder).reset_index(drop=True).reset_index().set_index(schema.id)["index"]
    rows = rows_of(sample, params.evaluate.split)
    raw = block.read_raw(folder).iloc[at.loc[rows[schema.id]]][[*needed]]
    expected = crivo.load(folder=sample).predict(rows).set_axis(raw.index)
    monkeypatch.chdir(sample)
    model = str(tmp_path / "model.zip")
    subprocess.run([sys.executable, "-m", "crivo.cli", "export", model], check=True)
    for predictor in (crivo.load(folder=sample), crivo.load(model)):
        scored = predictor.predict(raw)
        pd.testing.assert_frame_equal(scored, expected, check_exact=True)


def test_nothing_is_left_to_run(sample: Path) -> None:
    command = [sys.executable, "-m", "dvc", "repro", "--dry"]
    done = subprocess.run(command, cwd=sample, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Running stage" not in done.stdout


# --- the blocks in use, on these rows ---------------------------------------------------------


def test_the_dataset_in_use_keeps_its_contract(sample: Path) -> None:
    params = crivo.workspace(sample).params
    folder = sample / "data/raw" / params.dataset
    check_dataset(params.block("dataset"), folder, limit=params.prepare.quarantine_limit)


def test_the_splitter_in_use_keeps_its_contract(sample: Path, schema: Schema) -> None:
    rows = rows_of(sample, "train", "valid", "test")
    splitter = crivo.workspace(sample).params.block("splitter")
    check_splitter(splitter, schema=schema, rows=rows)


# --- notebooks --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_and_changes_nothing(
    sample: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("PYTHONPATH", str(sample / "src"))
    before = git_status(sample)
    book = nbformat.read(sample / "notebooks" / name, as_version=4)
    place = {"metadata": {"path": str(sample / "notebooks")}}
    NotebookClient(book, timeout=120, kernel_name="python3", resources=place).execute()
    assert git_status(sample) == before


def git_status(folder: Path) -> str:
    command = ["git", "status", "--porcelain"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
