"""What can't give a believable result stops before any work, with one sentence."""

import json
from pathlib import Path

import pytest

from tests.crivo.pipeline.project import Project


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("models.boosting.max_iter=many", "models.boosting.max_iter: is 'many'"),
        ("+evaluate.splt=test", "evaluate.splt: unknown setting; did you mean `split`?"),
    ],
)
def test_a_wrong_setting_stops_the_first_stage_that_runs(
    project: Project, setting: str, sentence: str
) -> None:
    printed = project.dvc("exp", "run", "-S", setting, fails=True)
    assert sentence in printed
    assert "Traceback" not in printed


def test_a_misspelt_block_stops_at_dvcs_own_check(project: Project) -> None:
    printed = project.dvc("exp", "run", "--temp", "-S", "model=bosting", fails=True)
    assert "bosting" in printed


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
    printed = project.dvc("exp", "run", "-S", "prepare.quarantine_limit=0.001", fails=True)
    assert "prepare.quarantine_limit" in printed
    assert "cancelled" in printed


def test_a_wrong_setting_costs_no_data(project: Project) -> None:
    before = Path(project.folder / "metrics/evaluation/metrics.json").read_bytes()
    project.dvc("exp", "run", "--temp", "-S", "seed=-1", fails=True)
    assert Path(project.folder / "metrics/evaluation/metrics.json").read_bytes() == before
    assert project.status() == ""
