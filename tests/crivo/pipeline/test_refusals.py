"""What can't give a believable result stops before any work, with one sentence."""

import json

from tests.crivo.pipeline.project import Project


def test_changed_raw_data_are_refused(project: Project) -> None:
    raw = project.folder / "data/raw/flights/airlines.csv"
    raw.chmod(0o644)
    raw.write_text(raw.read_text() + "XX,Nobody\n")
    printed = project.dvc("repro", fails=True)
    assert "prepare: " in printed
    assert "airlines.csv" in printed


def test_another_environment_is_refused_or_said(project: Project) -> None:
    lock = project.folder / "requirements.txt"
    text = lock.read_text()
    lock.write_text(text.replace("pandas==", "pandas==0.0."))
    printed = project.dvc("repro", fails=True)
    assert "pandas" in printed
    project.dvc("checkout")  # DVC removes the outputs of a stage before it runs
    project.dvc("repro", "--single-item", "evaluate", CRIVO_ENVIRONMENT="warn")
    about = json.loads(project.read("metrics/evaluation/evaluation.json"))
    assert about["environment"] == "differs"


def test_too_many_bad_rows_stop_the_run(project: Project) -> None:
    project.replace("params.yaml", "quarantine_limit: 0.05", "quarantine_limit: 0.001")
    printed = project.dvc("repro", fails=True)
    assert "prepare.quarantine_limit" in printed
    assert "cancelled" in printed
