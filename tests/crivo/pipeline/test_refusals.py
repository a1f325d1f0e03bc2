"""What can't give a believable result stops before any work, with one sentence."""

import json

import pytest

from tests.crivo.pipeline.project import Project

METRICS = "metrics/evaluation/metrics.json"


@pytest.mark.plain_path
def test_wrong_settings_stop_the_first_stage_that_runs_and_cost_no_data(project: Project) -> None:
    before = (project.folder / METRICS).read_bytes()
    wrong = ("models.boosting.max_iter=many", "+evaluate.splt=test", "seed=-1")
    settings = [part for one in wrong for part in ("-S", one)]
    printed = project.dvc("exp", "run", "--temp", *settings, fails=True)
    assert "models.boosting.max_iter: is 'many'" in printed
    assert "evaluate.splt: unknown setting; did you mean `split`?" in printed
    assert "seed: is -1" in printed
    assert "Traceback" not in printed
    assert (project.folder / METRICS).read_bytes() == before
    assert project.status() == ""


def test_a_misspelt_block_stops_at_dvcs_own_check(project: Project) -> None:
    project.replace("params.yaml", "model: boosting", "model: bosting")
    assert "bosting" in project.dvc("repro", fails=True)


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
