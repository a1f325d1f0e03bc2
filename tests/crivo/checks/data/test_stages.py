"""The checks that stages make, on the files they wrote; the checks have their own tests there."""

import pandas as pd
import pytest
from dvc.utils.serialize import dumps_yaml

from crivo.checks.running import review
from crivo.core import artifacts
from crivo.core.findings import Finding, Silent, findings_table
from crivo.core.schema import Column, Schema
from crivo.repository.outputs import content_hash

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


FOUND = Finding("L005", "warning", "x", "predicts `y` alone.")
SILENT = (
    Silent("L001", "passed", "A row is in two splits"),
    Silent("L003", "not applicable", "A group is in two splits", "no column is a group"),
)


@pytest.fixture
def recorded(project, prepared):
    """The same project with a `dvc.lock` that says what `featurize` read and wrote."""
    code = project.root / "src/crivo/featurization/checks.py"
    code.parent.mkdir()
    code.write_text("")
    artifacts.write_csv(project.root / artifacts.ROW_FINDINGS, findings_table([FOUND, *SILENT]))
    deps = [path.relative_to(project.root) for path in sorted(prepared.iterdir())]
    entries = {
        "deps": [*deps, code.parent.relative_to(project.root)],
        "outs": [artifacts.ROW_FINDINGS],
    }
    files = {
        key: [
            {"path": str(path), "hash": "md5", "md5": content_hash(project.root / path)}
            for path in paths
        ]
        for key, paths in entries.items()
    }
    lock = {"schema": "2.0", "stages": {"featurize": {"cmd": "python src/featurize.py", **files}}}
    (project.root / "dvc.lock").write_text(dumps_yaml(lock))
    return project


def test_what_featurize_found_is_not_looked_for_again(recorded):
    assert recorded.findings("L005") == [FOUND]
    assert recorded.found("L001") == []
    states = {one.check.code: (one.state, one.reason) for one in review(recorded.root, ["L"])}
    assert states["L001"] == ("passed", "")
    assert states["L003"] == ("not applicable", "no column is a group")


@pytest.mark.parametrize(
    "changed",
    ["data/prepared/test.parquet", "src/crivo/featurization/checks.py", artifacts.ROW_FINDINGS],
    ids=["rows", "code", "findings"],
)
def test_what_featurize_found_is_out_of_date_when_something_changed(recorded, changed):
    path = recorded.root / changed
    train = recorded.root / "data/prepared/train.parquet"
    new = train.read_bytes() if path.suffix == ".parquet" else path.read_bytes() + b"\n"
    path.write_bytes(new)
    assert recorded.found("L005") == []  # looked for, and not there
    copied = [("L001", "train/test")] if path.suffix == ".parquet" else []
    assert recorded.found("L001") == copied


def test_a_stage_that_lost_its_findings_is_no_record(recorded):
    (recorded.root / artifacts.ROW_FINDINGS).unlink()
    assert recorded.found("L005") == []


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
