"""The checks that stages make, on the files they wrote; the checks have their own tests there."""

import pytest
from dvc.utils.serialize import dumps_yaml

from crivo.checks.review import checked_text, review
from crivo.core import artifacts
from crivo.core.findings import Finding, findings_table
from crivo.preparation.rawdata import content_hash

FOUND = Finding("L005", "warning", "x", "predicts `y` alone.")


@pytest.fixture
def recorded(project):
    """A project with a `dvc.lock` that says what `featurize` read and wrote."""
    project.write("data/prepared/train.parquet", "rows")
    project.write("src/crivo/featurization/checks.py", "")
    artifacts.write_csv(project.folder / artifacts.ROW_FINDINGS, findings_table([FOUND]))
    entries = {
        "deps": [artifacts.prepared("train"), "src/crivo/featurization"],
        "outs": [artifacts.ROW_FINDINGS],
    }
    files = {
        key: [
            {"path": str(path), "hash": "md5", "md5": content_hash(project.folder / path)}
            for path in paths
        ]
        for key, paths in entries.items()
    }
    lock = {"schema": "2.0", "stages": {"featurize": {"cmd": "python src/featurize.py", **files}}}
    project.write("dvc.lock", dumps_yaml(lock))
    return project


@pytest.mark.parametrize(
    "changed",
    ["data/prepared/train.parquet", "src/crivo/featurization/checks.py", artifacts.ROW_FINDINGS],
    ids=["rows", "code", "findings"],
)
def test_what_featurize_found_is_not_shown_when_something_changed(recorded, changed):
    path = recorded.folder / changed
    path.write_bytes(path.read_bytes() + b"\n")
    (one,) = review(recorded.folder, ["L005"]).checks
    said = "has changed since `featurize` ran; run `dvc repro`"
    assert one.state == "not applicable"
    assert one.reason.endswith(said)


def test_a_lock_that_can_not_be_read_is_named(recorded):
    recorded.write("dvc.lock", "stages: [")
    assert recorded.found("L001") == [("P001", "dvc.lock")]


def test_a_result_that_says_nothing_of_checks_or_can_not_be_read_is_named(project, evaluated):
    evaluated(definition="abc")
    (one,) = review(project.folder, ["R001"]).checks
    assert one.reason == "an earlier version of crivo evaluated the model; run `dvc repro`"
    said = checked_text(review(project.folder, ["R001", "R002"]))
    assert said.splitlines()[-1] == f"2 checks not run: {one.reason}."
    for content in ("{", "[1]"):
        (project.folder / artifacts.EVALUATION / "evaluation.json").write_text(content)
        assert project.found("R003", "X") == [("P001", "metrics/evaluation/evaluation.json")]
