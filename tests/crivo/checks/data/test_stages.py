"""The checks that stages make, on the files they wrote; the checks have their own tests there."""

import pandas as pd
import pytest

from crivo.core import artifacts
from crivo.core.schema import Column, Schema

SCHEMA = Schema(
    task="regression",
    columns=(
        Column(name="key", role="id", type="number"),
        Column(name="x", role="feature", type="number"),
        Column(name="y", role="target", type="number"),
    ),
)


@pytest.fixture
def prepared(project):
    """A project whose rows are in one split each, in a folder that a test may change."""
    folder = project.root / artifacts.PREPARED
    folder.mkdir(parents=True)
    for place, split in enumerate(artifacts.SPLITS):
        rows = pd.DataFrame({"key": [2 * place, 2 * place + 1], "x": [1, 2], "y": [3.0, 5.0]})
        rows.to_parquet(folder / f"{split}.parquet")
    artifacts.write_schema(SCHEMA, project.root / artifacts.SCHEMA)
    return folder


def test_there_is_nothing_to_find_before_the_first_run(project):
    assert project.found("data") == []


def test_rows_on_one_side_each_are_fine(project, prepared):
    assert project.found("L001") == []


def test_a_row_in_two_splits_is_an_error(project, prepared):
    (prepared / "test.parquet").write_bytes((prepared / "train.parquet").read_bytes())
    (finding,) = project.findings("L001")
    assert (finding.severity, finding.subject) == ("error", "train/test")
    assert finding.message.startswith("2 values of `key` are in both splits")


def test_unreadable_rows_are_named(project, prepared):
    (prepared / "valid.parquet").write_bytes(b"")
    assert project.found("L001") == [("P001", "data/prepared/valid.parquet")]


def test_an_unreadable_schema_is_named(project, prepared):
    (prepared / "schema.json").write_text("{}")
    assert project.found("L001") == [("P001", "data/prepared/schema.json")]


def test_the_results_in_the_files_are_checked(project, evaluated):
    same = pd.DataFrame({"target": [1.0, -1.0], "prediction": [3.0, 3.0]})
    evaluated.table("predictions.parquet", same)
    assert project.found("R") == [("R001", "predictions")]
    wrong = pd.DataFrame({"target": [1.0, -1.0], "prediction": [-3.0, 3.0]})
    evaluated.table("predictions.parquet", wrong)
    evaluated.metrics(artifacts.TRAIN_METRICS, train_loss=0.07, baseline_train_loss=1.0)
    evaluated.metrics(artifacts.EVALUATION, rmse=4.0, baseline_rmse=1.0)
    assert project.found("R") == [("R003", "train_loss")]
    evaluated.table("predictions.parquet", same)
    project.edit("params.yaml", "model: small", "baseline: small\nmodel: small")
    assert project.found("R001") == []


def test_broken_metrics_are_named(project, evaluated):
    evaluated.metrics(artifacts.TRAIN_METRICS, train_loss=0.6)
    (project.root / artifacts.TRAIN_METRICS / "metrics.json").write_text("{")
    assert project.found("R003") == [("P001", "metrics/train/metrics.json")]
