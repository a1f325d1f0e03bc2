"""The checks that stages make, on the files they wrote; the checks have their own tests there."""

from crivo.runtime.stage import NOTES

import pytest
import yaml
from dvc.utils.serialize import dumps_yaml

from crivo.checks.review import checked_text, review
from crivo.core import artifacts
from crivo.core.findings import Finding, Silent, findings_table
from crivo.preparation.rawdata import content_hash
from crivo.runtime.read_guard import stage_entry

FOUND = Finding("L005", "warning", "x", "predicts `y` alone.")
SILENT = [Silent("L001", "passed", "x"), Silent("T001", "not applicable", "x", "no time")]


@pytest.fixture
def recorded(project):
    """A project with a `dvc.lock` that says what two stages read and wrote."""
    train, code = artifacts.prepared("train"), "src/crivo/featurization"
    project.write(train.as_posix(), "rows")
    project.write(f"{code}/checks.py", "")
    artifacts.write_csv(project.folder / artifacts.ROW_FINDINGS, findings_table([FOUND, *SILENT]))

    def locked(*paths):
        return [{"path": str(one), "md5": content_hash(project.folder / one)} for one in paths]

    stages = {
        "prepare": {"deps": locked("data/raw/table.csv"), "outs": locked(train)},
        "featurize": {"deps": locked(train, code), "outs": locked(artifacts.ROW_FINDINGS)},
    }
    project.write("dvc.lock", dumps_yaml({"schema": "2.0", "stages": stages}))
    return project


@pytest.mark.parametrize(
    ("changed", "stage"),
    [
        ("data/raw/table.csv", "prepare"),
        ("data/prepared/train.parquet", "featurize"),
        ("src/crivo/featurization/checks.py", "featurize"),
        (artifacts.ROW_FINDINGS, "featurize"),
    ],
    ids=["data", "rows", "code", "findings"],
)
def test_what_was_found_is_not_shown_when_something_changed(recorded, evaluated, changed, stage):
    assert recorded.found("L", "T") == [("L005", "x")]
    (other,) = review(recorded.folder, ["T001"]).checks
    assert (other.state, other.reason) == ("not applicable", "no time")
    path = recorded.folder / changed
    path.write_bytes(path.read_bytes() + b"\n")
    evaluated(split="valid")
    shown = ["L005", "R010"][: 1 + (stage == "prepare")]
    said = f"has changed since `{stage}` ran; run `dvc repro`"
    for one in review(recorded.folder, shown).checks:
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


def test_what_dvc_lock_records_and_dvc_yaml_no_longer_declares_is_named(project):
    declared = project.read("dvc.yaml")
    stages = yaml.safe_load(declared.replace("${model}", "small"))["stages"]
    settings = {"seed": 1, "model": "small", "train": {"rows": 10}, "models.small": {"depth": 2}}
    settings = {"train": settings, "evaluate": {"evaluate": {"split": "valid"}}}
    for name, stage in stages.items():
        stage["deps"] = [{"path": path, "md5": "ab" * 16} for path in stage["deps"]]
        stage |= {"params": {"params.yaml": settings[name]}, "outs": []}
    project.write("dvc.lock", dumps_yaml({"schema": "2.0", "stages": stages}))
    assert project.findings("D006") == []
    project.replace("dvc.yaml", "    - seed\n", "")
    project.replace("dvc.yaml", "    - src/evaluate.py\n", "")
    assert project.found("D006") == [("D006", "train"), ("D006", "evaluate")]
    # What is declared anew makes the stage run.
    project.replace("dvc.yaml", "    - models/model.skops\n    params", "    - src\n    params")
    assert project.found("D006") == [("D006", "train")]


def test_what_no_stage_made_use_of_is_named_once_all_have_run(project):
    root, codes = project.folder, ("S003", "D002")
    for name, unread, idle in (
        ("train", "train", "src/blocks/models/small.py"), ("evaluate", "", "")
    ):  # fmt: skip
        assert project.found(*codes) == []
        entry = stage_entry(root, f"src/{name}.py", name)
        read, used = [*{*entry.settings} - {unread}], [*{*entry.files} - {idle}]
        noted = {"files": entry.files, "settings": entry.settings, "read": read, "code": used}
        artifacts.write_json(root / NOTES / f"{name}.json", noted)
    assert project.found(*codes) == [("D002", "train"), ("S003", "train")]
    project.replace("dvc.yaml", "    - seed\n", "")
    assert project.found(*codes) == []
